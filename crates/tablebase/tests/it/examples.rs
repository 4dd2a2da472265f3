//! The examples run.

#[path = "../../examples/list.rs"]
#[expect(dead_code, reason = "its main function reads arguments")]
mod list;
#[path = "../../examples/probe.rs"]
mod probe;

use std::path::Path;

#[test]
fn probe_runs() {
    probe::main().unwrap();
}

#[test]
fn list_runs() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/version-2");
    let lines = list::list(&golden).unwrap();
    assert_eq!(lines.len(), 4);
    assert!(lines[0].starts_with("3x3_standard_2v1.dtw, Packed: "), "{lines:?}");
}
