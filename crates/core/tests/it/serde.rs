//! With the feature `serde`, values are written as their texts and read back, checked.

use fanorona_core::{Board, Coordinates, Position, RuleSet, Setup};
use fanorona_tests::strategies::{boards, cases, cases_of_play};
use proptest::prelude::*;
use serde_json::{from_str, to_string};

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn values_round_trip_as_texts((rules, position) in cases_of_play(boards())) {
        let json = to_string(&(rules, position)).unwrap();
        prop_assert_eq!(&json, &format!("[\"{rules}\",\"{position}\"]"));
        prop_assert_eq!(from_str::<(RuleSet, Position)>(&json).unwrap(), (rules, position));

        let (board, setup) = (position.board(), Setup::from(position));
        let json = to_string(&(board, setup)).unwrap();
        prop_assert_eq!(&json, &format!("[\"{board}\",\"{position}\"]"));
        prop_assert_eq!(from_str::<(Board, Setup)>(&json).unwrap(), (board, setup));
    }
}

#[test]
fn points_are_names() {
    let at = Coordinates::new(3, 2).unwrap();
    assert_eq!(to_string(&at).unwrap(), "\"d3\"");
    assert_eq!(from_str::<Coordinates>("\"d3\"").unwrap(), at);
}

#[test]
fn invalid_values_are_refused_with_their_message() {
    let message = |error: serde_json::Error| error.to_string();
    assert!(message(from_str::<Board>("\"8x5\"").unwrap_err()).contains("no board 8x5"));
    assert!(message(from_str::<RuleSet>("\"chess\"").unwrap_err()).contains("'chess'"));
    assert!(message(from_str::<Coordinates>("\"33\"").unwrap_err()).contains("'33'"));
    assert!(message(from_str::<Position>("\"9/9/9/9/9 w\"").unwrap_err()).contains("no stone"));
    assert!(message(from_str::<Setup>("\"9/9/9/9/9\"").unwrap_err()).contains("who moves"));
    assert!(from_str::<Position>("5").is_err());
}
