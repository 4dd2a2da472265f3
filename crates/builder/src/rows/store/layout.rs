//! How the matrices of a slice in work are cut. `docs/BUILDING.md` defines the words, with a picture.
//!
//! Each process of a build has some of the panels. If there are enough segments, panels have all
//! rows, and a process has one of as many neighbouring segments as there are processes, so that all
//! have about as much work. With fewer segments, several processes have some of the rows of each.
//! No process has two panels of a segment. Panels are numbered process by process, and those of a
//! process by their words. The stripes are those of the first process, then those of the second, and
//! so on.
//!
//! All this depends only on the slice and the number of processes, not on memory or threads. With
//! many processes, panels are narrower.

use std::ops::Range;

use crate::sizes::Sizes;

/// The most words of a panel of any layout.
pub(crate) const MAX_WIDTH: usize = Sizes::USUAL.max_width;

/// The panels of a process, if rows are long enough. Fewer would mean that some processes have more
/// work than others.
const PANELS_OF_PROCESS: usize = 4;

/// The rows of a segment are divided if some process would have more than this many eighths of the
/// mean work.
const MOST_EIGHTHS: usize = 9;

/// The most processes of a checkpoint.
pub(crate) const MAX_PROCESSES: usize = 1 << 20;

/// The bytes of a segment of all rows, if it has more words than the fewest.
const PANEL_BYTES: usize = 256 << 20;

/// The bytes of a stripe, if it has more than one panel. Several processes send each other what passes
/// over it read.
const STRIPE_BYTES: usize = 128 << 20;
const SHARED_STRIPE_BYTES: usize = 32 << 20;

/// The positions of a band, if it has more than one row group. Distances are read a band at a time, as
/// a byte per position.
const BAND_POSITIONS: usize = 64 << 20;

/// How the matrices of a slice are cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tiling {
    pub sizes: &'static Sizes,
    /// The rows of a row group: the cells of a word.
    pub cells: usize,
    /// The rows, in whole row groups. There can be more than orbits.
    pub rows: usize,
    pub words: usize,
    /// The words of a segment. The last one can have fewer.
    pub width: usize,
    /// The rows of a band. The last one can have fewer.
    pub band_rows: usize,
    /// The rows of a panel: whole bands. The last one of a segment can have fewer.
    panel_rows: usize,
    /// The panels of a stripe. The last one of a process can have fewer.
    panels: usize,
    /// The most stripes of a process.
    pub stripes: usize,
    /// The number of processes.
    pub processes: usize,
    pub planes: usize,
    /// Whether panels keep all rows of their segments.
    has_all_rows: bool,
}

/// The bands of a panel such that all processes have about as much work, given the bands of a
/// segment. No segment is divided into more panels than there are processes.
fn bands_of_panel(all: usize, segments: usize, processes: usize) -> usize {
    let choices = (1..=processes.min(all)).map(|panels| all.div_ceil(panels));
    // The bands of the busiest process.
    let most = |bands: usize| (segments * all.div_ceil(bands)).div_ceil(processes) * bands;
    let is_even = |bands: &usize| 8 * processes * most(*bands) <= MOST_EIGHTHS * segments * all;
    let even = choices.clone().find(is_even);
    even.or(choices.min_by_key(|bands| most(*bands))).unwrap_or(1)
}

impl Tiling {
    /// The layout of some matrices with a row for each of `own` orbits and the columns of
    /// `opponent` orbits, on a board with `order` symmetries, for a number of processes.
    pub(crate) fn new(
        sizes: &'static Sizes,
        [own, opponent]: [u64; 2],
        order: usize,
        planes: usize,
        processes: usize,
    ) -> Self {
        let cells = 64 / order;
        let row_groups = |orbits: u64| orbits.div_ceil(cells as u64) as usize;
        Self::of_size(
            sizes,
            cells,
            [row_groups(own) * cells, row_groups(opponent)],
            planes,
            processes,
        )
    }

