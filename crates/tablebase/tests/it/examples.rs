//! The examples run.

#[path = "../../examples/list.rs"]
#[expect(dead_code, reason = "its main function reads arguments")]
mod list;
#[path = "../../examples/probe.rs"]
mod probe;
#[path = "../../examples/probe_many.rs"]
#[expect(dead_code, reason = "its main function reads arguments")]
mod probe_many;

use std::path::Path;

use fanorona_core::Value;
use fanorona_tablebase::Metric;

use crate::common::{Built, board, rules};

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

#[test]
fn probe_many_runs() {
    let built = Built::new(board("9x5"), rules("standard"), 2, &[Metric::Wdl]);
    // b1 against d1, which is captured from c1; and no stone of one's own.
    let bytes: Vec<u8> = [2_u64, 8, 0, 8].into_iter().flat_map(u64::to_le_bytes).collect();
    let positions = probe_many::positions(board("9x5"), &bytes).unwrap();
    let values = probe_many::values(&built.tables, &positions).unwrap();
    assert_eq!(values, [Value::Win as u8, Value::Loss as u8]);
    for wrong in [&bytes[..7], &bytes[..8]] {
        assert!(probe_many::positions(board("9x5"), wrong).is_err());
    }
}
