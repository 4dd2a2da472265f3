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
pub(crate) type KeptRows = Kept<Place>;

/// Collects the rows of a matrix.
pub(crate) type KeptWriter = Kept<ScratchFile>;

/// RowData, which are at a place `P` if they are packed.
pub(crate) struct Kept<P> {
    words: usize,
    rows: RowData<P>,
}

enum RowData<P> {
    Words(Vec<u64>),
    Packed(PackedRows<P>),
}

struct PackedRows<P> {
    place: P,
    /// Where each row begins, and where the last one ends.
    starts: Vec<u64>,
    forms: Vec<Form>,
    overlaps: Arc<Overlaps>,
}

/// Where packed rows are.
pub(crate) enum Place {
    /// In a file, which is mapped: the system keeps as much of it in memory as there is room for.
    File(ScratchMap),
    /// Copied to memory. The file stays if it is needed later.
    Memory(Vec<u8>, Option<ScratchMap>),
}

impl Place {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::File(file) => file,
            Self::Memory(copy, _) => copy,
        }
    }

    fn copy_to_memory(&mut self, is_needed_later: bool) {
        let (copy, file) = match std::mem::replace(self, Self::Memory(Vec::new(), None)) {
            Self::File(file) => (file.to_vec(), Some(file)),
            Self::Memory(copy, file) => (copy, file),
        };
        *self = Self::Memory(copy, file.filter(|_| is_needed_later));
    }

    /// Removes the copy, unless the file was removed.
    fn remove_copy(&mut self) {
        if let Self::Memory(_, file) = self
            && let Some(file) = file.take()
        {
            *self = Self::File(file);
        }
    }
}

impl KeptRows {
    /// A row, if need be in `buffer`.
    #[inline]
    pub(crate) fn row<'r>(&'r self, row: usize, buffer: &'r mut Vec<u64>) -> &'r [u64] {
        match &self.rows {
            RowData::Words(all) => &all[row * self.words..][..self.words],
            RowData::Packed(packed) => {
                buffer.resize(self.words, 0);
                packed.unpack(row, buffer);
                buffer
            }
        }
    }
}

impl PackedRows<Place> {
    fn unpack(&self, row: usize, to: &mut [u64]) {
        let Self { place, starts, forms, overlaps } = self;
        let bytes = &place.bytes()[starts[row] as usize..starts[row + 1] as usize + PADDING];
        unpack(forms[row], bytes, Some(&Overlap { overlaps, first: row, words: 0..to.len() }), to);
    }
}

/// The places of a slice's packed rows.
fn places(values: &mut KeptSlice) -> Vec<&mut Place> {
    let SolvedSlice::Values { win, loss } = values else { return Vec::new() };
    let place = |kept| match kept {
        &mut Kept { rows: RowData::Packed(ref mut packed), .. } => Some(&mut packed.place),
        _ => None,
    };
    [win, loss].into_iter().filter_map(place).collect()
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
        let places = places(values);
        let bytes: usize = places.iter().map(|place| place.bytes().len()).sum();
        found.push((bytes as u64, *slice, places));
    }
    found.sort_by_key(|(bytes, slice, _)| (*bytes, *slice));
    for (bytes, slice, places) in found {
        if bytes > memory {
            break;
        }
        memory -= bytes;
        places.into_iter().for_each(|place| place.copy_to_memory(later(slice)));
    }
}

/// Removes copies in memory of what is in a file.
pub(crate) fn remove_copies(kept: &mut KeptSlices) {
    kept.values_mut().flat_map(places).for_each(Place::remove_copy);
}

impl KeptWriter {
    /// No rows yet. If there are a directory and overlaps, the rows are packed in a file there.
    pub(crate) fn new(words: usize, packed: Option<(&Path, &Arc<Overlaps>)>) -> Result<Self> {
        let rows = match packed {
            None => RowData::Words(Vec::new()),
            Some((scratch_dir, overlaps)) => RowData::Packed(PackedRows {
                place: ScratchFile::create(scratch_dir)?,
                starts: vec![0],
                forms: Vec::new(),
                overlaps: Arc::clone(overlaps),
            }),
        };
        Ok(Self { words, rows })
    }

    /// Adds the next rows. What is left in `rows` need not be zero. If they go to memory, they are all
    /// rows.
    pub(crate) fn add(&mut self, rows: &mut Vec<u64>) -> Result<()> {
        let PackedRows { place, starts, forms, overlaps } = match &mut self.rows {
            RowData::Words(all) => {
                *all = std::mem::take(rows);
                return Ok(());
            }
            RowData::Packed(packed) => packed,
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
        Ok(place.write(begin, &all)?)
    }

    pub(crate) fn finish(self) -> Result<KeptRows> {
        let rows = match self.rows {
            RowData::Words(all) => RowData::Words(all),
            RowData::Packed(PackedRows { place, starts, forms, overlaps }) => {
                let end = *starts.last().expect("where the first row begins");
                place.extend(end + PADDING as u64)?;
                let place = Place::File(place.map()?);
                RowData::Packed(PackedRows { place, starts, forms, overlaps })
            }
        };
        Ok(Kept { words: self.words, rows })
    }
}

#[cfg(test)]
mod tests {
    use super::super::packed::tests::overlaps;
    use super::*;

    /// RowData are the same in memory, in a file, and copied from it.
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
        let of_3v2 = kept.get_mut(&slice("3v2")).expect("it is kept");
        let bytes = places(of_3v2)[0].bytes().len() as u64;
        copy_to_memory(
            &mut kept,
            5 * bytes,
            |after| after != slice("3v2"),
            |after| after == slice("1v2"),
        );
        // Whether there are a copy and a file.
        let found = |kept: &mut KeptSlices| {
            ["3v2", "2v2", "1v2"].map(|name| {
                let Some(values) = kept.get_mut(&slice(name)) else { return [false; 2] };
                let (win, loss) = values.values();
                [win, loss].into_iter().for_each(assert_same);
                match &*places(values)[0] {
                    Place::File(_) => [false, true],
                    Place::Memory(_, file) => [true, file.is_some()],
                }
            })
        };
        assert_eq!(found(&mut kept), [[false, true], [true, false], [true, true]]);
        remove_copies(&mut kept);
        assert_eq!(found(&mut kept), [[false, true], [true, false], [false, true]]);
        kept.remove(&slice("2v2"));
        // Only the first one fits.
        copy_to_memory(&mut kept, 3 * bytes, |_| true, |_| true);
        assert_eq!(found(&mut kept), [[false, true], [false; 2], [true, true]]);
    }
}