    fn of_size(
        sizes: &'static Sizes,
        cells: usize,
        [rows, words]: [usize; 2],
        planes: usize,
        processes: usize,
    ) -> Self {
        let &Sizes { min_width, max_width, band_row_groups, stripe_panels, .. } = sizes;
        let width = (PANEL_BYTES / (8 * rows)).clamp(min_width, max_width);
        let width = match processes {
            1 => width,
            // Not a second segment with few words.
            _ if words < 2 * min_width => max_width,
            _ => width.min(words / (PANELS_OF_PROCESS * processes)).max(min_width),
        };
        let width = words.min(1 << width.ilog2());
        let segments = words.div_ceil(width);
        let band_rows = cells * (BAND_POSITIONS / (64 * words * cells)).clamp(1, band_row_groups);
        let bands = rows.div_ceil(band_rows);
        let in_panel = bands_of_panel(bands, segments, processes);
        let most = (segments * bands.div_ceil(in_panel)).div_ceil(processes);
        let stripe_bytes = if processes == 1 { STRIPE_BYTES } else { SHARED_STRIPE_BYTES };
        let panels = (stripe_bytes / (8 * rows * width)).clamp(1, stripe_panels);
        let stripes = most.div_ceil(panels);
        let panels = most.div_ceil(stripes);
        let (panel_rows, has_all_rows) = (rows.min(in_panel * band_rows), false);
        Self {
            sizes,
            cells,
            rows,
            words,
            width,
            band_rows,
            panel_rows,
            panels,
            stripes,
            processes,
            planes,
            has_all_rows,
        }
    }

    /// The layout for another number of processes. It has the same bands.
    pub(crate) fn for_processes(self, processes: usize) -> Self {
        Self::of_size(self.sizes, self.cells, [self.rows, self.words], self.planes, processes)
    }

    /// The layout of a number of matrices.
    pub(crate) fn with_planes(self, planes: usize) -> Self {
        Self { planes, ..self }
    }

    /// The layout of what passes read: wins and losses of all rows of each segment.
    pub(crate) fn of_after(self) -> Self {
        Self { has_all_rows: true, ..self.with_planes(2) }
    }

    /// The number of rows that are decided or read together.
    pub(crate) fn rows_together(&self) -> usize {
        (self.sizes.rows / (8 * self.words)).max(1)
    }

    pub(crate) fn bands(&self) -> impl ExactSizeIterator<Item = Range<usize>> + use<> {
        let (all, rows) = (self.rows, self.band_rows);
        (0..all.div_ceil(rows)).map(move |band| band * rows..all.min((band + 1) * rows))
    }

    pub(crate) fn num_segments(&self) -> usize {
        self.words.div_ceil(self.width)
    }

    pub(crate) fn segment(&self, segment: usize) -> Range<usize> {
        segment * self.width..self.words.min((segment + 1) * self.width)
    }

    pub(crate) fn segment_of_word(&self, word: usize) -> usize {
        word / self.width
    }

    /// The rows of the swapped slice that the columns of a segment are.
    pub(crate) fn swapped_rows(&self, segment: usize) -> Range<usize> {
        let Range { start, end } = self.segment(segment);
        start * self.cells..end * self.cells
    }

    /// The rows of a frame of the swapped slice: a quarter of those that a pass reads together, so
    /// that a frame stays in the cache of a processor while it is packed.
    pub(crate) fn swapped_frame_rows(&self) -> usize {
        self.swapped_rows(0).len().div_ceil(4)
    }

    fn panels_of_segment(&self) -> usize {
        self.rows.div_ceil(self.panel_rows)
    }

    pub(crate) fn num_panels(&self) -> usize {
        self.num_segments() * self.panels_of_segment()
    }

    /// The segment of a panel, and which part of its rows the panel has.
    ///
    /// The processes take one panel after the other in turn, segment by segment. Each segment begins
    /// with other rows, so that no process has the same rows of all.
    fn segment_and_part(&self, panel: usize) -> (usize, usize) {
        let process = self.process_of(panel);
        let turn = process + (panel - self.first_panel(process)) * self.processes;
        let panels = self.panels_of_segment();
        let (segment, part) = (turn / panels, turn % panels);
        (segment, (part + segment) % panels)
    }

    pub(crate) fn panel_at(&self, segment: usize, row: usize) -> usize {
        let panels = self.panels_of_segment();
        let part = (row / self.panel_rows + panels - segment % panels) % panels;
        let turn = segment * panels + part;
        self.first_panel(turn % self.processes) + turn / self.processes
    }

    pub(crate) fn segment_of(&self, panel: usize) -> usize {
        self.segment_and_part(panel).0
    }

