//! Any text as a position, a board, a point and a rule set.

#![no_main]

#[path = "../../tests/it/harness.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod harness;

libfuzzer_sys::fuzz_target!(|text: &str| harness::read_as_position(text));
