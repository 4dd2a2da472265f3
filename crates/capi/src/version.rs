//! The version of the library.

use std::ffi::{CStr, c_char};

/// The version from `Cargo.toml`.
const TEXT: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("a version has no NUL"),
    };

/// A part of the version.
const fn parse(digits: &str) -> u32 {
    let (mut number, mut i) = (0, 0);
    while i < digits.len() {
        number = number * 10 + (digits.as_bytes()[i] - b'0') as u32;
        i += 1;
    }
    number
}

/// The version as a number: major × 1,000,000 + minor × 1,000 + patch.
// SAFETY: only the header's functions have names that begin so.
#[unsafe(no_mangle)]
pub extern "C" fn fanorona_version() -> u32 {
    const MAJOR: u32 = parse(env!("CARGO_PKG_VERSION_MAJOR"));
    const MINOR: u32 = parse(env!("CARGO_PKG_VERSION_MINOR"));
    const PATCH: u32 = parse(env!("CARGO_PKG_VERSION_PATCH"));
    (MAJOR * 1000 + MINOR) * 1000 + PATCH
}

/// The version as a text.
// SAFETY: only the header's functions have names that begin so.
#[unsafe(no_mangle)]
pub extern "C" fn fanorona_version_text() -> *const c_char {
    TEXT.as_ptr()
}
