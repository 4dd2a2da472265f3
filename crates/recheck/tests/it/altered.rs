//! Certificates with one change and correct checksums. The checker of `fanorona-proof` must agree.

use fanorona_recheck::{CheckError, Flaw};

use crate::file::{Entry, File, both, kept_proof, one_entry};

/// Small proofs of wins and of a draw under each rule set.
const PROOFS: [&str; 7] = [
    "3x3-standard.proof",
    "3x3-first-capture-single.proof",
    "3x3-forced-relay.proof",
    "3x3-free-capture.proof",
    "5x3-standard.proof",
    "7x3-forced-relay.proof",
    "3x7-standard.proof",
];

fn flaw(error: CheckError) -> Flaw {
    match error {
        CheckError::DoesNotHold { flaw, .. } => flaw,
        other => panic!("{other}"),
    }
}

/// Changes each entry of the proofs, and checks with both checkers. Returns how often the changed
/// certificate was accepted, and how often it was refused.
fn change_entries(change: impl Fn(&mut Vec<Entry>, usize)) -> (Vec<String>, Vec<CheckError>) {
    let dir = tempfile::tempdir().unwrap();
    let (mut accepted, mut refused) = (Vec::new(), Vec::new());
    for name in PROOFS {
        let whole = File::read(&kept_proof(name));
        both(dir.path(), &whole.write(), None).unwrap_or_else(|error| panic!("{error}"));
        for entry in 0..whole.proofs[0].entries.len() {
            let mut file = whole.clone();
            change(&mut file.proofs[0].entries, entry);
            match both(dir.path(), &file.write(), None) {
                Ok(_) => accepted.push(format!("{name}, entry {entry}")),
                Err(error) => refused.push(error),
            }
        }
    }
    (accepted, refused)
}

#[test]
fn a_missing_entry_is_noticed() {
    let (accepted, refused) = change_entries(|entries, entry| {
        entries.remove(entry);
    });
    assert!(accepted.is_empty(), "{accepted:?}");
    for error in refused {
        assert!(matches!(flaw(error), Flaw::NoEntry { .. }));
    }
}

#[test]
fn another_position_is_noticed() {
    for bit in [0, 4, 8] {
        for (own, opponent) in [(1 << bit, 0), (0, 1 << bit), (1 << bit, 1 << bit), (1 << 63, 0)] {
            let (accepted, _) = change_entries(|entries, entry| {
                entries[entry].own ^= own;
                entries[entry].opponent ^= opponent;
            });
            assert!(accepted.is_empty(), "{accepted:?}");
        }
    }
}

#[test]
fn another_distance_is_noticed() {
    for by in [1, 2, u32::MAX] {
        let (accepted, refused) = change_entries(|entries, entry| {
            let distance = &mut entries[entry].distance;
            *distance = (*distance + u64::from(by)) % (1 << 32);
        });
        assert!(accepted.is_empty(), "{accepted:?}");
        for error in refused {
            assert!(matches!(flaw(error), Flaw::WrongDistance { .. }));
        }
    }
}

#[test]
fn another_turn_is_followed() {
    for (by, all_refused) in [(1, false), (2, false), (1000, true), (u32::MAX.into(), false)] {
        let (accepted, refused) = change_entries(|entries, entry| {
            let turn = &mut entries[entry].turn;
            *turn = (*turn + by) % (1 << 32);
        });
        // Another turn may be as good.
        assert!(accepted.is_empty() || !all_refused, "{accepted:?}");
        assert!(refused.len() > 5 * accepted.len(), "{} accepted", accepted.len());
        let found = refused.into_iter().map(flaw).collect::<Vec<_>>();
        assert!(found.iter().any(|flaw| matches!(flaw, Flaw::NoSuchTurn { .. })));
    }
}

#[test]
fn a_superfluous_entry_is_noticed() {
    // The image under the half turn of a 3x3 position: not the lowest of its images.
    let (accepted, refused) = change_entries(|entries, entry| {
        let Entry { own, opponent, turn, distance } = entries[entry];
        let [own, opponent] = [own, opponent].map(|set| set << 1 & 0x3f);
        entries.push(Entry { own, opponent, turn, distance });
    });
    assert!(accepted.is_empty(), "{accepted:?}");
    assert!(refused.into_iter().any(|error| {
        matches!(error, CheckError::DoesNotHold { flaw: Flaw::Unreached { .. }, .. })
    }));
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

#[test]
fn other_claims_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for name in PROOFS {
        let whole = File::read(&kept_proof(name));
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
    // A draw is no win, with any distances.
    let mut draw = File::read(&kept_proof("5x3-free-capture.proof"));
    draw.proofs.truncate(1);
    assert_eq!(both(dir.path(), &draw.write(), None).unwrap().claim, "draw or better");
    draw.proofs[0].wins = true;
    let error = both(dir.path(), &draw.write(), None).unwrap_err();
    assert!(error.does_not_hold(), "{error}");
}

#[test]
fn other_headers_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let whole = File::read(&kept_proof("3x3-standard.proof"));
    let changes: [fn(&mut File); 12] = [
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
        |file| file.block_entries = 1 << 20,
    ];
    for change in changes {
        let mut file = whole.clone();
        change(&mut file);
        both(dir.path(), &file.write(), None).unwrap_err();
    }
    // `fanorona check` reads some texts that are not in their normal form; this checker does not.
    for text in ["BBB/B.W/WWW w", "BBB/B1W/WWW w 0", "BBB/B1W/WWW  w"] {
        let path = dir.path().join("text.proof");
        let file = File { position: text.to_owned(), ..whole.clone() };
        std::fs::write(&path, file.write()).unwrap();
        let error = crate::file::recheck(&path, None).unwrap_err();
        assert!(error.to_string().contains("normal form"), "{error}");
    }
}
