//! Reads any bytes as a certificate, after updating its checksums, so that the checks behind them
//! are reached.

#![no_main]
#![allow(dead_code, reason = "each target uses a part of the harness")]

#[path = "../../tests/it/harness.rs"]
mod harness;
#[path = "../../tests/it/reference.rs"]
mod reference;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| harness::check_signed(bytes));
