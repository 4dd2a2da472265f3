//! How the matrices of a slice in work are cut into panels, stripes, bands and tiles.
//!
//! A *panel* is a range of words of every row, and a *stripe* a few neighbouring panels. A paika
//! keeps the column, so a pass works on one stripe after the other. A *band* is a range of rows. A
//! *tile* is the part of a panel in a range of rows.
//!
//! A word of a row has as many cells as a *group* of rows has rows. So the panels of a slice are
//! ranges of rows of its swapped slice, and a tile of one is a tile of the other, transposed.
//!
//! Each process of a build has some of the stripes: neighbouring ones, in order of processes.
//!
//! All this depends only on the slice and the number of processes, not on memory or threads. With
//! many processes, panels are narrower.

use std::ops::Range;

use crate::builder::ranks::share;

/// The most words of a panel. A pass works on the words of a panel together, so most of them have
/// nothing left to decide in most rounds.
pub(super) const MAX_WIDTH: usize = if cfg!(test) { 2 } else { 64 };

/// The fewest words of a panel, if rows are that long and there are not too many processes: two
/// cache lines.
const MIN_WIDTH: usize = if cfg!(test) { 1 } else { 16 };

/// The panels of a process, if rows are long enough. Fewer would mean that some processes have more
/// work than others.
const PANELS_OF_RANK: usize = 4;

/// The bytes of a panel, if it has more words than [`MIN_WIDTH`].
const PANEL_BYTES: usize = 256 << 20;

/// The bytes of a stripe, if it has more than one panel.
const STRIPE_BYTES: usize = 128 << 20;

/// The bytes of a part of a stripe, if it has more than one panel.
const PART_BYTES: usize = if cfg!(test) { 1 } else { 32 << 20 };

/// The most groups of rows of a band.
const BAND_GROUPS: usize = if cfg!(test) { 2 } else { 8 };

/// The positions of a band, if it has more than one group. Distances are read a band at a time, as
/// a byte per position.
const BAND_POSITIONS: usize = 64 << 20;

/// How the matrices of a slice are cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::builder) struct Layout {
    /// The rows of a group: the cells of a word.
    cells: usize,
    /// The rows, in whole groups.
    rows: usize,
    /// The words of a row.
    words: usize,
    /// The words of a panel. The last one can have fewer.
    width: usize,
    /// The panels of a stripe. The last one can have fewer.
    panels: usize,
    /// The rows of a band. The last one can have fewer.
    band: usize,
    /// The number of matrices.
    planes: usize,
    /// The number of processes.
    ranks: usize,
}

impl Layout {
    /// The layout of some matrices with a row for each of `own` orbits and the columns of
    /// `opponent` orbits, on a board with `order` symmetries, for a number of processes.
    pub(in crate::builder) fn new(
        own: u64,
        opponent: u64,
        order: usize,
        planes: usize,
        ranks: usize,
    ) -> Self {
        let cells = 64 / order;
        let groups = |orbits: u64| orbits.div_ceil(cells as u64) as usize;
        let (rows, words) = (groups(own) * cells, groups(opponent));
        let width = (PANEL_BYTES / (8 * rows)).clamp(MIN_WIDTH, MAX_WIDTH);
        let width = match ranks {
            1 => width,
            _ => width.min(words / (PANELS_OF_RANK * ranks)).max(1),
        };
        let width = words.min(1 << width.ilog2());
        let panels = if cfg!(test) { 2 } else { STRIPE_BYTES / (8 * rows * width) };
        // All processes have about as many panels.
        let all = words.div_ceil(width);
        let stripes_of_rank = all.div_ceil(ranks * panels.max(1));
        let panels = all.div_ceil(ranks * stripes_of_rank);
        let in_band = (BAND_POSITIONS / (64 * words * cells)).clamp(1, BAND_GROUPS);
        Self { cells, rows, words, width, panels, band: in_band * cells, planes, ranks }
    }

    /// The layout of another number of matrices.
    pub(in crate::builder) fn with_planes(self, planes: usize) -> Self {
        Self { planes, ..self }
    }

