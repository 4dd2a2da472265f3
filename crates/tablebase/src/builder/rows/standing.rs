//! Where work on a unit stands, as a checkpoint keeps it: the matrices by the mover's sets.
//!
//! Everything else follows from them. The matrices by the other side's sets are transposed once
//! more. Which rows have changed need not be known: if all are taken to have, a round looks at
//! more rows and finds no more, for what a round finds is all that there is to find from what was
//! known before it. Which grades a row has is asked of the grades: of those that wait for their
//! round, none is gone.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use super::Solver;
use super::rounds::{Distances, Native};
use crate::builder::Phase;
use crate::builder::checkpoint::{Keeper, bad, read_items, write_items};
use crate::error::Result;
use crate::slice::Unit;
use crate::stop::check_stop;

/// How far work on a unit has come.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Standing {
    /// For each slice of the unit, how many rows captures have decided.
    pub rows: Vec<usize>,
    /// How many rounds are done. They begin when all rows are decided.
    pub rounds: u32,
    /// How many of the last of them found nothing.
    pub quiet_rounds: u32,
}

impl Standing {
    /// Nothing is done yet.
    pub(super) fn new(unit: Unit) -> Self {
        Self { rows: vec![0; unit.slices().count()], rounds: 0, quiet_rounds: 0 }
    }
}

impl Solver<'_> {
    /// Saves a checkpoint if it is time for one, or if the build is to stop, which it then does.
    pub(super) fn keep(
        &self,
        unit: Unit,
        standing: &Standing,
        keeper: &mut Keeper<'_>,
    ) -> Result<()> {
        let goes_on = check_stop(self.stop);
        let begun = standing.rows.iter().any(|rows| *rows > 0);
        if begun && (keeper.is_due() || goes_on.is_err()) {
            keeper.save(self.phase(unit, standing), standing, |out| {
                for (slice, rows) in unit.slices().zip(&standing.rows) {
                    if let Some(native) = self.native.get(&slice) {
                        native.write(*rows, out)?;
                    }
                }
                Ok(())
            });
        }
        goes_on
    }

    /// Takes up the work of a checkpoint, or begins.
    pub(super) fn take_up(&mut self, unit: Unit, keeper: &Keeper<'_>) -> Standing {
        let taken_up = keeper.take_up(|standing: Standing, input| {
            let all: Vec<_> = unit.slices().map(|s| self.orbits(s.own).count()).collect();
            let fits = standing.rows.len() == all.len()
                && standing.rows.iter().zip(&all).all(|(rows, all)| rows <= all)
                && (standing.rounds == 0 || standing.rows == all);
            if !fits {
                return Err(bad("it has other rows than the unit"));
            }
            let mut natives = Vec::new();
            for (slice, rows) in unit.slices().zip(&standing.rows) {
                if *rows > 0 {
                    let mut native = self.empty_native(slice);
                    native.read(*rows, input)?;
                    natives.push((slice, native));
                }
            }
            let phase = self.phase(unit, &standing);
            Ok(((standing, natives), phase))
        });
        let Some((standing, natives)) = taken_up else { return Standing::new(unit) };
        self.native.extend(natives);
        standing
    }

    /// What work stands at, and how much of that is done.
    fn phase(&self, unit: Unit, standing: &Standing) -> (Phase, f64) {
        let (mut done, mut all) = (0, 0);
        for (slice, rows) in unit.slices().zip(&standing.rows) {
            let index = self.index(slice);
            done += *rows as u64 * index.columns();
            all += index.len();
        }
        match standing.rounds {
            0 => (Phase::Captures, done as f64 / all as f64),
            rounds => (Phase::Round(rounds), 1.0),
        }
    }
}

impl Native {
    /// Writes so many rows, from the first.
    fn write(&self, rows: usize, out: &mut dyn Write) -> io::Result<()> {
        for matrix in [&self.win, &self.loss, &self.open, &self.held] {
            write_items(out, matrix.rows(rows))?;
        }
        match &self.distances {
            None => Ok(()),
            Some(Distances { grades, .. }) => write_items(out, grades.rows(rows)),
        }
    }

    /// Reads so many rows.
    fn read(&mut self, rows: usize, input: &mut dyn Read) -> io::Result<()> {
        for matrix in [&mut self.win, &mut self.loss, &mut self.open, &mut self.held] {
            read_items(input, matrix.rows_mut(0..rows))?;
        }
        match &mut self.distances {
            None => Ok(()),
            Some(Distances { grades, .. }) => read_items(input, grades.rows_mut(0..rows)),
        }
    }
}
