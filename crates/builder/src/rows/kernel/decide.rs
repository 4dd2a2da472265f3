//! Deciding the rows of a slice by captures.

use std::ops::Range;

use fanorona_tablebase::{Result, check_stop};
use rayon::prelude::*;

use super::captures::{self, CaptureBuffers, CaptureRow};
use super::context::SliceContext;
use crate::grade_rows::{GradeRows, optional_rows, with_grades};
use crate::grades::{Grade, Width};
use crate::matrix::Matrix;
use crate::rows::store::{DecidedRows, FrameTile, Frames, KeptSlices, Tiling, encode};

/// Some rows of a slice. A row is an orbit of own sets, a column a set of the opponent.
pub(crate) struct SliceRows {
    pub win: Matrix<u64>,
    pub loss: Matrix<u64>,
    /// Positions that paikas can decide.
    pub open: Matrix<u64>,
    /// Positions that paikas cannot lose, because some capture is not known to lose, or because the
    /// side to move has no turn and that is a draw.
    /// `None` if the rules make no open position safe.
    pub safe: Option<Matrix<u64>>,
    /// Distances, if the build has them.
    pub grades: Option<GradeRows>,
}

impl SliceRows {
    /// Rows without any decided position. Without a width they have no distances.
    pub(crate) fn new(rows: usize, columns: usize, has_safe: bool, width: Option<Width>) -> Self {
        let matrix = || Matrix::new(rows, columns.div_ceil(64));
        let grades = width.map(|width| GradeRows::new(rows, columns, width));
        let safe = has_safe.then(matrix);
        Self { win: matrix(), loss: matrix(), open: matrix(), safe, grades }
    }
}

/// Some rows of a slice without any decided position. Distances have a width that is enough for the
/// values after captures and for distances up to `known`.
pub(crate) fn new_rows(
    context: &SliceContext<'_, '_>,
    solved: &KeptSlices,
    rows: usize,
    known: u16,
) -> SliceRows {
    let columns = context.opponents().count();
    SliceRows::new(rows, columns, context.rule.has_safe(), context.width(solved, known))
}

/// Decides some rows of a slice by captures.
pub(crate) fn decide_rows(
    context: &SliceContext<'_, '_>,
    solved: &KeptSlices,
    SliceRows { win, loss, open, safe, grades }: &mut SliceRows,
    rows: Range<usize>,
) -> Result<()> {
    for left in 1..context.slice.opponent {
        context.find_columns(left).prepare_ranks();
    }
    let (matrices, safe) = ([win, loss, open], safe.as_mut());
    with_grades!(optional grades, grades => {
        decide_with(context, solved, matrices, safe, grades, rows)
    })
}

fn decide_with<G: Grade>(
    context: &SliceContext<'_, '_>,
    solved: &KeptSlices,
    matrices: [&mut Matrix<u64>; 3],
    safe: Option<&mut Matrix<u64>>,
    grades: Option<&mut Matrix<G>>,
    rows: Range<usize>,
) -> Result<()> {
    let build = context.build;
    let (columns, all) = (context.index().columns(), 0..rows.len());
    let words = context.opponents().words();
    let grades = grades.map(|grades| grades.rows_mut(all.clone()));
    let mut grades = optional_rows(grades, context.opponents().count(), rows.len());
    let safe = safe.map(|safe| safe.rows_mut(all.clone()));
    let mut safe = optional_rows(safe, words, rows.len());
    let [win, loss, open] =
        matrices.map(|matrix| matrix.rows_mut(all.clone()).par_chunks_mut(words));
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
            captures::decide(context, solved, own, &mut row, buffers);
            build.progress.advance(columns);
            check_stop(build.stop)
        },
    )
}

/// Rows that captures have decided, as they are stored. Positions that paikas cannot decide are
/// closed: both won and lost.
pub(crate) fn closed(
    context: &SliceContext<'_, '_>,
    decided: SliceRows,
    rows: Range<usize>,
) -> DecidedRows {
    let layout = context.layout;
    let SliceRows { win, loss, open, safe, grades } = decided;
    let [mut win, mut loss, open] = [win, loss, open].map(Matrix::into_data);
    let safe = safe.map(Matrix::into_data).unwrap_or_default();
    let has_plane = layout.planes > 2;
    let all = win.par_iter_mut().zip(&mut loss).zip(&open).enumerate();
    all.for_each(|(i, ((win, loss), open))| {
        // If captures decide, a safe position is one without any turn, and drawn.
        let drawn = if has_plane { 0 } else { safe.get(i).copied().unwrap_or(0) };
        let closed = !(*win | *loss | open & !drawn);
        *win |= closed;
        *loss |= closed;
    });
    let planes = if has_plane { vec![win, loss, safe] } else { vec![win, loss] };
    let due = grades.map(|grades| due(layout, &rows, &grades)).unwrap_or_default();
    DecidedRows { rows, planes, due }
}

/// The positions of some rows that have a distance, as frames for each distance.
pub(crate) fn due(layout: Tiling, rows: &Range<usize>, grades: &GradeRows) -> Frames {
    with_grades!(grades, grades => due_of(layout, rows, grades))
}

fn due_of<G: Grade>(layout: Tiling, rows: &Range<usize>, grades: &Matrix<G>) -> Frames {
    let all: Vec<_> = layout.bands().enumerate().collect();
    let first = rows.start / layout.band_rows;
    let last = rows.end.div_ceil(layout.band_rows);
    let tiles = all[first..last].par_iter().flat_map(|(band, in_band)| {
        let panels = (0..layout.num_segments()).into_par_iter();
        panels.map(move |segment| (*band, in_band.clone(), layout.panel_at(segment, in_band.start)))
    });
    let found = tiles
        .flat_map_iter(|(band, in_band, panel)| {
            let words = layout.panel(panel);
            let mut maps: Vec<Vec<u64>> = Vec::new();
            for row in rows.start.max(in_band.start)..rows.end.min(in_band.end) {
                let begin = (row - in_band.start) * words.len();
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
                        map[begin + i] |= 1 << bit;
                    }
                }
            }
            let tile = FrameTile { panel: panel as u32, band: band as u32 };
            let frames = (0..)
                .zip(maps)
                .filter_map(move |(distance, map)| Some((distance, (tile, encode(&map)?))));
            frames.collect::<Vec<_>>()
        })
        .collect::<Vec<(u16, _)>>();
    let mut due = Frames::new();
    for (distance, frame) in found {
        due.entry(distance).or_default().push(frame);
    }
    due.values_mut().for_each(|frames| frames.sort_unstable_by_key(|(tile, _)| *tile));
    due
}
