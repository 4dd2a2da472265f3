//! Reads any bytes as a table, after updating its checksums, so that the checks behind them are
//! reached.

#![no_main]

#[path = "../../tests/it/harness.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod harness;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    harness::sign_all(&mut bytes);
    harness::read_as_table(&bytes);
});
