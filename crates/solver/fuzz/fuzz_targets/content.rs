//! Any bytes as the unpacked content of a saved search.

#![no_main]
#![allow(dead_code, reason = "each target uses a part of the harness")]

#[path = "../../tests/it/hostile.rs"]
mod hostile;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    hostile::check_content(bytes);
});