    /// The layout with panels of another width.
    pub(super) fn with_width(self, width: usize) -> Self {
        Self { width, ..self }
    }

    /// The words of a panel. The last one can have fewer.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The rows, in whole groups. There can be more than orbits.
    pub(in crate::builder) fn rows(&self) -> usize {
        self.rows
    }

    /// The words of a row.
    pub(in crate::builder) fn words(&self) -> usize {
        self.words
    }

    /// The number of matrices.
    pub(super) fn planes(&self) -> usize {
        self.planes
    }

    /// The rows of a group.
    pub(super) fn cells(&self) -> usize {
        self.cells
    }

    /// The rows of a band. The last one can have fewer.
    pub(in crate::builder) fn band_rows(&self) -> usize {
        self.band
    }

    /// The rows of each band.
    pub(super) fn bands(&self) -> impl ExactSizeIterator<Item = Range<usize>> + use<> {
        let (all, rows) = (self.rows, self.band_rows());
        (0..all.div_ceil(rows)).map(move |band| band * rows..all.min((band + 1) * rows))
    }

    /// The number of panels.
    pub(super) fn num_panels(&self) -> usize {
        self.words.div_ceil(self.width)
    }

    /// The words of a panel.
    pub(super) fn panel(&self, panel: usize) -> Range<usize> {
        panel * self.width..self.words.min((panel + 1) * self.width)
    }

    /// The words of some neighbouring panels.
    pub(super) fn words_of(&self, panels: &Range<usize>) -> Range<usize> {
        self.words.min(panels.start * self.width)..self.words.min(panels.end * self.width)
    }

    /// The panels that have some words.
    pub(super) fn panels_with(&self, words: &Range<usize>) -> Range<usize> {
        words.start / self.width..words.end.div_ceil(self.width)
    }

    /// The panel of a word.
    pub(super) fn panel_of(&self, word: usize) -> usize {
        word / self.width
    }

    /// The rows of the swapped slice that the columns of a panel are.
    pub(super) fn swapped_rows(&self, panel: usize) -> Range<usize> {
        let Range { start, end } = self.panel(panel);
        start * self.cells..end * self.cells
    }

    /// The number of stripes.
    pub(in crate::builder) fn num_stripes(&self) -> usize {
        self.num_panels().div_ceil(self.panels)
    }

    /// The panels of a stripe.
    pub(super) fn stripe(&self, stripe: usize) -> Range<usize> {
        stripe * self.panels..self.num_panels().min((stripe + 1) * self.panels)
    }

    /// The most panels of a part.
    fn part_panels(&self) -> usize {
        (PART_BYTES / (8 * self.rows * self.width)).clamp(1, self.panels)
    }

    /// The most parts of a stripe: a few panels that processes send each other together.
    pub(super) fn parts_of_stripe(&self) -> usize {
        self.panels.div_ceil(self.part_panels())
    }

    /// The panels of a part of a stripe.
    pub(super) fn part(&self, stripe: usize, part: usize) -> Range<usize> {
        let Range { start, end } = self.stripe(stripe);
        let panels = self.part_panels();
        end.min(start + part * panels)..end.min(start + (part + 1) * panels)
    }

    /// The bytes of the largest part of one matrix.
    pub(in crate::builder) fn part_bytes(&self) -> u64 {
        8 * (self.rows * self.words.min(self.width * self.part_panels())) as u64
    }

    /// The words of the panels of a stripe.
    pub(super) fn stripe_words(&self, stripe: usize) -> Range<usize> {
        self.words_of(&self.stripe(stripe))
    }

    /// The stripe of a panel.
    pub(super) fn stripe_of(&self, panel: usize) -> usize {
        panel / self.panels
    }

    /// The number of processes.
    pub(super) fn ranks(&self) -> usize {
        self.ranks
    }

    /// The stripes of a process.
    pub(super) fn stripes_of(&self, rank: usize) -> Range<usize> {
        share(self.num_stripes(), rank, self.ranks)
    }

    /// The panels of a process.
    pub(super) fn panels_of(&self, rank: usize) -> Range<usize> {
        let Range { start, end } = self.stripes_of(rank);
        let until = |stripe: usize| self.num_panels().min(stripe * self.panels);
        until(start)..until(end)
    }

