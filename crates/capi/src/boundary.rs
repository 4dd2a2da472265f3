//! The boundary to C: panics stop here, and messages go into the caller's buffer.

use std::any::Any;
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::failure::Failure;
use crate::status::Status;

/// The caller's buffer for a message: `fanorona_error`.
#[derive(Debug)]
#[repr(C)]
pub struct ErrorBuffer {
    /// Where the message goes, or NULL.
    pub message: *mut c_char,
    /// Its size in bytes.
    pub capacity: usize,
    /// The length of the whole message.
    pub length: usize,
}

/// Runs the work of an exported function. A panic becomes [`Status::Panic`].
///
/// # Safety
/// `error` is NULL or points to a valid [`ErrorBuffer`], whose message is NULL or has its capacity.
#[inline]
pub(crate) unsafe fn run(
    error: *mut ErrorBuffer,
    work: impl FnOnce() -> Result<(), Failure>,
) -> Status {
    // Handles stay usable after a panic: they are immutable, atomic, or locked by code that repairs
    // a poisoned lock.
    let failure = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) if error.is_null() => return Status::Ok,
        Ok(Ok(())) => None,
        Ok(Err(failure)) => Some(failure),
        Err(payload) => Some(Failure::Panic(text_of(payload))),
    };
    // SAFETY: the caller promises it.
    unsafe { report(error, failure.as_ref()) }
}

/// Makes exported functions of bodies that may fail. Each has the caller's buffer for a message as its
/// last parameter, and returns a [`Status`].
macro_rules! exports {
    ($($(#[$doc:meta])+ fn $name:ident($($argument:ident: $type:ty),+ $(,)?) $body:block)+) => {
        $(
            $(#[$doc])+
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(
                $($argument: $type,)+
                error: *mut $crate::boundary::ErrorBuffer,
            ) -> $crate::status::Status {
                let work = || {
                    $body
                    Ok(())
                };
                // SAFETY: all pointers are NULL or as the header says.
                unsafe { $crate::boundary::run(error, work) }
            }
        )+
    };
}
pub(crate) use exports;

/// Writes the message of a failure, or an empty one.
///
/// # Safety
/// As for [`run`].
#[cold]
unsafe fn report(error: *mut ErrorBuffer, failure: Option<&Failure>) -> Status {
    if !error.is_null() && error.is_aligned() {
        let message = failure.map(Failure::message).unwrap_or_default();
        // SAFETY: it is not NULL, so it is valid.
        let ErrorBuffer { message: buffer, capacity, .. } = unsafe { error.read() };
        if !buffer.is_null() && capacity > 0 {
            let kept = truncated(&message, capacity - 1);
            // SAFETY: the buffer has room for the kept bytes and the NUL behind them.
            unsafe {
                buffer.cast::<u8>().copy_from_nonoverlapping(kept.as_ptr(), kept.len());
                buffer.add(kept.len()).write(0);
            }
        }
        // SAFETY: as above.
        unsafe { (&raw mut (*error).length).write(message.len()) };
    }
    failure.map_or(Status::Ok, Failure::status)
}

/// The beginning of a text, of at most this number of bytes, without a part of a character.
fn truncated(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// The message of a panic.
fn text_of(payload: Box<dyn Any + Send>) -> String {
    let text = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (None, Some(text)) => text.clone(),
        (None, None) => "a panic without a text".to_owned(),
    };
    // Dropping it could panic again.
    std::mem::forget(payload);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(
        capacity: usize,
        work: impl FnOnce() -> Result<(), Failure>,
    ) -> (Status, String, usize) {
        let mut buffer = vec![b'x' as c_char; capacity + 1];
        let mut error = ErrorBuffer { message: buffer.as_mut_ptr(), capacity, length: 99 };
        // SAFETY: the buffer has this capacity.
        let status = unsafe { run(&raw mut error, work) };
        assert_eq!(buffer[capacity], b'x' as c_char, "a byte behind the buffer was written");
        let bytes: Vec<u8> = buffer.iter().map(|c| *c as u8).take_while(|c| *c != 0).collect();
        if capacity > 0 {
            assert!(bytes.len() < capacity, "the text has no end");
        }
        (status, String::from_utf8(bytes).expect("whole characters"), error.length)
    }

    #[test]
    fn messages_are_cut_at_characters() {
        let text = "é€ab";
        for (capacity, kept) in
            [(1, ""), (2, ""), (3, "é"), (5, "é"), (6, "é€"), (7, "é€a"), (9, text)]
        {
            let fails = || Err(Failure::BadTurn(String::new()));
            let _ = said(capacity, fails);
            assert_eq!(truncated(text, capacity - 1), kept);
        }
        let (status, message, length) = said(8, || Err(Failure::Null("position")));
        assert_eq!((status, message.as_str(), length), (Status::Argument, "positio", 16));
        let (_, _, length) = said(0, || Err(Failure::Null("position")));
        assert_eq!(length, 16);
    }

    #[test]
    fn success_empties_the_message() {
        assert_eq!(said(8, || Ok(())), (Status::Ok, String::new(), 0));
    }

    #[test]
    fn panics_become_a_status() {
        let number = 7;
        let (status, message, _) = said(64, || panic!("number {number}"));
        assert_eq!((status, message.as_str()), (Status::Panic, "internal error: number 7"));
        let (_, message, _) = said(64, || panic!("plain"));
        assert_eq!(message, "internal error: plain");
        let (_, message, _) = said(64, || std::panic::panic_any(7_u8));
        assert_eq!(message, "internal error: a panic without a text");
    }
}
