//! The example of the crate, run as it is.

use std::sync::atomic::AtomicBool;

use fanorona_proof::Certificate;

#[expect(dead_code, reason = "its main function is not called")]
#[path = "../../examples/prove.rs"]
mod prove;

/// It prints what its page shows, and the certificate holds.
#[test]
fn the_example_proves_a_start() {
    let page = include_str!("../../examples/prove.rs");
    let shown = page.lines().skip_while(|line| !line.contains("$ cargo run")).skip(1);
    let shown = shown.take_while(|line| !line.contains("```"));
    let shown: String = shown.map(|line| format!("{}\n", &line["//! ".len()..])).collect();

    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("3x5.cert").to_str().expect("it is text").to_owned();
    let mut out = Vec::new();
    prove::prove("3x5".parse().expect("a board"), &file, &mut out).expect("it is proved");
    let printed = String::from_utf8(out).expect("it is text").replace(&file, "3x5.cert");
    assert_eq!(printed, shown);
    let certificate = Certificate::open(&file).expect("it is written");
    certificate.check(None, &AtomicBool::new(false), |_| {}).expect("it holds");
}
