//! Reads arbitrary bytes as a certificate, and panics if the crate misbehaves. The tests and the
//! fuzz targets under `fuzz` share it.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, RuleSet};
use fanorona_knowledge::{Book, BookError};
use fanorona_proof::{Certificate, CertificateError};
use fanorona_tablebase::Tables;
use tempfile::TempDir;

use crate::reference::{File, assemble, sign, sign_blocks};

/// A table that certificates may need: that of 2v1 on 3x3.
static TABLES: LazyLock<(TempDir, Tables)> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let table =
        include_bytes!("../../../tablebase/tests/golden/version-1/3x3_standard_2v1.wdl.fano");
    fs::write(dir.path().join("3x3_standard_2v1.wdl.fano"), table).unwrap();
    let tables = Tables::open(dir.path(), Board::telo(), RuleSet::STANDARD).unwrap();
    (dir, tables)
});

/// Opens bytes as a certificate, calls all its methods, and checks it. The slow checker must agree
/// with accepted certificates. Errors must name the file, unless they are about a table.
pub(crate) fn check_as_certificate(bytes: &[u8]) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("proof.cert");
    fs::write(&path, bytes).unwrap();
    let never = AtomicBool::new(false);
    let certificate = match Certificate::open(&path) {
        Ok(certificate) => certificate,
        Err(error) => return names_it(&error),
    };
    assert_eq!(certificate.path(), path);
    assert_eq!(certificate.bytes(), bytes.len() as u64);
    assert_eq!(certificate.position().board(), certificate.board());
    assert!(certificate.rules().check(certificate.board()).is_ok());
    let _ = (certificate.bounds(), certificate.checksum(), format!("{certificate:?}"));
    let tables = &TABLES.1;
    ask_as_book(&path, &certificate, tables);
    for tables in [None, Some(tables)] {
        match certificate.check(tables, &never, |_| {}) {
            Ok(positions) => {
                assert_eq!(positions, certificate.positions());
                assert!(File::read(bytes).is_true(tables), "it is accepted and is not true");
            }
            Err(CertificateError::Tables(_)) => {}
            Err(error) => names_it(&error),
        }
    }
}

/// Asks a book about the first positions, with tables and without.
fn ask_as_book(path: &Path, certificate: &Certificate, tables: &Tables) {
    let book = Book::open([path]).unwrap();
    let is_of = (tables.board(), tables.rules()) == (book.board(), book.rules());
    let mut positions = vec![certificate.position()];
    positions.extend(book.rules().successors(&certificate.position()).into_iter().take(50));
    for position in positions {
        for tables in [None, Some(tables).filter(|_| is_of)] {
            match book.lookup(&position, tables) {
                Ok(_) => {
                    if let Ok(Some(entry)) = book.entry(&position) {
                        assert!(book.rules().turns(&position).contains(&entry.turn));
                    }
                }
                Err(BookError::Certificate(error)) => names_it(&error),
                Err(BookError::Tables(_) | BookError::Contradiction { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
    let _ = book.missing_tables(Some(tables)).map(|missing| missing.map(|m| m.to_string()));
}

fn names_it(error: &CertificateError) {
    let message = error.to_string();
    assert!(message.contains("proof.cert"), "{message}");
}

/// Does the same after updating length and checksums.
pub(crate) fn check_signed(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= 64 {
        sign_blocks(&mut bytes);
        sign(&mut bytes);
    }
    check_as_certificate(&bytes);
}

/// Does the same with a certificate of a win on 3x3 whose only block unpacks to these bytes, after
/// the first one, which is the number of entries.
pub(crate) fn check_block(bytes: &[u8]) {
    let Some((&count, turns)) = bytes.split_first() else { return };
    let file = File::read(include_bytes!("../golden/win.cert"));
    let block = zstd::encode_all(turns, 3).unwrap();
    check_as_certificate(&assemble(&[block], &file.header(&[count.max(1).into()])));
}
