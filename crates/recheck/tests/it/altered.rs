//! Certificates with one change and correct checksums. The checker of `fanorona-proof` must agree.

use std::collections::HashMap;

use fanorona_core::{Board, PointSet, Position, RuleSet, Side, SplitMix64, Stones, SymmetryGroup};
use fanorona_recheck::Flaw;

use crate::file::{File, both, flaw, kept_proof, one_entry};

/// Small proofs of wins and of a draw, under each rule set, in small blocks.
fn small() -> impl Iterator<Item = File> {
    let names = [
        "3x3-standard.proof",
        "3x3-first-capture-single.proof",
        "3x3-forced-relay.proof",
        "3x3-free-capture.proof",
        "5x3-standard.proof",
        "7x3-forced-relay.proof",
        "3x7-standard.proof",
        "vela/3x3-vela+no-turns-draw+stones-1.proof",
    ];
    names.into_iter().map(|name| File { block_entries: 7, ..kept_proof(name) })
}

/// Every proof of the files, by its number in its file.
fn proofs() -> impl Iterator<Item = (File, usize)> {
    small().flat_map(|file| (0..file.proofs.len()).map(move |proof| (file.clone(), proof)))
}

#[test]
fn other_turns_are_followed() {
    let dir = tempfile::tempdir().unwrap();
    let (mut accepted, mut flaws) = (0, Vec::new());
    for (whole, proof) in proofs() {
        for entry in 0..whole.proofs[proof].turns.len().min(120) {
            for by in [1, 2, u64::from(u32::MAX)] {
                let mut file = whole.clone();
                let turn = &mut file.proofs[proof].turns[entry];
                *turn = (*turn + by) % (1 << 32);
                match both(dir.path(), &file.write(), None) {
                    Ok(_) => accepted += 1,
                    Err(error) => flaws.push(flaw(error)),
                }
            }
        }
    }
    // Another turn may be as good.
    assert!(flaws.len() > 5 * accepted && accepted > 0, "{accepted}, {}", flaws.len());
    let some = |is: fn(&Flaw) -> bool| assert!(flaws.iter().any(is));
    some(|flaw| matches!(flaw, Flaw::NoSuchTurn { .. }));
    some(|flaw| matches!(flaw, Flaw::NoEntry { .. }));
    some(|flaw| matches!(flaw, Flaw::BadLeaf { .. }));
}

#[test]
fn missing_and_superfluous_turns_are_noticed() {
    let dir = tempfile::tempdir().unwrap();
    for (whole, proof) in proofs() {
        let entries = whole.proofs[proof].turns.len();
        for turn in 0..4 {
            let mut file = whole.clone();
            file.proofs[proof].turns.push(turn);
            let found = flaw(both(dir.path(), &file.write(), None).unwrap_err());
            let first = entries;
            assert_eq!(found, Flaw::Unreached { unreached: 1, entries: entries + 1, first });
        }
        let mut file = whole.clone();
        file.proofs[proof].turns.pop();
        let found = flaw(both(dir.path(), &file.write(), None).unwrap_err());
        assert!(matches!(found, Flaw::NoEntry { .. }), "{found}");
        // A block less, in the middle too.
        for block in 0..entries.div_ceil(7).min(50) {
            let mut file = whole.clone();
            file.proofs[proof].turns.drain(7 * block..entries.min(7 * block + 7));
            both(dir.path(), &file.write(), None).unwrap_err();
        }
    }
}

#[test]
fn of_turns_with_one_result_the_first_is_stored() {
    let dir = tempfile::tempdir().unwrap();
    // Its 25 turns lead to 24 positions.
    let mut found = Vec::new();
    for turn in 0..26 {
        let bytes = one_entry("9x5", "standard", "6B2/7B1/9/3BW1B2/4B4 w", turn).write();
        // Turns that take the last stone prove the claim.
        found.push(both(dir.path(), &bytes, None).err().map(flaw));
    }
    let twice = |flaw: &&Option<Flaw>| matches!(flaw, Some(Flaw::DuplicateTurn { .. }));
    assert_eq!(found.iter().filter(twice).count(), 1, "{found:?}");
    assert!(matches!(found[25], Some(Flaw::NoSuchTurn { turns: 25, .. })), "{found:?}");
    assert!(!matches!(found[24], Some(Flaw::NoSuchTurn { .. })), "{found:?}");
}

/// Among many turns, wherever the first with the same result stands.
#[test]
fn a_later_turn_with_the_same_result_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let board = Board::tsivy();
    let group = SymmetryGroup::new(board);
    let mut random = SplitMix64::new(40);
    let mut found = 0;
    while found < 10 {
        let mut points: Vec<_> = board.all_points().iter().collect();
        let mut take = |count: usize| -> PointSet {
            let at = |points: &Vec<_>, random: &mut SplitMix64| random.below(points.len() as u64);
            (0..count).map(|_| points.swap_remove(at(&points, &mut random) as usize)).collect()
        };
        // Turns are numbered in the image that is stored.
        let stones = group.canonical(Stones { own: take(3), opponent: take(18) }).stones;
        let position = Position::from_mover(board, stones, Side::White).unwrap();
        let results = RuleSet::STANDARD.turns(&position);
        let results: Vec<_> = results.iter().map(|turn| position.play_unchecked(turn)).collect();
        let mut first = HashMap::new();
        let twice = results.iter().enumerate().find_map(|(later, after)| {
            let earlier = *first.entry(after).or_insert(later);
            (earlier < later && earlier >= 16).then_some((earlier, later))
        });
        let Some((earlier, later)) = twice else { continue };
        let refused = |turn: usize| {
            let bytes = one_entry("9x5", "standard", &position.to_string(), turn as u64).write();
            both(dir.path(), &bytes, None).err().map(flaw)
        };
        let expected =
            Flaw::DuplicateTurn { position: position.to_string(), turn: later as u32, earlier };
        assert_eq!(refused(later), Some(expected));
        assert!(!matches!(refused(earlier), Some(Flaw::DuplicateTurn { .. })), "{position}");
        found += 1;
    }
}

