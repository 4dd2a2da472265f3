//! The first step for a unit: decides all rows by captures.

use std::ops::Range;

use fanorona_core::RuleSet;
use rayon::prelude::*;

use super::kernel::captures::{self, CaptureBuffers, CaptureRow};
use super::state::RowsBuilder;
use super::store::exchange::DecidedRows;
use super::store::grades::Grades;
use super::store::layout::Layout;
use super::store::log::{FrameTile, encode};
use super::store::slices::{GradeRows, SliceRows};
use crate::builder::checkpoint::CheckpointStore;
use crate::builder::grades::Grade;
use crate::builder::memory::rows_together;
use crate::builder::progress::Phase;
use crate::builder::unit_progress::UnitProgress;
use crate::error::Result;
use crate::slice::{PhaseSlice, Unit};
use crate::stop::check_stop;

/// The minimum number of parts in which the captures of a slice are decided. A checkpoint can be
/// saved after each part.
const PARTS: usize = 16;

/// The maximum number of entries of a part: some tenths of a second of work.
const LARGEST_PART: u64 = 1 << 24;

impl RowsBuilder<'_> {
    /// Decides by captures the rows of a unit that are not decided yet.
    pub(super) fn decide_unit(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        done: &mut UnitProgress,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()> {
        self.context.progress.begin(unit, Phase::Captures, self.context.entries(unit));
        for (i, slice) in unit.phase_slices().enumerate() {
            let columns = self.context.index(slice.slice).columns();
            self.context.progress.advance(done.rows[i] as u64 * columns);
            let all = self.context.orbits(slice.own()).count();
            let together = all.div_ceil(PARTS).min((LARGEST_PART / columns) as usize);
            let most = rows_together(self.layout(slice).words() as u64) as usize;
            // At least one row per thread.
            let together = together.min(most).max(rayon::current_num_threads());
            let group = self.context.group;
            let together = group.max(together as u64)? as usize;
            let width = self.width_of(slice, rules, 0);
            while done.rows[i] < all {
                let next = |rank: usize| all.min(done.rows[i] + rank * together);
                let rows = next(group.rank())..next(group.rank() + 1);
                let end = next(group.count());
                let mut decided = self.new_rows(slice, rules, rows.len(), width);
                let result = self.decide_rows(slice, rules, &mut decided, rows.clone());
                let decided = result.map(|()| self.closed(slice, decided, rows));
                let stored = self.store_decided(slice, decided);
                if stored.is_ok() {
                    done.rows[i] = end;
                }
                self.save_if_due(unit, Ok(()), done, checkpoints)?;
                stored?;
            }
        }
        Ok(())
    }

    /// Rows that captures have decided, as they are stored. Positions that paikas cannot decide are
    /// closed: both won and lost.
    fn closed(&self, slice: PhaseSlice, decided: SliceRows, rows: Range<usize>) -> DecidedRows {
        let layout = self.layout(slice);
        let mut frames = match &decided.grades {
            None => Vec::new(),
            Some(GradeRows::Narrow(grades)) => due(layout, &rows, grades),
            Some(GradeRows::Wide(grades)) => due(layout, &rows, grades),
        };
        frames.sort_unstable_by_key(|(distance, (tile, _))| (*distance, *tile));
        let SliceRows { win, loss, open, safe, .. } = decided;
        let len = rows.len() * layout.words();
        let mut matrices = [win, loss, open].map(|matrix| matrix.into_data());
        matrices.iter_mut().for_each(|words| words.truncate(len));
        let [mut win, mut loss, open] = matrices;
        let mut safe = safe.map(|safe| safe.into_data()).unwrap_or_default();
        safe.truncate(len);
        let has_plane = layout.planes() > 2;
        let all = win.par_iter_mut().zip(&mut loss).zip(&open).enumerate();
        all.for_each(|(i, ((win, loss), open))| {
            // If captures decide, a safe position is one without any turn, and drawn.
            let drawn = if has_plane { 0 } else { safe.get(i).copied().unwrap_or(0) };
            let closed = !(*win | *loss | open & !drawn);
            *win |= closed;
            *loss |= closed;
        });
        let planes = if has_plane { vec![win, loss, safe] } else { vec![win, loss] };
        DecidedRows { rows, planes, due: frames }
    }

    /// Decides some rows of a slice by captures.
    pub(super) fn decide_rows(
        &self,
        slice: PhaseSlice,
        rules: &RuleSet,
        decided: &mut SliceRows,
        rows: Range<usize>,
    ) -> Result<()> {
        for left in 1..slice.opponent() {
            self.find_columns(left).prepare_ranks();
        }
        self.find_columns(slice.opponent());
        match decided.grades.take() {
            None => self.decide_rows_with::<u8>(slice, rules, decided, None, rows),
            Some(GradeRows::Narrow(mut grades)) => {
                let found = self.decide_rows_with(slice, rules, decided, Some(&mut grades), rows);
                decided.grades = Some(GradeRows::Narrow(grades));
                found
            }
            Some(GradeRows::Wide(mut grades)) => {
                let found = self.decide_rows_with(slice, rules, decided, Some(&mut grades), rows);
                decided.grades = Some(GradeRows::Wide(grades));
                found
            }
        }
    }

    fn decide_rows_with<G: Grade>(
        &self,
        slice: PhaseSlice,
        rules: &RuleSet,
        SliceRows { win, loss, open, safe, .. }: &mut SliceRows,
        grades: Option<&mut Grades<G>>,
        rows: Range<usize>,
    ) -> Result<()> {
        let context = self.slice_context(slice, rules);
        let (columns, words, all) = (context.index().columns(), win.words(), 0..rows.len());
        let mut grades: Vec<_> = match grades {
            None => all.clone().map(|_| None).collect(),
            Some(grades) => {
                let columns = grades.columns();
                grades.rows_mut(all.clone()).chunks_mut(columns).map(Some).collect()
            }
        };
        let mut safe: Vec<_> = match safe {
            None => all.clone().map(|_| None).collect(),
            Some(safe) => safe.rows_mut(all.clone()).chunks_mut(words).map(Some).collect(),
        };
        let [win, loss, open] =
            [win, loss, open].map(|matrix| matrix.rows_mut(all.clone()).par_chunks_mut(words));
        win.zip(loss).zip(open).zip(&mut safe).zip(&mut grades).enumerate().try_for_each_init(
            || (CaptureBuffers::default(), Vec::new()),
            |(buffers, not_kept), (row, ((((win, loss), open), safe), grades))| {
                let own = context.own.representative(rows.start + row);
                let safe = safe.take().unwrap_or_else(|| {
                    not_kept.clear();
                    not_kept.resize(words, 0);
                    not_kept
                });
                let mut row = CaptureRow { win, loss, open, safe, grades: grades.take() };
                captures::decide(&context, own, &mut row, buffers);
                self.context.progress.advance(columns);
                check_stop(self.context.stop)
            },
        )
    }
}

