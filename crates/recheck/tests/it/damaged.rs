//! Truncated files, files with changed bits, and blocks that do not fit. Both checkers must agree.

use fanorona_recheck::CheckError;

use crate::file::{File, both, frame, kept_bytes, kept_proof, leb128, recheck, sign, write};

fn is_damage(error: &CheckError) -> bool {
    matches!(error, CheckError::Damaged { .. })
}

#[test]
fn truncated_files_are_unusable() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = kept_bytes("5x3-standard.proof");
    for length in 0..bytes.len() {
        for signed in [false, true] {
            let mut bytes = bytes[..length].to_vec();
            if signed && length >= 64 {
                sign(&mut bytes);
            }
            let error = both(dir.path(), &bytes, None).unwrap_err();
            assert!(is_damage(&error), "{error}");
        }
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    both(dir.path(), &longer, None).unwrap_err();
}

#[test]
fn every_changed_bit_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("changed.proof");
    for name in ["3x3-standard.proof", "3x3-free-capture.proof"] {
        let bytes = kept_bytes(name);
        for bit in 0..8 * bytes.len() {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            write(&path, bytes);
            let error = recheck(&path, None).unwrap_err();
            // The message names the file and where in it.
            let CheckError::Damaged { offset, .. } = error else { panic!("{error}") };
            assert!(offset < 64 || bit / 8 >= 64, "bit {bit}: {error}");
            assert!(error.to_string().contains("changed.proof: byte "), "{error}");
        }
    }
}

/// With correct checksums, what a changed bit means has to be judged.
#[test]
fn changed_bits_under_correct_checksums() {
    let dir = tempfile::tempdir().unwrap();
    let (mut accepted, mut refused) = (0, 0);
    for name in ["3x3-standard.proof", "3x3-free-capture.proof", "5x3-forced-relay.proof"] {
        for block_entries in [7, 65_536] {
            let bytes = File { block_entries, ..kept_proof(name) }.write();
            for bit in 8 * 8..8 * bytes.len() {
                let mut bytes = bytes.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                sign(&mut bytes);
                match both(dir.path(), &bytes, None) {
                    Ok(_) => accepted += 1,
                    Err(_) => refused += 1,
                }
            }
        }
    }
    // Fields that `sign` corrects, and frames that decompress to the same bytes or to another turn.
    // Most are the checksums of blocks, which are small here.
    assert!(refused > 2 * accepted && accepted > 0, "{accepted} accepted, {refused} refused");
}

#[test]
fn what_is_no_file_is_unusable() {
    let dir = tempfile::tempdir().unwrap();
    for path in [dir.path().to_owned(), dir.path().join("missing")] {
        let error = recheck(&path, None).unwrap_err();
        assert!(matches!(error, CheckError::Io { .. }), "{error}");
    }
    #[cfg(unix)]
    {
        let error = recheck("/dev/zero".as_ref(), None).unwrap_err();
        assert!(error.to_string().contains("not a regular file"), "{error}");
    }
}

/// A number of entries that does not match the blocks is damage, and not a proof that fails.
#[test]
fn wrong_counts_are_damage() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["5x3-standard.proof", "5x3-free-capture.proof"] {
        let whole = File { block_entries: 7, ..kept_proof(name) };
        let (counts, blocks) = (whole.counts(), whole.blocks());
        for proof in 0..counts.len() {
            let count = counts[proof];
            assert!(count % 7 > 1 && count > 14, "{count}");
            let others =
                [0, 1, count - 7, count - 1, count + 1, count + 7, 1 << 26, 1 << 40, u64::MAX];
            for other in others {
                let mut counts = counts.clone();
                counts[proof] = other;
                let error = both(dir.path(), &whole.assemble(&counts, &blocks), None).unwrap_err();
                assert!(is_damage(&error), "{other}: {error}");
            }
            // A block less, or twice.
            for change in [
                |blocks: &mut Vec<Vec<u8>>| drop(blocks.remove(1)),
                |blocks: &mut Vec<Vec<u8>>| blocks.insert(1, blocks[1].clone()),
            ] {
                let mut blocks = blocks.clone();
                change(&mut blocks);
                let error = both(dir.path(), &whole.assemble(&counts, &blocks), None).unwrap_err();
                assert!(is_damage(&error), "{error}");
            }
        }
    }
}

/// Blocks that decompress to something else than shortest numbers of up to 32 bits.
#[test]
fn damaged_blocks_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let whole = kept_proof("3x3-standard.proof");
    let plain = leb128(&whole.proofs[0].turns);
    assert_eq!(plain.len() as u64, whole.counts()[0]);
    let with = |frame| both(dir.path(), &whole.assemble(&whole.counts(), &[frame]), None);
    with(frame(&plain)).unwrap_or_else(|error| panic!("{error}"));
    let first: &[&[u8]] =
        &[&[0x80, 0x00], &[0x80], &[0xff; 6], &[0xff, 0xff, 0xff, 0xff, 0x10], &[], &[0, 0]];
    for first in first {
        let error = with(frame(&[first, &plain[1..]].concat())).unwrap_err();
        assert!(is_damage(&error), "{error}");
    }
    // The greatest number is one, but not of a turn.
    let greatest = [&[0xff, 0xff, 0xff, 0xff, 0x0f], &plain[1..]].concat();
    assert!(with(frame(&greatest)).unwrap_err().does_not_hold());
    let two_frames = [frame(&plain), frame(&[])].concat();
    let more = [frame(&plain), vec![0]].concat();
    for bytes in [vec![], plain, two_frames, more, frame(&vec![0; 1 << 20])] {
        let error = with(bytes).unwrap_err();
        assert!(is_damage(&error), "{error}");
    }
}
