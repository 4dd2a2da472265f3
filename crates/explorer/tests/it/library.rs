//! Tables that come and go while the server runs.

use fanorona_builder::{UnpackOptions, unpack};
use fanorona_core::{Board, Position, RuleSet, Value};
use fanorona_explorer::{Library, LibraryOptions, OpenVariant, Variant};
use fanorona_tablebase::Metric;

use crate::common::build_tables;

fn variant(rules: &str) -> Variant {
    Variant { board: Board::telo(), rules: rules.parse().unwrap() }
}

/// The value of a position of three stones, if a table has it.
fn value(open: &OpenVariant) -> Option<Value> {
    let position: Position = "B2/3/W1W w".parse().unwrap();
    open.knowledge().lookup(&position).unwrap().value()
}

#[test]
fn tables_that_are_built_later_are_seen() {
    let dir = tempfile::tempdir().unwrap();
    let library = Library::new(LibraryOptions::new([dir.path().to_owned()]), Vec::new());
    let open = || library.open(variant("standard")).unwrap();
    let before = open();
    assert_eq!((value(&before), open().identity()), (None, before.identity()));
    assert!(library.contents().is_empty());
    build_tables(dir.path(), "3x3", "standard", 3, Metric::Wdl);
    let after = open();
    assert!(value(&after).is_some());
    assert_ne!(after.identity(), before.identity(), "clients must ask again");
    assert_eq!(value(&before), None, "an answer has one state of the tables");
}

#[test]
fn few_variants_are_open() {
    let mut options = LibraryOptions::new([]);
    options.open_variants = 2;
    let library = Library::new(options, Vec::new());
    for rules in ["standard", "free-capture", "forced-relay", "standard", "forced-relay"] {
        assert_eq!(library.open(variant(rules)).unwrap().variant(), variant(rules));
        assert!(library.num_open() <= 2);
    }
    assert_eq!(library.num_open(), 2);
}

#[test]
fn the_contents_name_the_largest_tables() {
    let dir = tempfile::tempdir().unwrap();
    build_tables(dir.path(), "3x3", "standard", 8, Metric::Wdl);
    build_tables(dir.path(), "3x3", "standard", 3, Metric::Dtw);
    build_tables(dir.path(), "3x3", "free-capture", 2, Metric::Wdl);
    let options = UnpackOptions::new(dir.path(), Board::telo(), RuleSet::STANDARD);
    unpack(&options.with_metric(Metric::Wdl), &(), &false.into()).unwrap();
    // An unpacked table needs no packed one.
    std::fs::remove_file(dir.path().join("3x3_standard_4v4.wdl.fano")).unwrap();
    let library = Library::new(LibraryOptions::new([dir.path().to_owned()]), Vec::new());
    let contents = library.contents();
    let found: Vec<_> = contents
        .iter()
        .map(|of| (of.board, of.rules.to_string(), of.metric, of.max_stones))
        .collect();
    let of = |rules: &str, metric, stones| (Board::telo(), rules.to_owned(), metric, stones);
    let expected = [
        of("free-capture", Metric::Wdl, 2),
        of("standard", Metric::Wdl, 8),
        of("standard", Metric::Dtw, 3),
    ];
    assert_eq!(found, expected);
}
