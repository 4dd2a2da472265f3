//! The example of the crate, run as it is.

use fanorona_core::Board;
use fanorona_proof::Certificate;
use std::sync::atomic::AtomicBool;

#[expect(dead_code, reason = "its main function is not called")]
#[path = "../../examples/prove.rs"]
mod prove;

/// It prints what its page shows, and the certificate holds. The search has several threads, so
/// the number of positions can differ.
#[test]
fn the_example_proves_starts() {
    let page = include_str!("../../examples/prove.rs");
    let dir = tempfile::tempdir().expect("a directory");
    for (name, claims) in [("3x5", vec!["white wins by "]), ("3x3", vec!["white wins by "])] {
        let file = dir.path().join(name).to_str().expect("it is text").to_owned();
        let mut out = Vec::new();
        let board: Board = name.parse().expect("a board");
        prove::prove(board, &file, &mut out).expect("it is proved");
        let printed = String::from_utf8(out).expect("it is text");
        let lines: Vec<_> = printed.lines().collect();
        assert_eq!(lines.len(), claims.len() + 1, "{printed}");
        for (line, claim) in lines.iter().zip(claims) {
            assert!(line.starts_with(claim), "{printed}");
            assert!(page.contains(claim), "the page shows what is printed");
        }
        let certificate = Certificate::open(&file).expect("it is written");
        certificate.check(None, &AtomicBool::new(false), |_| {}).expect("it holds");
    }
}
