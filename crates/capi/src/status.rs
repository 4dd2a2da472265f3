//! The status that functions return.

use std::ffi::{CStr, c_char};

/// Makes the statuses, each with its number and its text.
macro_rules! statuses {
    ($($name:ident = $number:literal, $text:literal;)+) => {
        /// The outcome of a call. The numbers are part of the ABI.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(i32)]
        #[expect(missing_docs, reason = "the texts and the header say it")]
        pub enum Status {
            $($name = $number,)+
        }

        /// The short texts.
        const TEXTS: &[(Status, &CStr)] = &[$((Status::$name, $text),)+];
    };
}

statuses! {
    Ok = 0, c"ok";
    Argument = 1, c"an argument is NULL or out of range";
    Capacity = 2, c"a buffer is too small";
    BadGame = 3, c"not a board or a rule set";
    BadPosition = 4, c"not a position";
    BadTurn = 5, c"not the text of one turn";
    IllegalTurn = 6, c"the turn is not legal";
    GameOver = 7, c"the game is over";
    OtherGame = 8, c"of another board or rule set";
    NoTable = 9, c"a table is missing";
    VelaPhase = 10, c"the colours matter in the first phase of the vela";
    OtherTable = 11, c"another table than needed";
    Damaged = 12, c"a file is damaged";
    Version = 13, c"a file has an unsupported version";
    NotFound = 14, c"a file or directory does not exist";
    Io = 15, c"opening or reading failed";
    OutOfMemory = 16, c"out of memory or threads";
    ProofFails = 17, c"the proof does not hold";
    NoBook = 18, c"a book is missing";
    Panic = 19, c"internal error";
    BadRecord = 20, c"not the text of a game";
}

/// The text of a status; `unknown status` for other numbers.
// SAFETY: only the header's functions have names that begin so.
#[unsafe(no_mangle)]
pub extern "C" fn fanorona_status_text(status: i32) -> *const c_char {
    let found = TEXTS.iter().find(|(known, _)| *known as i32 == status);
    found.map_or(c"unknown status", |(_, text)| text).as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_numbered_in_order_and_have_different_texts() {
        for (number, (status, text)) in TEXTS.iter().enumerate() {
            assert_eq!(*status as usize, number);
            assert_eq!(TEXTS.iter().filter(|(_, other)| other == text).count(), 1, "{status:?}");
        }
    }
}
