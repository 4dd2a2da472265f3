//! The status that functions return.

use std::ffi::{CStr, c_char};

/// The outcome of a call. The numbers are part of the ABI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
#[expect(missing_docs, reason = "the texts below and the header say it")]
pub enum Status {
    Ok = 0,
    Argument = 1,
    Capacity = 2,
    BadGame = 3,
    BadPosition = 4,
    BadTurn = 5,
    IllegalTurn = 6,
    GameOver = 7,
    OtherGame = 8,
    NoTable = 9,
    VelaPhase = 10,
    OtherTable = 11,
    Damaged = 12,
    Version = 13,
    NotFound = 14,
    Io = 15,
    OutOfMemory = 16,
    Stopped = 17,
    ProofFails = 18,
    NoBook = 19,
    Panic = 20,
    BadRecord = 21,
}

impl Status {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 22] = [
        Self::Ok,
        Self::Argument,
        Self::Capacity,
        Self::BadGame,
        Self::BadPosition,
        Self::BadTurn,
        Self::IllegalTurn,
        Self::GameOver,
        Self::OtherGame,
        Self::NoTable,
        Self::VelaPhase,
        Self::OtherTable,
        Self::Damaged,
        Self::Version,
        Self::NotFound,
        Self::Io,
        Self::OutOfMemory,
        Self::Stopped,
        Self::ProofFails,
        Self::NoBook,
        Self::Panic,
        Self::BadRecord,
    ];

    /// A short text.
    pub fn text(self) -> &'static CStr {
        match self {
            Self::Ok => c"ok",
            Self::Argument => c"an argument is NULL or out of range",
            Self::Capacity => c"a buffer is too small",
            Self::BadGame => c"not a board or a rule set",
            Self::BadPosition => c"not a position",
            Self::BadTurn => c"not the text of one turn",
            Self::IllegalTurn => c"the turn is not legal",
            Self::GameOver => c"the game is over",
            Self::OtherGame => c"of another board or rule set",
            Self::NoTable => c"a table is missing",
            Self::VelaPhase => c"the colours matter in the first phase of the vela",
            Self::OtherTable => c"another table than needed",
            Self::Damaged => c"a file is damaged",
            Self::Version => c"a file has an unsupported version",
            Self::NotFound => c"a file or directory does not exist",
            Self::Io => c"reading or writing failed",
            Self::OutOfMemory => c"out of memory or threads",
            Self::Stopped => c"stopped",
            Self::ProofFails => c"the proof does not hold",
            Self::NoBook => c"a book is missing",
            Self::Panic => c"internal error",
            Self::BadRecord => c"not the text of a game",
        }
    }
}

/// The text of a status; `unknown status` for other numbers.
// SAFETY: only the header's functions have names that begin so.
#[unsafe(no_mangle)]
pub extern "C" fn fanorona_status_text(status: i32) -> *const c_char {
    let found = Status::ALL.into_iter().find(|known| *known as i32 == status);
    found.map_or(c"unknown status", Status::text).as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_numbered_in_order_and_have_different_texts() {
        for (number, status) in Status::ALL.into_iter().enumerate() {
            assert_eq!(status as usize, number);
            let same = Status::ALL.into_iter().filter(|other| other.text() == status.text());
            assert_eq!(same.count(), 1, "{status:?}");
        }
    }
}
