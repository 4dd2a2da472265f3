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

/// The cost of one part of the work on a unit.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Phase {
    /// The unit's slice in which the side with more stones moves; in the first phase of the vela, that in
    /// which the victor moves.
    pub own: u8,
    pub opponent: u8,
    /// Whether the unit is in the first phase of the vela.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub first_phase: bool,
    #[serde(skip)]
    unit: Unit,
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
    /// `None` if there is only one process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchanged: Option<Exchanged>,
}

/// The communication between the processes of a build.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Exchanged {
    /// The bytes that they have sent to each other.
    pub bytes: u64,
    /// The wall-clock time of exchanging, waiting for others included: the mean of all processes.
    pub waiting_seconds: f64,
    /// The greatest time of a process without that, divided by the mean.
    pub imbalance: f64,
}

/// A part under its name in JSON.
fn part_name<S: Serializer>(part: &Part, serializer: S) -> Result<S::Ok, S::Error> {
    part.name().serialize(serializer)
}

impl Phase {
    fn stones(&self) -> u32 {
        u32::from(self.own) + u32::from(self.opponent)
    }

    /// The number of [`to_numbers`](Self::to_numbers).
    pub(crate) const NUMBERS: usize = 4;

    /// The numbers that differ from process to process: times, bytes and the time of waiting.
    pub(crate) fn to_numbers(&self) -> [f64; Self::NUMBERS] {
        let (bytes, waiting) =
            self.exchanged.map_or((0, 0.0), |found| (found.bytes, found.waiting_seconds));
        [self.seconds, self.processor_seconds, bytes as f64, waiting]
    }

    /// The phase of all processes together, given the numbers of each. The wall-clock time is that
    /// of the slowest.
    pub(crate) fn combined<'n>(self, all: impl Iterator<Item = &'n [f64]> + Clone) -> Self {
        let sum = |place: usize| all.clone().map(|numbers| numbers[place]).sum::<f64>();
        let work = || all.clone().map(|numbers| (numbers[0] - numbers[3]).max(0.0));
        let processes = all.clone().count().max(1) as f64;
        let mean = work().sum::<f64>() / processes;
        let exchanged = Exchanged {
            bytes: sum(2) as u64,
            waiting_seconds: sum(3) / processes,
            imbalance: if mean > 0.0 { work().fold(0.0, f64::max) / mean } else { 1.0 },
        };
        Self {
            seconds: all.clone().map(|numbers| numbers[0]).fold(0.0, f64::max),
            processor_seconds: sum(1),
            exchanged: Some(exchanged),
            ..self
        }
    }
}

impl Progress for Collector {
    fn spent(&self, unit: Unit, part: Part, spent: Spent) {
        self.add(unit, part, spent, None);
    }

    fn finished(&self, table: &TableFile, _: bool) {
        let metadata = table.metadata();
        let unit = metadata.key().unit();
        let Ok(mut phases) = self.phases.lock() else { return };
        for phase in phases.iter_mut() {
            if phase.unit == unit {
                phase.positions += metadata.statistics.positions();
                phase.entries += metadata.values;
            }
        }
    }
}

impl Collector {
    /// Adds the time of a part of the work on a unit, and what processes have exchanged meanwhile.
    pub(crate) fn add(&self, unit: Unit, part: Part, spent: Spent, exchanged: Option<Exchanged>) {
        let slice = unit.stronger();
        let Ok(mut phases) = self.phases.lock() else { return };
        let known = phases.iter_mut().find(|phase| (phase.unit, phase.part) == (unit, part));
        let (seconds, processor) = (spent.wall.as_secs_f64(), spent.processor.as_secs_f64());
        if let Some(phase) = known {
            phase.seconds += seconds;
            phase.processor_seconds += processor;
            if let (Some(known), Some(more)) = (&mut phase.exchanged, exchanged) {
                known.bytes += more.bytes;
                known.waiting_seconds += more.waiting_seconds;
            }
            return;
        }
        phases.push(Phase {
            own: slice.own,
            opponent: slice.opponent,
            first_phase: unit.is_first_phase(),
            unit,
            part,
            positions: 0,
            entries: 0,
            seconds,
            processor_seconds: processor,
            exchanged,
        });
    }

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
            if !units.contains(&phase.unit) {
                units.push(phase.unit);
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
    if let Some(exchanged) = exchanged_table(phases) {
        let _ = write!(text, "\n\n{exchanged}");
    }
    text
}

/// The communication of several processes, by part of the work. The imbalance of a part is that of
/// its units, weighted by their time.
fn exchanged_table(phases: &[Phase]) -> Option<String> {
    let mut rows = table(&["phase", "time", "waiting", "MB sent", "imbalance"], &[0]);
    let mut any = false;
    for part in Part::ALL {
        let of_part = phases.iter().filter(|phase| phase.part == part);
        let found: Vec<_> =
            of_part.filter_map(|phase| Some((phase.seconds, phase.exchanged?))).collect();
        let seconds: f64 = found.iter().map(|(seconds, _)| seconds).sum();
        let waiting: f64 = found.iter().map(|(_, found)| found.waiting_seconds).sum();
        let bytes: u64 = found.iter().map(|(_, found)| found.bytes).sum();
        let weighted: f64 = found.iter().map(|(seconds, found)| seconds * found.imbalance).sum();
        if seconds > 0.0 {
            any = true;
            rows.add_row(Row::from([
                part.name().to_owned(),
                duration(seconds),
                duration(waiting),
                format!("{:.1}", bytes as f64 / 1e6),
                format!("{:.2}", weighted / seconds),
            ]));
        }
    }
    any.then(|| rows.trim_fmt())
}

/// A rate in millions per second; a dash where there is no time.
fn millions(count: u64, seconds: f64) -> String {
    if seconds > 0.0 { format!("{:.2}", count as f64 / seconds / 1e6) } else { "-".to_owned() }
}