#[test]
fn other_claims_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for whole in small().filter(|file| file.proofs[0].wins) {
        let mut loses = whole.clone();
        loses.proofs[0].by_mover = false;
        both(dir.path(), &loses.write(), None).unwrap_err();
        let mut twice = whole.clone();
        twice.proofs.push(whole.proofs[0].clone());
        both(dir.path(), &twice.write(), None).unwrap_err();
        let mut none = whole.clone();
        none.proofs.clear();
        both(dir.path(), &none.write(), None).unwrap_err();
        // A win is at least a draw too.
        let mut draw = whole.clone();
        draw.proofs[0].wins = false;
        let proved =
            both(dir.path(), &draw.write(), None).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(proved.claim, "draw or better");
    }
}

/// In this draw without tables, every game that ends is won, so a win fails only by cycles.
#[test]
fn cycles_are_no_wins() {
    let dir = tempfile::tempdir().unwrap();
    let whole = kept_proof("5x3-free-capture.proof");
    for proof in 0..2 {
        let mut file = File { proofs: vec![whole.proofs[proof].clone()], ..whole.clone() };
        both(dir.path(), &file.write(), None).unwrap_or_else(|error| panic!("{error}"));
        file.proofs[0].wins = true;
        let found = flaw(both(dir.path(), &file.write(), None).unwrap_err());
        assert!(matches!(found, Flaw::Cycle { .. }), "{found}");
    }
}

#[test]
fn other_headers_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let whole = kept_proof("3x3-standard.proof");
    let changes: [fn(&mut File); 14] = [
        |file| file.board = "3x5".to_owned(),
        |file| file.board = "4x4".to_owned(),
        |file| file.board = "255x255".to_owned(),
        |file| file.rules = "standards".to_owned(),
        |file| file.rules = "standard+victor-black".to_owned(),
        |file| file.rules = "standard+no-turns-draw+no-turns-draw".to_owned(),
        |file| file.rules = "vela".to_owned(),
        |file| file.position = "BBB/1BW/WWW w".to_owned(),
        |file| file.position = "BBB/B1W/WW1W w".to_owned(),
        |file| file.position = "BBB/B1W/WW w".to_owned(),
        |file| file.position = "BBB/BBW/WWW w".to_owned(),
        |file| file.block_entries = 0,
        |file| file.block_entries = 65_537,
        |file| file.block_entries = 1 << 20,
    ];
    for change in changes {
        let mut file = whole.clone();
        change(&mut file);
        let bytes = file.assemble(&whole.counts(), &whole.blocks());
        both(dir.path(), &bytes, None).unwrap_err();
    }
    // Runs of more than nine empty points: digits, nines first.
    let wide = |position| one_entry("13x3", "standard", position, 0).write();
    let found = flaw(both(dir.path(), &wide("B93/94/93W w"), None).unwrap_err());
    assert!(matches!(found, Flaw::NoEntry { .. }), "{found}");
    let error = both(dir.path(), &wide("B39/94/93W w"), None).unwrap_err();
    assert!(error.to_string().contains("normal form"), "{error}");
    for text in ["BBB/B.W/WWW w", "BBB/B1W/WWW w 0", "BBB/B1W/WWW  w", "bbb/b1w/www w"] {
        let file = File { position: text.to_owned(), ..whole.clone() };
        let error = both(dir.path(), &file.write(), None).unwrap_err();
        assert!(error.to_string().contains("normal form"), "{error}");
    }
    let rules = "standard+no-turns-draw+direction-strict".to_owned();
    let error = both(dir.path(), &File { rules, ..whole }.write(), None).unwrap_err();
    assert!(error.to_string().contains("options in their order"), "{error}");
}

/// A draw has one proof of each side, first that of the side to move. Each alone is a bound.
#[test]
fn a_draw_has_a_proof_of_each_side() {
    let dir = tempfile::tempdir().unwrap();
    let whole = kept_proof("5x3-free-capture.proof");
    let claim = |proofs: &[usize]| {
        let proofs = proofs.iter().map(|number| whole.proofs[*number].clone()).collect();
        let file = File { proofs, ..whole.clone() };
        both(dir.path(), &file.write(), None).ok().map(|proved| proved.claim)
    };
    assert_eq!(claim(&[0, 1]), Some("draw"));
    assert_eq!(claim(&[0]), Some("draw or better"));
    assert_eq!(claim(&[1]), Some("draw or worse"));
    for proofs in [&[0, 0][..], &[1, 1], &[1, 0], &[0, 1, 0], &[]] {
        assert_eq!(claim(proofs), None, "{proofs:?}");
    }
}
