//! Texts and paths, in both directions.

use std::ffi::c_char;
use std::path::PathBuf;

use crate::failure::Failure;
use crate::pointers::{Output, OutputArray};

/// The most bytes of a text that is read.
pub(crate) const MAX_TEXT: usize = 4095;

/// The bytes of a text, without the NUL at its end.
///
/// # Safety
/// The pointer is NULL or points to bytes that end with NUL, or to more than [`MAX_TEXT`] bytes.
unsafe fn bytes<'a>(text: *const c_char, name: &'static str) -> Result<&'a [u8], Failure> {
    if text.is_null() {
        return Err(Failure::Null(name));
    }
    for length in 0..=MAX_TEXT {
        // SAFETY: no byte before this one was NUL, so this one belongs to the text.
        if unsafe { text.add(length).read() } == 0 {
            // SAFETY: these bytes have just been read.
            return Ok(unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) });
        }
    }
    let why = format!("has no end within {MAX_TEXT} bytes");
    Err(Failure::Argument { name, why })
}

/// A text.
///
/// # Safety
/// As for [`bytes`].
pub(crate) unsafe fn read<'a>(text: *const c_char, name: &'static str) -> Result<&'a str, Failure> {
    // SAFETY: the caller promises it.
    let bytes = unsafe { bytes(text, name) }?;
    std::str::from_utf8(bytes)
        .map_err(|_| Failure::Argument { name, why: "is not UTF-8".to_owned() })
}

/// A path: any bytes on Unix, UTF-8 elsewhere.
///
/// # Safety
/// As for [`bytes`].
pub(crate) unsafe fn path(text: *const c_char, name: &'static str) -> Result<PathBuf, Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        // SAFETY: the caller promises it.
        let bytes = unsafe { bytes(text, name) }?;
        Ok(std::ffi::OsStr::from_bytes(bytes).into())
    }
    #[cfg(not(unix))]
    {
        // SAFETY: the caller promises it.
        unsafe { read(text, name) }.map(PathBuf::from)
    }
}

/// The caller's buffer for a text.
pub(crate) struct TextBuffer {
    buffer: OutputArray<c_char>,
    capacity: usize,
    length: Option<Output<usize>>,
}

impl TextBuffer {
    /// The buffer may be NULL if its capacity is 0, and `length` may be NULL.
    ///
    /// # Safety
    /// The buffer is NULL or has its capacity, until the call ends. `length` is NULL or valid.
    pub(crate) unsafe fn new(
        buffer: *mut c_char,
        capacity: usize,
        length: *mut usize,
    ) -> Result<Self, Failure> {
        // SAFETY: the caller promises it.
        let array = unsafe { OutputArray::new(buffer, capacity, "the buffer of the text") }?;
        let length = match length.is_null() {
            true => None,
            // SAFETY: the caller promises it.
            false => Some(unsafe { Output::new(length, "length") }?),
        };
        Ok(Self { buffer: array, capacity, length })
    }

    /// Writes a text, if it fits with a NUL behind it; otherwise an empty one. The length is that of
    /// the text either way.
    pub(crate) fn write(&self, text: &str) -> Result<(), Failure> {
        if let Some(length) = &self.length {
            length.write(text.len());
        }
        let fits = text.len() < self.capacity;
        let written = if fits { text } else { "" };
        for (index, byte) in written.bytes().chain([0]).enumerate() {
            self.buffer.write(index, byte as c_char);
        }
        self.buffer.check(text.len() + 1)
    }
}
