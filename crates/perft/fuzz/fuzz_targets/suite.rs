//! Reads any text as a perft suite.

#![no_main]

#[path = "../../tests/it/harness.rs"]
mod harness;

libfuzzer_sys::fuzz_target!(|text: &str| harness::read_as_suite(text));
