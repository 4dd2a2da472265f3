//! The time of a build, by unit and part of the work.

use std::fmt::Write;
use std::sync::Mutex;

use comfy_table::Row;
use fanorona_tablebase::{Part, Progress, Spent, TableFile, Unit};
use serde::{Serialize, Serializer};

use crate::human::{duration, grouped};
use crate::output::table;

/// Collects what a build reports.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    phases: Mutex<Vec<Phase>>,
}

/// What one part of the work on a unit took.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Phase {
    /// The unit's slice in which the side with more stones moves.
    pub own: u8,
    pub opponent: u8,
    #[serde(rename = "phase", serialize_with = "part_name")]
    part: Part,
    /// Of the unit's finished slices, symmetric ones included.
    pub positions: u64,
    /// The sizes of their indices, which leave out most symmetric positions.
    pub entries: u64,
    /// Wall-clock time.
    pub seconds: f64,
    /// CPU time of all threads; 0 where the system does not report it.
    pub processor_seconds: f64,
}

/// A part under its name in JSON.
fn part_name<S: Serializer>(part: &Part, serializer: S) -> Result<S::Ok, S::Error> {
    part.name().serialize(serializer)
}

impl Phase {
    fn stones(&self) -> u32 {
        u32::from(self.own) + u32::from(self.opponent)
    }
}

impl Progress for Collector {
    fn spent(&self, unit: Unit, part: Part, spent: Spent) {
        let slice = unit.stronger();
        let Ok(mut phases) = self.phases.lock() else { return };
        let known = phases.iter_mut().find(|phase| {
            (phase.own, phase.opponent, phase.part) == (slice.own, slice.opponent, part)
        });
        let (seconds, processor) = (spent.wall.as_secs_f64(), spent.processor.as_secs_f64());
        if let Some(phase) = known {
            phase.seconds += seconds;
            phase.processor_seconds += processor;
            return;
        }
        phases.push(Phase {
            own: slice.own,
            opponent: slice.opponent,
            part,
            positions: 0,
            entries: 0,
            seconds,
            processor_seconds: processor,
        });
    }

    fn finished(&self, table: &TableFile, _: bool) {
        let metadata = table.metadata();
        let stones = |own: u8, opponent: u8| (own.max(opponent), own.min(opponent));
        let Ok(mut phases) = self.phases.lock() else { return };
        for phase in phases.iter_mut() {
            if (phase.own, phase.opponent) == stones(metadata.slice.own, metadata.slice.opponent) {
                phase.positions += metadata.statistics.positions();
                phase.entries += metadata.values;
            }
        }
    }
}

impl Collector {
    /// Everything, in the order of work.
    pub(crate) fn finish(self) -> Vec<Phase> {
        self.phases.into_inner().unwrap_or_default()
    }
}

/// The sum of some phases.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sum {
    pub positions: u64,
    pub seconds: f64,
    processor_seconds: f64,
}

impl Sum {
    /// Adds up the times, and the positions of each unit once.
    pub(crate) fn of<'p>(phases: impl IntoIterator<Item = &'p Phase>) -> Self {
        let mut sum = Self::default();
        let mut units = Vec::new();
        for phase in phases {
            sum.seconds += phase.seconds;
            sum.processor_seconds += phase.processor_seconds;
            if !units.contains(&(phase.own, phase.opponent)) {
                units.push((phase.own, phase.opponent));
                sum.positions += phase.positions;
            }
        }
        sum
    }

    /// The sum for one part of the work; `None` if no unit had it.
    pub(crate) fn of_part(phases: &[Phase], part: Part) -> Option<Self> {
        let mut of_part = phases.iter().filter(|phase| phase.part == part).peekable();
        of_part.peek()?;
        Some(Self::of(of_part))
    }
}

/// Two tables: time by part of the work, and speed by number of stones. M pos/s is million positions
/// per second.
pub(crate) fn tables(phases: &[Phase]) -> String {
    let all = Sum::of(phases);
    let header = ["phase", "time", "CPU time", "share", "positions", "M pos/s per core"];
    let mut rows = table(&header, &[0]);
    for part in Part::ALL {
        let Some(sum) = Sum::of_part(phases, part) else { continue };
        rows.add_row(Row::from([
            part.name().to_owned(),
            duration(sum.seconds),
            duration(sum.processor_seconds),
            format!("{:.1} %", 100.0 * sum.processor_seconds / all.processor_seconds),
            grouped(sum.positions),
            millions(sum.positions, sum.processor_seconds),
        ]));
    }
    let mut text = rows.trim_fmt();

    let header = ["stones", "positions", "time", "CPU time", "M pos/s", "M pos/s per core"];
    let mut rows = table(&header, &[]);
    let solved: Vec<_> = phases.iter().filter(|phase| phase.part != Part::Load).collect();
    let mut stones: Vec<u32> = solved.iter().map(|phase| phase.stones()).collect();
    stones.dedup();
    for stones in stones {
        let of_stones = solved.iter().filter(|phase| phase.stones() == stones);
        let sum = Sum::of(of_stones.copied());
        rows.add_row(Row::from([
            stones.to_string(),
            grouped(sum.positions),
            duration(sum.seconds),
            duration(sum.processor_seconds),
            millions(sum.positions, sum.seconds),
            millions(sum.positions, sum.processor_seconds),
        ]));
    }
    // Writing to a String cannot fail.
    let _ = write!(text, "\n\n{}", rows.trim_fmt());
    text
}

/// A rate in millions per second; a dash where there is no time.
fn millions(count: u64, seconds: f64) -> String {
    if seconds > 0.0 { format!("{:.2}", count as f64 / seconds / 1e6) } else { "-".to_owned() }
}
