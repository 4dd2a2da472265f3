//! The values of whole slices in order are those of single probes.

use std::fs;
use std::sync::atomic::AtomicBool;

use fanorona_builder::{UnpackOptions, unpack};
use fanorona_core::{ErrorKind, Position, Side, SplitMix64};
use fanorona_tablebase::index::SliceIndex;
use fanorona_tablebase::orbits::{OrbitSets, placements};
use fanorona_tablebase::{Metric, Slice, TableError, Tables, TablesOptions};

use crate::common::{Built, board, rules, slice, slices};

/// Compares all entries of all slices with single probes and with the counts of the header. Reads
/// them in pieces of several sizes.
fn assert_as_probed(tables: &Tables, stones: u32, metric: Metric) {
    let board = tables.board();
    let sets = OrbitSets::new(board);
    for slice in slices(board, stones) {
        let index = SliceIndex::new(&sets, slice).unwrap();
        let all = tables.entries(slice, metric, 0, u64::MAX).unwrap();
        assert_eq!(all.len() as u64, index.len(), "{slice}");
        let mut counts = [0; 3];
        for (expected, (entry, found)) in index.entries(0).zip(&all) {
            assert_eq!(*entry, expected);
            let position = Position::from_mover(board, entry.stones, Side::White).unwrap();
            assert_eq!(*found, tables.probe_metric(&position, metric).unwrap(), "{position}");
            counts[found.value as usize] += u64::from(entry.weight);
        }
        let statistics = &tables.table(slice, metric).unwrap().unwrap().metadata().statistics;
        assert_eq!(counts, [statistics.loss, statistics.draw, statistics.win], "{slice}");
        for size in [1, 7, index.len().div_ceil(2)] {
            for first in [0, 1, index.len() / 3, index.len() - 1] {
                let piece = tables.entries(slice, metric, first, size).unwrap();
                let end = (first + size).min(index.len());
                assert!(piece == all[first as usize..end as usize], "{slice} {first} {size}");
            }
        }
        for past in [index.len(), index.len() + 1, u64::MAX] {
            assert!(tables.entries(slice, metric, past, 5).unwrap().is_empty());
        }
        assert!(tables.entries(slice, metric, 0, 0).unwrap().is_empty());
    }
}

#[test]
fn entries_are_as_probed() {
    for (name, stones, rule_set) in [
        ("3x3", 6, "standard"),
        ("5x3", 5, "standard"),
        ("5x3", 4, "free-capture+no-turns-draw"),
        ("5x5", 4, "forced-relay+no-turns-draw"),
    ] {
        let metrics = [Metric::Wdl, Metric::Dtw];
        let built = Built::new(board(name), rules(rule_set), stones, &metrics);
        metrics.into_iter().for_each(|metric| assert_as_probed(&built.tables, stones, metric));

        let options = UnpackOptions::new(built.dir(), board(name), rules(rule_set));
        unpack(&options, &(), &AtomicBool::new(false)).unwrap();
        for unpacked in [true, false] {
            let options = TablesOptions { unpacked, ..TablesOptions::default() };
            let tables =
                Tables::open_dirs(&[built.dir()], board(name), rules(rule_set), options).unwrap();
            metrics.into_iter().for_each(|metric| assert_as_probed(&tables, stones, metric));
        }
    }
}

#[test]
fn what_is_missing_or_damaged_is_an_error() {
    let built = Built::new(board("5x3"), rules("standard"), 3, &[Metric::Wdl]);
    let file = |name: &str| built.dir().join(format!("5x3_standard_{name}.wdl.fano"));
    fs::remove_file(file("1v1")).unwrap();
    let mut bytes = fs::read(file("2v1")).unwrap();
    // The last byte before the metadata of a file this small is in a block.
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::remove_file(file("2v1")).unwrap();
    fs::write(file("2v1"), bytes).unwrap();

    let tables = Tables::open(built.dir(), board("5x3"), rules("standard")).unwrap();
    let error = |slice: Slice, metric| tables.entries(slice, metric, 0, 10).unwrap_err();
    for (name, metric) in [("1v1", Metric::Wdl), ("1v2", Metric::Dtw), ("4v4", Metric::Wdl)] {
        let error = error(slice(name), metric);
        assert!(matches!(error, TableError::Missing { .. }), "{name} {metric}: {error}");
    }
    // Captures of one of two stones lead to 1v1.
    let error_of_captures = tables.entries(slice("1v2"), Metric::Wdl, 0, u64::MAX).unwrap_err();
    assert!(matches!(error_of_captures, TableError::Missing { .. }), "{error_of_captures}");
    let damaged = error(slice("2v1"), Metric::Wdl);
    assert_eq!(damaged.kind(), ErrorKind::DamagedFile, "{damaged}");
    // A slice that the board does not have.
    assert!(tables.entries(slice("8v1"), Metric::Wdl, 0, 1).is_err());

    let vela = Tables::open(built.dir(), board("5x3"), rules("vela+stones-1")).unwrap();
    let error = vela.entries(slice("2v1"), Metric::Wdl, 0, 1).unwrap_err();
    assert!(matches!(error, TableError::Missing { .. }), "{error}");
}

#[test]
fn random_positions_are_uniform_over_placements() {
    let (board, slice) = (board("3x3"), slice("2v1"));
    let mut random = SplitMix64::new(1);
    let mut counts = std::collections::HashMap::<Position, u32>::new();
    let all = placements(board, 2, 1) as u32;
    let each = 200;
    for _ in 0..each * all {
        let position = slice.random_position(board, Side::Black, &mut random).unwrap();
        assert_eq!((Slice::of(&position), position.to_move()), (Some(slice), Side::Black));
        *counts.entry(position).or_default() += 1;
    }
    assert_eq!(counts.len() as u32, all, "each placement was found");
    // Chi-squared with 251 degrees of freedom: mean 251, standard deviation 22.4. Five of them.
    let each = f64::from(each);
    let chi_squared: f64 =
        counts.values().map(|count| (f64::from(*count) - each).powi(2) / each).sum();
    assert!(chi_squared < 251.0 + 5.0 * 22.4, "{chi_squared}");

    let too_large = Slice::new(5, 1);
    assert_eq!(too_large.random_position(board, Side::White, &mut random), None);
    let empty = Slice::new(0, 1);
    assert_eq!(empty.random_position(board, Side::White, &mut random), None);
    // All stones of the largest board fit.
    let full: fanorona_core::Board = "21x3".parse().unwrap();
    let most = Slice::new(31, 31);
    let position = most.random_position(full, Side::White, &mut random).unwrap();
    assert_eq!(position.empty().len(), 1);
}
