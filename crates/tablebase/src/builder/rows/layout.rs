//! How the matrices of a slice in work are cut into panels, stripes, bands and tiles.
//!
//! A *panel* is a range of words of every row, and a *stripe* a few neighbouring panels. A paika
//! keeps the column, so a pass works on one stripe after the other. A *band* is a range of rows. A
//! *tile* is the part of a panel in a range of rows.
//!
//! A word of a row has as many cells as a *group* of rows has rows. So the panels of a slice are
//! ranges of rows of its swapped slice, and a tile of one is a tile of the other, transposed.
//!
//! Each process of a build has some of the panels: one of as many neighbouring panels as there are
//! processes, so that all have about as much work. Panels are numbered process by process, and those
//! of a process by their words. The stripes are those of the first process, then those of the
//! second, and so on.
//!
//! All this depends only on the slice and the number of processes, not on memory or threads. With
//! many processes, panels are narrower.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The most words of a panel. A pass works on the words of a panel together, so most of them have
/// nothing left to decide in most rounds.
pub(super) const MAX_WIDTH: usize = if cfg!(test) { 2 } else { 64 };

/// The fewest words of a panel, if rows are that long: two cache lines. With fewer, most of a pass
/// would be what it does for each row, which every process would repeat for its panels.
const MIN_WIDTH: usize = if cfg!(test) { 1 } else { 16 };

/// The panels of a process, if rows are long enough. Fewer would mean that some processes have more
/// work than others.
const PANELS_OF_RANK: usize = 4;

/// The most processes.
const MAX_RANKS: usize = 1 << 24;

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
    cut: Cut,
    /// The panels of a stripe. The last one of a process can have fewer.
    panels: usize,
    /// The most stripes of a process.
    stripes: usize,
    /// The rows of a band. The last one can have fewer.
    band: usize,
    /// The number of matrices.
    planes: usize,
}

/// How the rows of a matrix are cut into panels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(in crate::builder) struct Cut {
    /// The words of a panel. The last one can have fewer.
    width: usize,
    /// The number of processes.
    ranks: usize,
}

