//! Truncated files and files with changed bits.

use fanorona_recheck::CheckError;

use crate::file::{both, kept_proof, recheck, sign, write};

#[test]
fn truncated_files_are_unusable() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = kept_proof("5x3-standard.proof");
    for length in 0..bytes.len() {
        for signed in [false, true] {
            let mut bytes = bytes[..length].to_vec();
            if signed && length >= 64 {
                sign(&mut bytes);
            }
            let error = both(dir.path(), &bytes, None).unwrap_err();
            assert!(matches!(error, CheckError::Damaged { .. }), "{error}");
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
        let bytes = kept_proof(name);
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
        let bytes = kept_proof(name);
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
    // Fields that `sign` corrects, and frames that decompress to the same bytes or to another turn.
    assert!(refused > 5 * accepted && accepted > 0, "{accepted} accepted, {refused} refused");
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
