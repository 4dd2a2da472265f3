//! Files that need much time or memory.

use std::fs;

use fanorona_recheck::{CheckError, Flaw, Limits, check};

use crate::file::{File, Proof, both, kept_proof, one_entry, recheck, sign};

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
    file.proofs = vec![Proof { by_mover: false, wins: false, entries: vec![] }];
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
    let mut file = File::read(&kept_proof("3x3-standard.proof"));
    file.proofs[0].entries.clear();
    let small = file.write();
    let count_at = small.len() - 12;
    for (entries, blocks, says) in [
        (1_u64 << 40, 0, "the length of the index is 0, and should be 34359738368"),
        (u64::MAX, 0, "the length of the index"),
        (1 << 27, 1 << 17, "more than 67108864 entries"),
    ] {
        // An index of zeros between the prelude and the header.
        let mut bytes = small[..64].to_vec();
        bytes.resize(64 + 32 * blocks, 0);
        bytes.extend(&small[64..]);
        let at = count_at + 32 * blocks;
        bytes[at..at + 8].copy_from_slice(&entries.to_le_bytes());
        bytes[24..32].copy_from_slice(&(64 + 32 * blocks as u64).to_le_bytes());
        sign(&mut bytes);
        fs::write(&path, bytes).unwrap();
        let error = recheck(&path, None).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
    }
}