    /// The rows of the swapped slice that the columns of a process are.
    pub(super) fn rows_of_rank(&self, rank: usize) -> Range<usize> {
        let Range { start, end } = self.words_of(&self.panels_of(rank));
        start * self.cells..end * self.cells
    }

    /// The most stripes of a process.
    pub(super) fn most_stripes(&self) -> usize {
        self.num_stripes().div_ceil(self.ranks)
    }

    /// The length of a stripe with all matrices, in words.
    pub(in crate::builder) fn stripe_len(&self, stripe: usize) -> usize {
        self.stripe_words(stripe).len() * self.rows * self.planes
    }

    /// Where a tile begins in its stripe, in words.
    ///
    /// A stripe has one panel after the other, a panel one matrix after the other, and these are
    /// row by row. So a tile is contiguous.
    pub(super) fn offset(&self, panel: usize, plane: usize, row: usize) -> usize {
        let before = self.panel(panel).start - self.stripe_words(self.stripe_of(panel)).start;
        let width = self.panel(panel).len();
        self.rows * (before * self.planes + plane * width) + row * width
    }

    /// The words of the tile of a band of a panel.
    pub(super) fn band_len(&self, panel: usize, band: usize) -> usize {
        let rows = self.band_rows().min(self.rows - band * self.band_rows());
        rows * self.panel(panel).len()
    }

    /// The bytes of all matrices.
    pub(in crate::builder) fn bytes(&self) -> u64 {
        8 * self.rows as u64 * self.words as u64 * self.planes as u64
    }

    /// The most bytes that a process has of all matrices.
    pub(in crate::builder) fn rank_bytes(&self) -> u64 {
        let len = |stripe| self.stripe_len(stripe) as u64;
        let of_rank = |rank| 8 * self.stripes_of(rank).map(len).sum::<u64>();
        (0..self.ranks).map(of_rank).max().unwrap_or(0)
    }

    /// The bytes of the largest stripe of one matrix.
    pub(in crate::builder) fn stripe_bytes(&self) -> u64 {
        8 * self.rows as u64 * self.stripe_words(0).len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_fill_their_stripes() {
        for (own, opponent, order, planes) in [(100, 7, 4, 2), (15, 333, 4, 3), (50, 50, 8, 2)] {
            let layout = Layout::new(own, opponent, order, planes, 1);
            let band = layout.band_rows();
            let mut len = vec![0; layout.num_stripes()];
            for panel in 0..layout.num_panels() {
                let stripe = layout.stripe_of(panel);
                assert!(layout.stripe(stripe).contains(&panel));
                for plane in 0..planes {
                    for row in (0..layout.rows()).step_by(band) {
                        assert_eq!(layout.offset(panel, plane, row), len[stripe]);
                        let rows = band.min(layout.rows() - row);
                        len[stripe] += rows * layout.panel(panel).len();
                    }
                }
            }
            let expected: Vec<_> =
                (0..layout.num_stripes()).map(|stripe| layout.stripe_len(stripe)).collect();
            assert_eq!(len, expected);
            assert_eq!(8 * len.iter().sum::<usize>() as u64, layout.bytes());
        }
    }

    #[test]
    fn each_panel_has_one_process() {
        for (own, opponent, ranks) in [(100, 7, 3), (15, 333, 5), (50, 50, 1), (999, 100, 64)] {
            let layout = Layout::new(own, opponent, 4, 2, ranks);
            let panels: Vec<_> = (0..ranks).flat_map(|rank| layout.panels_of(rank)).collect();
            assert_eq!(panels, (0..layout.num_panels()).collect::<Vec<_>>());
            let stripes = (0..ranks).map(|rank| layout.stripes_of(rank));
            for (rank, stripes) in stripes.enumerate() {
                assert!(stripes.len() <= layout.most_stripes());
                let panels: Vec<_> = stripes.flat_map(|stripe| layout.stripe(stripe)).collect();
                assert_eq!(panels, layout.panels_of(rank).collect::<Vec<_>>());
            }
        }
    }
}
