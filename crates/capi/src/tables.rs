//! Endgame tables.

use std::env;
use std::ffi::c_char;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Position, Stones};
use fanorona_knowledge::Knowledge;
use fanorona_tablebase::{Access, TableError, Tables};

use crate::boundary::exports;
use crate::failure::Failure;
use crate::game::{CPosition, GameHandle};
use crate::grow::{self, Grows};
use crate::pointers::{Output, OutputArray, copies, copy, frees, give, handle};
use crate::pool::{LazyPool, threads};
use crate::status::Status;
use crate::text;
use crate::turn::CTurn;
use crate::value::{CAssessment, TableValue, UNKNOWN, number};

/// The tables of a game in a directory: `fanorona_tables`.
#[derive(Debug)]
pub struct TablesHandle {
    pub(crate) tables: Arc<Tables>,
    pool: LazyPool,
}

/// How tables are opened: `fanorona_tables_options`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TablesOptions {
    /// The size of the struct.
    pub struct_size: usize,
    /// Bytes of the cache of blocks; 0 is the default.
    pub cache_bytes: u64,
    /// A sum of flags.
    pub flags: u32,
    /// Threads for many positions; 0 is one.
    pub threads: u32,
}

// SAFETY: integers, the size first.
unsafe impl Grows for TablesOptions {}

/// The flag to map files.
const MAP: u32 = 1;
/// The flag to ignore unpacked tables.
const PACKED: u32 = 2;

/// The largest cache: 64 GiB. The list of its parts takes memory in any case.
const MAX_CACHE: u64 = 64 << 30;

/// The positions that `fanorona_probe_many` has in memory at once. The more, the more of them need the
/// same block.
const AT_ONCE: usize = 1 << 18;

exports! {
    /// Opens tables.
    fn fanorona_tables_open(
        game: *const GameHandle,
        directory: *const c_char,
        options: *const TablesOptions,
        tables: *mut *mut TablesHandle,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (out, game, directory, given) = unsafe {
            let out = Output::new(tables, "tables")?;
            out.write(std::ptr::null_mut());
            let game = handle(game, "game")?;
            (out, game, text::path(directory, "directory")?, grow::read(options, "options")?)
        };
        grow::check_flags(given.flags, MAP | PACKED, "options")?;
        if given.cache_bytes > MAX_CACHE {
            let asked = given.cache_bytes;
            let why = format!("ask for a cache of {asked} bytes, but {MAX_CACHE} are the most");
            return Err(Failure::Argument { name: "options", why });
        }
        let threads = threads(given.threads)?;
        let mut options = fanorona_tablebase::TablesOptions {
            unpacked: given.flags & PACKED == 0,
            threads: Some(threads),
            ..Default::default()
        };
        if let Some(bytes) = grow::given(given.cache_bytes) {
            options.cache_bytes = bytes as usize;
        }
        if given.flags & MAP != 0 {
            // SAFETY: with this flag the caller promises that nobody changes the files in place.
            options.access = unsafe { Access::map() };
        }
        let pool = LazyPool::new(threads);
        let directories: Vec<_> = env::split_paths(&directory).collect();
        let tables = Tables::open_dirs(&directories, game.board, game.rules, options)?;
        out.write(give(TablesHandle { tables: Arc::new(tables), pool }));
    }
}

frees!(fanorona_tables_free, TablesHandle);