    pub(crate) fn panel(&self, panel: usize) -> Range<usize> {
        self.segment(self.segment_of(panel))
    }

    /// The rows of a panel: whole bands.
    pub(crate) fn rows_of(&self, panel: usize) -> Range<usize> {
        if self.has_all_rows {
            return 0..self.rows;
        }
        let (_, part) = self.segment_and_part(panel);
        part * self.panel_rows..self.rows.min((part + 1) * self.panel_rows)
    }

    pub(crate) fn rows_in(&self, panel: usize, rows: &Range<usize>) -> Range<usize> {
        let of_panel = self.rows_of(panel);
        let start = of_panel.start.max(rows.start);
        start..of_panel.end.min(rows.end).max(start)
    }

    /// The panels that have something of some words and rows, in the order of words.
    pub(crate) fn panels_with(
        &self,
        words: &Range<usize>,
        rows: &Range<usize>,
    ) -> impl Iterator<Item = usize> + use<> {
        let (layout, first) = (*self, rows.start / self.panel_rows);
        let parts = first..rows.end.div_ceil(self.panel_rows).max(first);
        let segments = words.start / self.width..words.end.div_ceil(self.width);
        segments.flat_map(move |segment| {
            let rows = parts.clone().map(move |part| part * layout.panel_rows);
            rows.map(move |row| layout.panel_at(segment, row))
        })
    }

    /// The number of words in a row of each of some neighbouring panels of a process, together.
    pub(crate) fn words_of(&self, panels: &Range<usize>) -> usize {
        match panels.clone().last() {
            // Only the last one can have fewer.
            Some(last) => (panels.len() - 1) * self.width + self.panel(last).len(),
            None => 0,
        }
    }

    fn first_panel(&self, process: usize) -> usize {
        let (processes, panels) = (self.processes, self.num_panels());
        process * (panels / processes) + process.min(panels % processes)
    }

    fn process_of(&self, panel: usize) -> usize {
        let (processes, panels) = (self.processes, self.num_panels());
        let (fewest, more) = (panels / processes, panels % processes);
        match panel.checked_sub(more * (fewest + 1)) {
            Some(rest) => more + rest / fewest,
            None => panel / (fewest + 1),
        }
    }

    /// The number of stripes. Some processes can have empty ones.
    pub(crate) fn num_stripes(&self) -> usize {
        self.processes * self.stripes
    }

    pub(crate) fn stripe(&self, stripe: usize) -> Range<usize> {
        let Range { start, end } = self.panels_of(stripe / self.stripes);
        let index = stripe % self.stripes;
        end.min(start + index * self.panels)..end.min(start + (index + 1) * self.panels)
    }

    pub(crate) fn stripe_of(&self, panel: usize) -> usize {
        let process = self.process_of(panel);
        process * self.stripes + (panel - self.first_panel(process)) / self.panels
    }

    pub(crate) fn stripes_of(&self, process: usize) -> Range<usize> {
        let first = process * self.stripes;
        first..first + self.panels_of(process).len().div_ceil(self.panels)
    }

    pub(crate) fn panels_of(&self, process: usize) -> Range<usize> {
        self.first_panel(process)..self.first_panel(process + 1)
    }

    /// The length of a stripe with all matrices, in words.
    pub(crate) fn stripe_len(&self, stripe: usize) -> usize {
        match self.stripe(stripe).last() {
            Some(last) => self.begin(last) + self.panel_len(last),
            None => 0,
        }
    }

    /// The words of all matrices of a panel.
    fn panel_len(&self, panel: usize) -> usize {
        self.panel(panel).len() * self.rows_of(panel).len() * self.planes
    }

    /// The words of a stripe that each panel takes. The last one can take fewer.
    pub(crate) fn panel_room(&self) -> usize {
        let rows = if self.has_all_rows { self.rows } else { self.panel_rows };
        self.width * rows * self.planes
    }

    /// Where a panel begins in its stripe, in words.
    fn begin(&self, panel: usize) -> usize {
        (panel - self.stripe(self.stripe_of(panel)).start) * self.panel_room()
    }