impl Cut {
    /// Whether a layout can have it.
    pub(super) fn is_possible(self) -> bool {
        (1..=MAX_WIDTH).contains(&self.width) && (1..=MAX_RANKS).contains(&self.ranks)
    }
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
            _ => width.min(words / (PANELS_OF_RANK * ranks)).max(MIN_WIDTH),
        };
        let width = words.min(1 << width.ilog2());
        let panels = if cfg!(test) { 2 } else { STRIPE_BYTES / (8 * rows * width) };
        let most = words.div_ceil(width).div_ceil(ranks);
        let stripes = most.div_ceil(panels.max(1));
        let panels = most.div_ceil(stripes);
        let in_band = (BAND_POSITIONS / (64 * words * cells)).clamp(1, BAND_GROUPS);
        let cut = Cut { width, ranks };
        Self { cells, rows, words, cut, panels, stripes, band: in_band * cells, planes }
    }

    /// The layout of another number of matrices.
    pub(in crate::builder) fn with_planes(self, planes: usize) -> Self {
        Self { planes, ..self }
    }

    /// How rows are cut into panels.
    pub(super) fn cut(&self) -> Cut {
        self.cut
    }

    /// The layout with other panels. It has the same bands; its stripes have no meaning.
    pub(super) fn with_cut(self, cut: Cut) -> Self {
        Self { cut, ..self }
    }

    /// The words of a panel. The last one can have fewer.
    pub(super) fn width(&self) -> usize {
        self.cut.width
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
        self.words.div_ceil(self.width())
    }

    /// The words of a panel.
    pub(super) fn panel(&self, panel: usize) -> Range<usize> {
        let (rank, width) = (self.rank_of(panel), self.width());
        let first = (self.num_panels() + rank) % self.ranks();
        let place = first + (panel - self.first_panel(rank)) * self.ranks();
        place * width..self.words.min((place + 1) * width)
    }

    /// The panel at a place in the order of words. The last one is also the last one in the order of
    /// processes.
    pub(super) fn panel_at(&self, place: usize) -> usize {
        let (ranks, panels) = (self.ranks(), self.num_panels());
        let rank = (place % ranks + ranks - panels % ranks) % ranks;
        self.first_panel(rank) + place / ranks
    }

    /// The panel of a word.
    pub(super) fn panel_of(&self, word: usize) -> usize {
        self.panel_at(word / self.width())
    }

    /// The panels that have some words, in the order of words.
    pub(super) fn panels_with(&self, words: &Range<usize>) -> impl Iterator<Item = usize> {
        let layout = *self;
        let places = words.start / self.width()..words.end.div_ceil(self.width());
        places.map(move |place| layout.panel_at(place))
    }

    /// The number of words of some neighbouring panels.
    pub(super) fn words_of(&self, panels: &Range<usize>) -> usize {
        let past_the_end = match panels.end == self.num_panels() && !panels.is_empty() {
            true => self.num_panels() * self.width() - self.words,
            false => 0,
        };
        panels.len() * self.width() - past_the_end
    }

    /// The number of processes that have fewer panels than the others, and how many these have.
    fn fewest(&self) -> (usize, usize) {
        let (ranks, panels) = (self.ranks(), self.num_panels());
        (ranks - panels % ranks, panels / ranks)
    }

    /// The first panel of a process.
    fn first_panel(&self, rank: usize) -> usize {
        let (fewer, panels) = self.fewest();
        rank * panels + rank.saturating_sub(fewer)
    }

    /// The process of a panel.
    fn rank_of(&self, panel: usize) -> usize {
        let (fewer, panels) = self.fewest();
        match panel.checked_sub(fewer * panels) {
            Some(rest) => fewer + rest / (panels + 1),
            None => panel / panels,
        }
    }

    /// The rows of the swapped slice that the columns of a panel are.
    pub(super) fn swapped_rows(&self, panel: usize) -> Range<usize> {
        let Range { start, end } = self.panel(panel);
        start * self.cells..end * self.cells
    }

    /// The number of stripes. Some processes can have empty ones.
    pub(in crate::builder) fn num_stripes(&self) -> usize {
        self.ranks() * self.stripes
    }

    /// The panels of a stripe.
    pub(super) fn stripe(&self, stripe: usize) -> Range<usize> {
        let Range { start, end } = self.panels_of(stripe / self.stripes);
        let place = stripe % self.stripes;
        end.min(start + place * self.panels)..end.min(start + (place + 1) * self.panels)
    }

    /// The most panels of a part.
    fn part_panels(&self) -> usize {
        (PART_BYTES / (8 * self.rows * self.width())).clamp(1, self.panels)
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
        8 * (self.rows * self.words.min(self.width() * self.part_panels())) as u64
    }

    /// The stripe of a panel.
    pub(super) fn stripe_of(&self, panel: usize) -> usize {
        let rank = self.rank_of(panel);
        rank * self.stripes + (panel - self.first_panel(rank)) / self.panels
    }

    /// The number of processes.
    pub(super) fn ranks(&self) -> usize {
        self.cut.ranks
    }

    /// The stripes of a process.
    pub(super) fn stripes_of(&self, rank: usize) -> Range<usize> {
        let first = rank * self.stripes;
        first..first + self.panels_of(rank).len().div_ceil(self.panels)
    }

    /// The panels of a process.
    pub(super) fn panels_of(&self, rank: usize) -> Range<usize> {
        self.first_panel(rank)..self.first_panel(rank + 1)
    }

    /// The most stripes of a process.
    pub(super) fn most_stripes(&self) -> usize {
        self.stripes
    }

    /// The most panels of a process.
    pub(super) fn most_panels(&self) -> usize {
        self.num_panels().div_ceil(self.ranks())
    }

    /// The length of a stripe with all matrices, in words.
    pub(in crate::builder) fn stripe_len(&self, stripe: usize) -> usize {
        self.words_of(&self.stripe(stripe)) * self.rows * self.planes
    }

    /// Where a tile begins in its stripe, in words.
    ///
    /// A stripe has one panel after the other, a panel one matrix after the other, and these are
    /// row by row. So a tile is contiguous.
    pub(super) fn offset(&self, panel: usize, plane: usize, row: usize) -> usize {
        let before = (panel - self.stripe(self.stripe_of(panel)).start) * self.width();
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
        let words = (0..self.ranks()).map(|rank| self.words_of(&self.panels_of(rank)));
        8 * words.max().unwrap_or(0) as u64 * (self.rows * self.planes) as u64
    }

    /// The bytes of the largest stripe of one matrix.
    pub(in crate::builder) fn stripe_bytes(&self) -> u64 {
        8 * (self.rows * self.words.min(self.width() * self.panels)) as u64
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
            assert!((0..ranks).all(|rank| layout.panels_of(rank).len() <= layout.most_panels()));
            let mut rank_of = vec![None; layout.words()];
            for panel in panels {
                let rank = (0..ranks).find(|rank| layout.panels_of(*rank).contains(&panel));
                for word in layout.panel(panel) {
                    assert_eq!((layout.panel_of(word), rank_of[word]), (panel, None));
                    rank_of[word] = rank;
                }
            }
            // Neighbouring panels are those of different processes.
            for place in 0..layout.num_panels() - 1 {
                let [rank, next] = [place, place + 1].map(|place| rank_of[place * layout.width()]);
                assert!(ranks == 1 || rank != next);
            }
            let stripes = (0..ranks).map(|rank| layout.stripes_of(rank));
            for (rank, stripes) in stripes.enumerate() {
                assert!(stripes.len() <= layout.most_stripes());
                let panels: Vec<_> = stripes.flat_map(|stripe| layout.stripe(stripe)).collect();
                assert_eq!(panels, layout.panels_of(rank).collect::<Vec<_>>());
            }
        }
    }
}
