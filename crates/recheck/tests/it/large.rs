//! Files that need much time or memory.

use std::fs;

use fanorona_recheck::{CheckError, Flaw, Limits, check};

use crate::file::{Proof, both, frame, kept_proof, one_entry, recheck};

/// White has 397,254 turns.
const MANY: &str = "B1BBB1BBB/BB2B3B/B2B1B2B/W1BB1BBB1/B2B2WBB/WB2B2B1/2BWBBB1W w";

#[test]
fn many_turns_take_little_time() {
    let dir = tempfile::tempdir().unwrap();
    let rules = "free-capture+direction-free";
    let mut file = one_entry("9x7", rules, MANY, u32::MAX.into());
    let error = both(dir.path(), &file.write(), None).unwrap_err();
    let CheckError::DoesNotHold { flaw: Flaw::NoSuchTurn { turns, .. }, .. } = error else {
        panic!("{error}")
    };
    assert_eq!(turns, 397_254);
    // The other side has the turns.
    file.proofs = vec![Proof { by_mover: false, wins: false, turns: vec![] }];
    let error = both(dir.path(), &file.write(), None).unwrap_err();
    assert!(matches!(error, CheckError::DoesNotHold { flaw: Flaw::NoEntry { .. }, .. }), "{error}");

    let mut limits = Limits::default();
    limits.turns = 100_000;
    let error = check(&dir.path().join("changed.proof"), &[], &limits).unwrap_err();
    assert!(error.to_string().contains("more than 100000 turns in one position"), "{error}");
}

/// The numbers of entries that a header claims are not believed.
#[test]
fn many_entries_are_refused_before_they_take_memory() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("large.proof");
    let file = kept_proof("3x3-standard.proof");
    for (entries, blocks, says) in [
        (1_u64 << 40, 0, "the length of the index is 0, and should be 268435456"),
        (u64::MAX, 0, "the length of the index"),
        (1 << 27, 1 << 11, "more than 67108864 entries"),
    ] {
        fs::write(&path, file.assemble(&[entries], &vec![vec![0]; blocks])).unwrap();
        let error = recheck(&path, None).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
    }
}

/// A small file with very many entries, of which it needs few.
#[test]
fn many_entries_take_no_memory() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("large.proof");
    let file = kept_proof("3x3-standard.proof");
    let zeros = frame(&vec![0; 65_536]);
    for (blocks, too_large) in [(1 << 10, false), ((1 << 10) + 1, true), (1 << 14, true)] {
        let mut bytes = file.assemble(&[(blocks as u64) << 16], &vec![zeros.clone(); blocks]);
        assert!(bytes.len() < blocks * 64 + 1000);
        // The last block is damaged. Nothing needs it.
        bytes[64 + blocks * zeros.len() - 1] ^= 1;
        fs::write(&path, bytes).unwrap();
        match recheck(&path, None).unwrap_err() {
            CheckError::TooLarge { what, .. } => assert!(too_large && what == "entries"),
            CheckError::DoesNotHold { .. } => assert!(!too_large),
            error => panic!("{error}"),
        }
    }
}
