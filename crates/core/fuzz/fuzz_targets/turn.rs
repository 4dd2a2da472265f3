//! Any text as a turn, with its position and rule set on further lines.

#![no_main]

#[path = "../../tests/it/harness.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod harness;

libfuzzer_sys::fuzz_target!(|text: &str| harness::read_as_turn(text));
