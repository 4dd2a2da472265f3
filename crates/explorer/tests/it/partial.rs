//! Answers where a table is missing, and where there are two of a slice.

use std::collections::BTreeMap;
use std::fs;

use axum::body::Body;
use axum::http::Method;
use fanorona_core::{Board, Side, SplitMix64};
use fanorona_explorer::LibraryOptions;
use fanorona_tablebase::{Metric, Slice};

use crate::common::{ask, build_tables, good, library_explorer, of_position, request};

/// What is not known of a turn may become known.
#[test]
fn an_answer_with_an_open_turn_is_not_kept() {
    let dir = tempfile::tempdir().expect("a directory");
    build_tables(dir.path(), "5x5", "standard", 4, Metric::Wdl);
    fs::remove_file(dir.path().join("5x5_standard_3v1.wdl.fano")).expect("it is there");
    let explorer = library_explorer(LibraryOptions::new(Some(dir.path().to_owned())));
    let mut random = SplitMix64::new(1);
    let mut kept = [0; 2];
    for _ in 0..200 {
        let position = Slice::new(1, 3).random_position(Board::dimy(), Side::White, &mut random);
        let address = of_position("position", "standard", &position.expect("it is on the board"));
        let answer = ask(&explorer, request(Method::GET, &address).body(Body::empty()).unwrap());
        let found = answer.json();
        let turns = found["turns"].as_array().expect("a list");
        if found["value"] == "unknown" || found["source"] == "search" {
            continue;
        }
        let is_known = turns.iter().all(|turn| turn["value"] != "unknown");
        let expected = if is_known { "public, max-age=3600" } else { "no-cache" };
        assert_eq!(answer.header("cache-control"), expected, "{found}");
        kept[usize::from(is_known)] += 1;
    }
    assert!(kept.iter().all(|answers| *answers > 0), "{kept:?}");
}

/// Two tables of a slice have the same positions.
#[test]
fn positions_are_counted_once() {
    let answer = good("/api/v1/tables?board=5x5");
    let slices = answer["slices"].as_array().expect("a list");
    let number = |table: &serde_json::Value, key: &str| table[key].as_u64().expect("a number");
    let positions: BTreeMap<_, _> =
        slices.iter().map(|table| (table["slice"].as_str(), number(table, "positions"))).collect();
    assert!(positions.len() < slices.len(), "some are there with both metrics");
    assert_eq!(answer["total_positions"], positions.values().sum::<u64>());
    let bytes: u64 = slices.iter().map(|table| number(table, "bytes")).sum();
    assert_eq!(answer["total_bytes"], bytes);
}