    /// Where a tile begins in its stripe, in words.
    ///
    /// A stripe has one panel after the other, a panel one matrix after the other, and these are
    /// row by row. So a tile is contiguous.
    pub(crate) fn offset(&self, panel: usize, plane: usize, row: usize) -> usize {
        let (rows, width) = (self.rows_of(panel), self.panel(panel).len());
        self.begin(panel) + (plane * rows.len() + row - rows.start) * width
    }

    /// The words of the tile of a band of a panel.
    pub(crate) fn band_len(&self, panel: usize, band: usize) -> usize {
        let rows = self.band_rows.min(self.rows - band * self.band_rows);
        rows * self.panel(panel).len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        8 * self.rows as u64 * self.words as u64 * self.planes as u64
    }

    /// The most bytes that a process has of all matrices.
    pub(crate) fn process_bytes(&self) -> u64 {
        // The largest boards have more stripes than there is time to visit.
        if self.processes == 1 {
            return self.bytes();
        }
        let bytes = (0..self.processes).map(|process| {
            let stripes = self.stripes_of(process);
            8 * stripes.map(|stripe| self.stripe_len(stripe) as u64).sum::<u64>()
        });
        bytes.max().unwrap_or(0)
    }

    pub(crate) fn stripe_bytes(&self) -> u64 {
        let rows = self.panel_room() / self.width;
        8 * (rows * self.words.min(self.width * self.panels)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_position_has_one_process() {
        let sizes = [(100, 7, 3), (15, 333, 5), (50, 50, 1), (999, 100, 64), (9999, 9, 4)];
        for (own, opponent, processes) in sizes {
            let layout = Tiling::new(&Sizes::SMALL, [own, opponent], 4, 2, processes);
            let panels: Vec<_> =
                (0..processes).flat_map(|process| layout.panels_of(process)).collect();
            assert_eq!(panels, (0..layout.num_panels()).collect::<Vec<_>>());
            let mut panel_of = vec![None; layout.words * layout.rows];
            for panel in panels {
                let (rows, words) = (layout.rows_of(panel), layout.panel(panel));
                assert_eq!(layout.segment_of(panel), layout.segment_of_word(words.start));
                assert!(rows.start.is_multiple_of(layout.band_rows) && !rows.is_empty());
                for row in rows.clone() {
                    for word in words.clone() {
                        assert_eq!(layout.panel_at(layout.segment_of_word(word), row), panel);
                        assert_eq!(panel_of[row * layout.words + word].replace(panel), None);
                    }
                }
                assert!(layout.panels_with(&words, &rows).eq([panel]));
            }
            assert!(panel_of.iter().all(Option::is_some));
            let all = layout.panels_with(&(0..layout.words), &(0..layout.rows));
            assert_eq!(all.count(), layout.num_panels());
            for process in 0..processes {
                let stripes = layout.stripes_of(process);
                assert!(stripes.len() <= layout.stripes);
                let panels: Vec<_> = stripes.flat_map(|stripe| layout.stripe(stripe)).collect();
                assert_eq!(panels, layout.panels_of(process).collect::<Vec<_>>());
                let mut segments: Vec<_> = panels.iter().map(|p| layout.segment_of(*p)).collect();
                segments.dedup();
                assert_eq!(segments.len(), panels.len(), "a process reads a segment once");
            }
        }
    }

    /// Slices with few segments are divided by rows, the others are not.
    #[test]
    fn all_processes_have_about_as_much() {
        let slices = [[500_000, 10], [500_000, 250], [40_000, 3600], [3600, 40_000]];
        for (slice, processes) in
            slices.into_iter().flat_map(|slice| [2, 4, 64, 100].map(|processes| (slice, processes)))
        {
            for sizes in [&Sizes::USUAL, &Sizes::SMALL] {
                let layout = Tiling::new(sizes, slice, 4, 1, processes);
                let mean = layout.bytes() / processes as u64;
                let greatest = layout.process_bytes();
                assert!(8 * greatest <= 10 * mean, "{slice:?} {processes}: {greatest} {mean}");
            }
        }
        for sizes in [&Sizes::USUAL, &Sizes::SMALL] {
            let layout = Tiling::new(sizes, [500_000, 10], 4, 1, 3);
            assert_eq!(layout.of_after().process_bytes(), 2 * layout.bytes());
            let panels = Tiling::new(sizes, [3600, 40_000], 4, 1, 3);
            assert_eq!(panels.num_panels(), panels.num_segments());
        }
    }
}
