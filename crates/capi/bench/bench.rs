//! Compares a probe through C with one from Rust, in one run: batches of the same positions are
//! probed by both in turn, and both sums must be equal.
//!
//!     capi_bench LIBRARY DIRECTORY
//!
//! LIBRARY is a shared library with `bench_batch` (`batch.c`) that is linked with the C library.
//! DIRECTORY is for the tables, 9x5 to 5 stones, which are built if they are not there.

use std::error::Error;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::transmute;
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use fanorona_builder::{BuildOptions, UnpackOptions, build, unpack};
use fanorona_core::{Board, RuleSet, SplitMix64, Stones, Value};
use fanorona_tablebase::{Access, Metric, Tables, TablesOptions};

// SAFETY: the declarations are those of POSIX.
unsafe extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

const STONES: u32 = 5;
const BATCH: usize = 100_000;
const PAIRS: usize = 61;

/// `fanorona_tables_options`.
#[repr(C)]
struct Options {
    struct_size: usize,
    cache_bytes: u64,
    flags: u32,
    threads: u32,
}

// SAFETY: calls of these types are sound if the arguments are as `fanorona.h` says for each function.
type GameNew =
    unsafe extern "C" fn(*const c_char, *const c_char, *mut *mut c_void, *mut c_void) -> i32;
// SAFETY: as above.
type TablesOpen = unsafe extern "C" fn(
    *const c_void,
    *const c_char,
    *const Options,
    *mut *mut c_void,
    *mut c_void,
) -> i32;
// SAFETY: as above.
type Prepare = unsafe extern "C" fn(*const c_void, u32, *mut u32, *mut c_void) -> i32;
// SAFETY: as above.
type Batch = unsafe extern "C" fn(*const c_void, *const u64, *const u64, usize) -> i64;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [library, directory] = arguments.as_slice() else {
        return Err("usage: capi_bench LIBRARY DIRECTORY".into());
    };
    let tables = make_tables(Path::new(directory))?;
    let (c_tables, batch) = open_in_c(library, directory)?;

    let mut random = SplitMix64::new(1);
    let positions: Vec<_> = (0..BATCH).map(|_| random_stones(&mut random)).collect();
    let own: Vec<u64> = positions.iter().map(|stones| stones.own.bits()).collect();
    let opponent: Vec<u64> = positions.iter().map(|stones| stones.opponent.bits()).collect();

    // SAFETY: the tables are open, and both arrays have this length.
    let by_c = || unsafe { batch(c_tables, own.as_ptr(), opponent.as_ptr(), BATCH) };
    let by_rust = || -> Result<i64, Box<dyn Error>> {
        let mut sum = 0;
        for (own, opponent) in own.iter().zip(&opponent) {
            let found = tables.wdl(Stones::from_bits(*own, *opponent))?;
            sum += match found {
                Value::Win => 1,
                Value::Draw => 0,
                Value::Loss => -1,
            };
        }
        Ok(sum)
    };

    let mut ratios = Vec::new();
    let (mut of_c, mut of_rust) = (Vec::new(), Vec::new());
    let mut first_sum = None;
    for pair in 0..PAIRS {
        let (mut c, mut rust) = (0.0, 0.0);
        // In turn one of them is first.
        for second in [false, true] {
            let started = Instant::now();
            let is_c = (pair % 2 == 0) != second;
            let sum = if is_c { by_c() } else { by_rust()? };
            let time = started.elapsed().as_secs_f64() / BATCH as f64 * 1e9;
            if *first_sum.get_or_insert(sum) != sum {
                return Err("C and Rust have different sums".into());
            }
            *if is_c { &mut c } else { &mut rust } = time;
        }
        // The first pair fills the caches.
        if pair > 0 {
            ratios.push(c / rust);
            of_c.push(c);
            of_rust.push(rust);
        }
    }
    for list in [&mut ratios, &mut of_c, &mut of_rust] {
        list.sort_by(f64::total_cmp);
    }
    let middle = |list: &[f64]| list[list.len() / 2];
    println!("{} pairs of {BATCH} positions of 9x5 with up to {STONES} stones", PAIRS - 1);
    println!("nanoseconds a probe, median: C {:.1}, Rust {:.1}", middle(&of_c), middle(&of_rust));
    // On a busy machine the least times say more than the medians.
    println!("nanoseconds a probe, least: C {:.1}, Rust {:.1}", of_c[0], of_rust[0]);
    let (least, most) = (ratios[0], ratios[ratios.len() - 1]);
    println!("C divided by Rust, median: {:.3} ({least:.3} to {most:.3})", middle(&ratios));
    Ok(())
}

