//! Reads any bytes as a table.

#![no_main]

#[path = "../../tests/it/harness.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod harness;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| harness::read_as_table(bytes));