exports! {
    /// Opens the files of all slices up to a number of stones.
    fn fanorona_tables_prepare(tables: *const TablesHandle, stones: u32, complete: *mut u32) {
        // SAFETY: all pointers are NULL or as the header says.
        let (tables, out) =
            unsafe { (&*handle(tables, "tables")?.tables, Output::new(complete, "complete")?) };
        out.write(tables.prepare(stones)?);
    }

    /// Win, draw or loss from two sets of stones.
    fn fanorona_wdl(tables: *const TablesHandle, own: u64, opponent: u64, value: *mut i32) {
        // SAFETY: all pointers are NULL or as the header says.
        let (tables, out) =
            unsafe { (&handle(tables, "tables")?.tables, Output::new(value, "value")?) };
        let found = tables.wdl(Stones::from_bits(own, opponent))?;
        out.write(number(found));
    }

    /// The value of a position.
    fn fanorona_probe(
        tables: *const TablesHandle,
        position: *const CPosition,
        value: *mut TableValue,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (tables, position, out) = unsafe {
            let tables = &handle(tables, "tables")?.tables;
            (tables, copy(position, "position")?, Output::new(value, "value")?)
        };
        let found = tables.probe(&position.on(tables.board())?)?;
        out.write(tables.as_in_arrays(found).into());
    }

    /// The values of many positions.
    fn fanorona_probe_many(
        tables: *const TablesHandle,
        positions: *const CPosition,
        count: usize,
        values: *mut TableValue,
        statuses: *mut i32,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (handle, values, statuses) = unsafe {
            let handle = handle(tables, "tables")?;
            let values = OutputArray::new(values, count, "values")?;
            (handle, values, OutputArray::new(statuses, count, "statuses")?)
        };
        let mut first_failure = None;
        let mut done = 0;
        while done < count {
            let length = AT_ONCE.min(count - done);
            // SAFETY: the array has `count` positions, which is more than `done`. NULL stays NULL.
            let chunk = unsafe {
                let rest = if positions.is_null() { positions } else { positions.add(done) };
                copies(rest, length, "positions")?
            };
            let results = probe_chunk(handle, &chunk)?;
            for (index, result) in (done..).zip(results) {
                let (status, value) = match result {
                    Ok(value) => (Status::Ok, value),
                    Err(failure) => {
                        let status = failure.status();
                        first_failure.get_or_insert(*failure);
                        (status, TableValue { value: UNKNOWN, dtw: -1 })
                    }
                };
                values.write(index, value);
                statuses.write(index, status as i32);
            }
            done += length;
        }
        first_failure.map_or(Ok(()), Err)?;
    }
}

/// The values of some positions, each with its own failure. Failures are large and rare.
fn probe_chunk(
    handle: &TablesHandle,
    positions: &[CPosition],
) -> Result<Vec<Result<TableValue, Box<Failure>>>, Failure> {
    let board = handle.tables.board();
    let read: Vec<Result<Position, Box<Failure>>> =
        positions.iter().map(|position| position.on(board).map_err(Box::new)).collect();
    let good: Vec<Position> = read.iter().flatten().copied().collect();
    let small = |_, found: Result<fanorona_tablebase::TableValue, TableError>| match found {
        Ok(value) => Ok(handle.tables.as_in_arrays(value).into()),
        Err(error) => Err(Box::new(error.into())),
    };
    let never = AtomicBool::new(false);
    let probe = || handle.tables.probe_many_as(&good, &never, small).unwrap_or_default();
    let mut found = handle.pool.run(probe)?.into_iter();
    let results = read.into_iter().map(|position| {
        position?;
        found.next().expect("every position that was probed has a result")
    });
    Ok(results.collect())
}

/// A turn with its value: `fanorona_ranked_turn`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RankedTurn {
    /// The turn.
    pub turn: CTurn,
    /// The position after it.
    pub after: CPosition,
    /// For the side that makes it; the distance counts this turn.
    pub assessment: CAssessment,
}

exports! {
    /// The legal turns with their values.
    fn fanorona_rank(
        tables: *const TablesHandle,
        position: *const CPosition,
        turns: *mut RankedTurn,
        capacity: usize,
        count: *mut usize,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (tables, position, array, out) = unsafe {
            let tables = handle(tables, "tables")?.tables.clone();
            let position = copy(position, "position")?;
            let array = OutputArray::new(turns, capacity, "the array of turns")?;
            (tables, position, array, Output::new(count, "count")?)
        };
        let board = tables.board();
        let known = Knowledge::new(board, tables.rules(), Some(tables), None)?.with_all_turns();
        let ranked = known.turns(&position.on(board)?)?;
        known.check_values(&ranked)?;
        RankedTurn::write_all(board, &ranked, &array, &out)?;
    }
}