/// The positions that captures decide in some rows of a slice, as frames for each distance.
fn due<G: Grade>(
    layout: Layout,
    rows: &Range<usize>,
    grades: &Grades<G>,
) -> Vec<(u16, (FrameTile, Vec<u8>))> {
    let all: Vec<_> = layout.bands().enumerate().collect();
    let first = rows.start / layout.band_rows();
    let last = rows.end.div_ceil(layout.band_rows());
    let tiles = all[first..last].par_iter().flat_map(|(band, in_band)| {
        let panels = (0..layout.num_segments()).into_par_iter();
        panels.map(move |segment| (*band, in_band.clone(), layout.panel_at(segment, in_band.start)))
    });
    tiles
        .flat_map_iter(|(band, in_band, panel)| {
            let words = layout.panel(panel);
            let mut maps: Vec<Vec<u64>> = Vec::new();
            for row in rows.start.max(in_band.start)..rows.end.min(in_band.end) {
                let place = (row - in_band.start) * words.len();
                let graded = grades.row(row - rows.start);
                let columns = 64 * words.start..graded.len().min(64 * words.end);
                for (i, word) in graded[columns].chunks(64).enumerate() {
                    for (bit, grade) in word.iter().enumerate() {
                        if *grade == G::NONE || *grade == G::DRAW {
                            continue;
                        }
                        let distance = grade.to_code().distance().expect("it is decided");
                        let distance = usize::from(distance);
                        if distance >= maps.len() {
                            maps.resize_with(distance + 1, Vec::new);
                        }
                        let map = &mut maps[distance];
                        if map.is_empty() {
                            map.resize(layout.band_len(panel, band), 0);
                        }
                        map[place + i] |= 1 << bit;
                    }
                }
            }
            let tile = FrameTile { panel: panel as u32, band: band as u32 };
            let frames = (0..)
                .zip(maps)
                .filter_map(move |(distance, map)| Some((distance, (tile, encode(&map)?))));
            frames.collect::<Vec<_>>()
        })
        .collect()
}