/// The tables, unpacked and mapped, with all files open.
fn make_tables(directory: &Path) -> Result<Tables, Box<dyn Error>> {
    let (board, rules, stop) = (Board::tsivy(), RuleSet::STANDARD, AtomicBool::new(false));
    let options = BuildOptions::new(directory, board, rules, STONES).with_metric(Metric::Wdl);
    build(&options, &(), &stop)?;
    unpack(&UnpackOptions::new(directory, board, rules), &(), &stop)?;
    // SAFETY: nobody changes the files while this program runs.
    let options = TablesOptions { access: unsafe { Access::map() }, ..TablesOptions::default() };
    Ok(Tables::open_dirs(&[directory], board, rules, options)?)
}

/// The same tables, opened by the C library, and the function that probes them.
fn open_in_c(library: &str, directory: &str) -> Result<(*mut c_void, Batch), Box<dyn Error>> {
    let (path, directory) = (CString::new(library)?, CString::new(directory)?);
    const RTLD_NOW: c_int = 2;
    // SAFETY: loading the library has no effects; it was made for this program.
    let handle = unsafe { dlopen(path.as_ptr(), RTLD_NOW) };
    if handle.is_null() {
        return Err(format!("cannot load {library}").into());
    }
    let find = |name: &CStr| {
        // SAFETY: the library is open.
        let found = unsafe { dlsym(handle, name.as_ptr()) };
        if found.is_null() { Err(format!("{library} has no {name:?}")) } else { Ok(found) }
    };
    // SAFETY: the types are those of `fanorona.h` and `batch.c`.
    let (game_new, open, prepare, batch) = unsafe {
        (
            transmute::<*mut c_void, GameNew>(find(c"fanorona_game_new")?),
            transmute::<*mut c_void, TablesOpen>(find(c"fanorona_tables_open")?),
            transmute::<*mut c_void, Prepare>(find(c"fanorona_tables_prepare")?),
            transmute::<*mut c_void, Batch>(find(c"bench_batch")?),
        )
    };
    let options =
        Options { struct_size: size_of::<Options>(), cache_bytes: 0, flags: 1, threads: 0 };
    let (mut game, mut tables, mut complete) = (null_mut(), null_mut(), 0);
    // SAFETY: the pointers are as the header asks for. `null` errors are allowed.
    let statuses = unsafe {
        [
            game_new(c"9x5".as_ptr(), c"standard".as_ptr(), &raw mut game, null_mut()),
            open(game, directory.as_ptr(), &raw const options, &raw mut tables, null_mut()),
            prepare(tables, STONES, &raw mut complete, null::<c_void>().cast_mut()),
        ]
    };
    if statuses != [0; 3] || complete != STONES {
        return Err(format!("the C library cannot open the tables: {statuses:?}").into());
    }
    Ok((tables, batch))
}

/// Two to five stones on random points, at least one of each side.
fn random_stones(random: &mut SplitMix64) -> Stones {
    let board = Board::tsivy();
    let points: Vec<_> = board.all_points().iter().collect();
    let stones = 2 + random.below(u64::from(STONES) - 1) as u32;
    let mut found = Stones::from_bits(0, 0);
    while found.count() < stones {
        let point = points[random.below(points.len() as u64) as usize];
        if found.occupied().contains(point) {
            continue;
        }
        let Stones { own, opponent } = &mut found;
        let is_own = own.is_empty() || (!opponent.is_empty() && random.below(2) == 0);
        *if is_own { own } else { opponent } |= point;
    }
    found
}
