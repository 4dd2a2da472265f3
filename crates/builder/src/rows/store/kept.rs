//! Solved slices without distances, as captures need them: in memory, or packed in a file.

use std::path::Path;
use std::sync::Arc;

use fanorona_storage::{ScratchFile, ScratchMap};
use fanorona_tablebase::{Result, Slice};
use rayon::prelude::*;

use super::packed::{Form, Overlap, Overlaps, PADDING, pack, unpack};
use crate::solved::{SolvedSlice, SolvedSlices};

/// A solved slice that is kept for larger ones.
pub(crate) type KeptSlice = SolvedSlice<KeptRows>;

pub(crate) type KeptSlices = SolvedSlices<KeptRows>;

/// The fewest words of rows that are packed. Where shorter ones are in a file would take more memory
/// than they do.
pub(crate) const MIN_PACKED_WORDS: usize = 2;

/// One matrix of a solved slice.
pub(crate) struct KeptRows {
    words: usize,
    rows: Rows,
}

enum Rows {
    Words(Vec<u64>),
    Packed(PackedRows),
}

/// Packed rows in a file, which is mapped: the system keeps as much of it in memory as there is room
/// for. They can be copied to memory.
struct PackedRows {
    file: Option<ScratchMap>,
    copy: Option<Vec<u8>>,
    /// Where each row begins, and where the last one ends.
    starts: Vec<u64>,
    forms: Vec<Form>,
    overlaps: Arc<Overlaps>,
}

impl PackedRows {
    fn bytes(&self) -> &[u8] {
        let file = self.file.as_deref();
        self.copy.as_deref().or(file).expect("there is a copy if the file was removed")
    }

    fn unpack(&self, row: usize, to: &mut [u64]) {
        let [start, end] = [row, row + 1].map(|row| self.starts[row] as usize);
        let overlap = Overlap { overlaps: &self.overlaps, first: row, words: 0..to.len() };
        unpack(self.forms[row], &self.bytes()[start..end + PADDING], Some(&overlap), to);
    }
}

impl KeptRows {
    /// A row, if need be in `buffer`.
    #[inline]
    pub(crate) fn row<'r>(&'r self, row: usize, buffer: &'r mut Vec<u64>) -> &'r [u64] {
        match &self.rows {
            Rows::Words(all) => &all[row * self.words..][..self.words],
            Rows::Packed(packed) => {
                buffer.resize(self.words, 0);
                packed.unpack(row, buffer);
                buffer
            }
        }
    }

    fn packed(&mut self) -> Option<&mut PackedRows> {
        match &mut self.rows {
            Rows::Words(_) => None,
            Rows::Packed(packed) => Some(packed),
        }
    }
}

/// Copies slices in files that captures need into memory, small ones first, as many as some bytes
/// allow. The smaller a slice, the more often each byte of it is read. The files of those that will not
/// be needed `later` are removed.
pub(crate) fn copy_to_memory(
    kept: &mut KeptSlices,
    mut memory: u64,
    is_read: impl Fn(Slice) -> bool,
    later: impl Fn(Slice) -> bool,
) {
    let mut found = Vec::new();
    for (slice, values) in kept.iter_mut().filter(|(slice, _)| is_read(**slice)) {
        let SolvedSlice::Values { win, loss } = values else { continue };
        let packed = [win, loss].into_iter().filter_map(KeptRows::packed).collect::<Vec<_>>();
        let bytes: usize = packed.iter().map(|packed| packed.bytes().len()).sum();
        found.push((bytes as u64, *slice, packed));
    }
    found.sort_by_key(|(bytes, slice, _)| (*bytes, *slice));
    for (bytes, slice, packed) in found {
        if bytes > memory {
            break;
        }
        memory -= bytes;
        for packed in packed {
            packed.copy = Some(packed.bytes().to_vec());
            packed.file = packed.file.take().filter(|_| later(slice));
        }
    }
}

/// Removes copies in memory of what is in a file.
pub(crate) fn remove_copies(kept: &mut KeptSlices) {
    for values in kept.values_mut() {
        let SolvedSlice::Values { win, loss } = values else { continue };
        for packed in [win, loss].into_iter().filter_map(KeptRows::packed) {
            packed.copy = packed.copy.take().filter(|_| packed.file.is_none());
        }
    }
}

/// Collects the rows of a matrix.
pub(crate) struct KeptWriter {
    words: usize,
    rows: Vec<u64>,
    file: Option<PackedWriter>,
}

struct PackedWriter {
    file: ScratchFile,
    starts: Vec<u64>,
    forms: Vec<Form>,
    overlaps: Arc<Overlaps>,
}

