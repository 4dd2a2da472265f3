//! A probe of unpacked tables allocates nothing, once the tables are open.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::atomic::AtomicBool;

use fanorona_builder::{BuildOptions, UnpackOptions, build, unpack};
use fanorona_capi::{
    CPosition, Status, TableValue, TablesOptions, fanorona_game_free, fanorona_game_new,
    fanorona_probe, fanorona_tables_free, fanorona_tables_open, fanorona_tables_prepare,
    fanorona_wdl,
};
use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::Metric;

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: the system's allocator does the work. The counter has no destructor and allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller promises what the system's allocator needs.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn probes_of_open_tables_allocate_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (board, rules, stop) = (Board::dimy(), RuleSet::STANDARD, AtomicBool::new(false));
    let options = BuildOptions::new(dir.path(), board, rules, 4).with_metric(Metric::Wdl);
    build(&options, &(), &stop).unwrap();
    unpack(&UnpackOptions::new(dir.path(), board, rules), &(), &stop).unwrap();

    for flags in [0, 1] {
        let path = CString::new(dir.path().to_str().unwrap()).unwrap();
        let struct_size = size_of::<TablesOptions>();
        let options = TablesOptions { struct_size, cache_bytes: 0, flags, threads: 0 };
        let (mut game, mut tables, mut complete) = (null_mut(), null_mut(), 0);
        // SAFETY: the pointers are valid, and errors may be NULL.
        unsafe {
            let made =
                fanorona_game_new(c"5x5".as_ptr(), c"standard".as_ptr(), &raw mut game, null_mut());
            assert_eq!(made, Status::Ok);
            let options = &raw const options;
            let open =
                fanorona_tables_open(game, path.as_ptr(), options, &raw mut tables, null_mut());
            assert_eq!(open, Status::Ok);
            assert_eq!(
                fanorona_tables_prepare(tables, 4, &raw mut complete, null_mut()),
                Status::Ok
            );
        }
        assert_eq!(complete, 4);
        let probe_all = || {
            let before = ALLOCATIONS.get();
            for black in 5..25 {
                let position = CPosition { white: 0b11, black: 1 << black | 1 << 4, to_move: 0 };
                let mut value = 7;
                let mut found = TableValue { value: 7, dtw: 7 };
                // SAFETY: the pointers are valid, and errors may be NULL.
                let statuses = unsafe {
                    let (own, opponent) = (position.white, position.black);
                    [
                        fanorona_wdl(tables, own, opponent, &raw mut value, null_mut()),
                        fanorona_probe(tables, &raw const position, &raw mut found, null_mut()),
                    ]
                };
                assert_eq!((statuses, found.value), ([Status::Ok; 2], value));
            }
            ALLOCATIONS.get() - before
        };
        if flags == 0 {
            // Files that are not mapped are read page by page into the cache, once.
            probe_all();
        }
        assert_eq!(probe_all(), 0);
        // SAFETY: nobody uses the handles any more.
        unsafe {
            fanorona_tables_free(tables);
            fanorona_game_free(game);
        }
    }
}
