//! The time of a build, by unit and part of the work.

use std::sync::Mutex;

use fanorona_builder::Part;
use fanorona_tablebase::{Spent, TableFile, Unit};
use serde::{Serialize, Serializer};

/// Collects what a build reports.
#[derive(Debug, Default)]
pub(super) struct Collector {
    phases: Mutex<Vec<Phase>>,
}

/// The cost of one part of the work on a unit.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Phase {
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
pub(super) struct Exchanged {
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
    /// The number of [`to_numbers`](Self::to_numbers).
    pub(super) const NUMBERS: usize = 4;

    /// The numbers that differ from process to process: times, bytes and the time of waiting.
    pub(super) fn to_numbers(&self) -> [f64; Self::NUMBERS] {
        let (bytes, waiting) =
            self.exchanged.map_or((0, 0.0), |found| (found.bytes, found.waiting_seconds));
        [self.seconds, self.processor_seconds, bytes as f64, waiting]
    }

    /// The phase of all processes together, given the numbers of each. The wall-clock time is that
    /// of the slowest.
    pub(super) fn combined<'n>(self, all: impl Iterator<Item = &'n [f64]> + Clone) -> Self {
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

impl Collector {
    /// Adds the positions of a finished table to the phases of its unit.
    pub(super) fn finished(&self, table: &TableFile) {
        let metadata = table.metadata();
        let unit = metadata.key().unit();
        let Ok(mut phases) = self.phases.lock() else { return };
        for phase in phases.iter_mut().filter(|phase| phase.unit == unit) {
            phase.positions += metadata.statistics.positions();
            phase.entries += metadata.values;
        }
    }

    /// Adds the time of a part of the work on a unit, and what processes have exchanged meanwhile.
    pub(super) fn add(&self, unit: Unit, part: Part, spent: Spent, exchanged: Option<Exchanged>) {
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
    pub(super) fn finish(self) -> Vec<Phase> {
        self.phases.into_inner().unwrap_or_default()
    }
}