impl KeptWriter {
    /// No rows yet. If there are a directory and overlaps, the rows are packed in a file there.
    pub(crate) fn new(words: usize, packed: Option<(&Path, &Arc<Overlaps>)>) -> Result<Self> {
        let file = packed.map(|(scratch_dir, overlaps)| -> Result<_> {
            let (file, overlaps) = (ScratchFile::create(scratch_dir)?, Arc::clone(overlaps));
            Ok(PackedWriter { file, starts: vec![0], forms: Vec::new(), overlaps })
        });
        Ok(Self { words, rows: Vec::new(), file: file.transpose()? })
    }

    /// Adds the next rows. What is left in `rows` need not be zero. If they go to memory, they are all
    /// rows.
    pub(crate) fn add(&mut self, rows: &mut Vec<u64>) -> Result<()> {
        let Some(PackedWriter { file, starts, forms, overlaps }) = &mut self.file else {
            self.rows = std::mem::take(rows);
            return Ok(());
        };
        let (first, words) = (forms.len(), self.words);
        let packed = rows.par_chunks(words).enumerate().map(|(i, row)| {
            pack(row, Some(&Overlap { overlaps, first: first + i, words: 0..words }))
        });
        let mut all = Vec::new();
        let begin = starts[first];
        for (form, bytes) in packed.collect::<Vec<_>>() {
            all.extend(bytes);
            forms.push(form);
            starts.push(begin + all.len() as u64);
        }
        Ok(file.write(begin, &all)?)
    }

    pub(crate) fn finish(self) -> Result<KeptRows> {
        let Self { words, rows, file } = self;
        let Some(PackedWriter { file, starts, forms, overlaps }) = file else {
            return Ok(KeptRows { words, rows: Rows::Words(rows) });
        };
        let end = *starts.last().expect("where the first row begins");
        file.extend(end + PADDING as u64)?;
        let file = Some(file.map()?);
        let packed = PackedRows { file, copy: None, starts, forms, overlaps };
        Ok(KeptRows { words, rows: Rows::Packed(packed) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::packed::tests::overlaps;
    use super::*;

    /// Rows are the same in memory, in a file, and copied from it.
    #[test]
    fn rows_are_kept_as_they_were() {
        let dir = fanorona_tests::directory().unwrap();
        let (words, rows) = (5, 30);
        let overlaps = Arc::new(overlaps(rows, words));
        let all: Vec<_> = (0..words * rows).map(|i| (i as u64) << (i % 50)).collect();
        let written = |packed, together: usize| {
            let mut writer = KeptWriter::new(words, packed).unwrap();
            all.chunks(together * words).for_each(|rows| writer.add(&mut rows.to_vec()).unwrap());
            writer.finish().unwrap()
        };
        let assert_same = |kept: &KeptRows| {
            let mut buffer = vec![7; 3];
            for (row, expected) in all.chunks(words).enumerate() {
                assert_eq!(kept.row(row, &mut buffer), expected);
            }
        };
        let packed = || written(Some((dir.path(), &overlaps)), 7);
        assert_same(&written(None, rows));
        assert_same(&packed());
        let slice = |name: &str| name.parse::<Slice>().unwrap();
        let pairs = ["3v2", "2v2", "1v2"]
            .map(|name| (slice(name), SolvedSlice::Values { win: packed(), loss: packed() }));
        let mut kept = KeptSlices::from(pairs);
        let bytes = |kept: &mut KeptSlices| {
            let (_, loss) = kept[&slice("3v2")].values();
            let Rows::Packed(packed) = &loss.rows else { panic!("they are in a file") };
            packed.bytes().len() as u64
        };
        let bytes = bytes(&mut kept);
        copy_to_memory(
            &mut kept,
            5 * bytes,
            |after| after != slice("3v2"),
            |after| after == slice("1v2"),
        );
        let places = |kept: &mut KeptSlices| {
            ["3v2", "2v2", "1v2"].map(|name| {
                let Some(SolvedSlice::Values { win, loss }) = kept.get_mut(&slice(name)) else {
                    return [false; 2];
                };
                [&*win, loss].iter().for_each(|rows| assert_same(rows));
                let packed = win.packed().expect("they are packed");
                [packed.copy.is_some(), packed.file.is_some()]
            })
        };
        assert_eq!(places(&mut kept), [[false, true], [true, false], [true, true]]);
        remove_copies(&mut kept);
        assert_eq!(places(&mut kept), [[false, true], [true, false], [false, true]]);
        kept.remove(&slice("2v2"));
        // Only the first one fits.
        copy_to_memory(&mut kept, 3 * bytes, |_| true, |_| true);
        assert_eq!(places(&mut kept), [[false, true], [false; 2], [true, true]]);
    }
}
