//! Books: certificates that answer positions.

use std::ffi::c_char;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use fanorona_knowledge::{Book, Knowledge, Source};

use crate::boundary::exports;
use crate::failure::Failure;
use crate::game::{CPosition, GameHandle};
use crate::grow::{GrowingOutput, Grows};
use crate::pointers::{Output, copies, copy, frees, give, handle, optional};
use crate::pool::ask;
use crate::tables::TablesHandle;
use crate::text;
use crate::turn::CTurn;
use crate::value::CAssessment;

/// The most files of a book.
const MAX_FILES: usize = 1 << 12;

/// Certificates of one game: `fanorona_book`.
#[derive(Debug)]
pub struct BookHandle {
    pub(crate) book: Arc<Book>,
}

/// The answer of a book about a position: `fanorona_book_answer`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BookAnswer {
    /// The size of the struct.
    pub struct_size: usize,
    /// The value, as far as it is known.
    pub assessment: CAssessment,
    /// Whether there is a turn.
    pub has_turn: i32,
    /// The distance to conversion; −1 if there is none.
    pub distance: i32,
    /// The turn.
    pub turn: CTurn,
}

// SAFETY: integers and structs of integers, the size first.
unsafe impl Grows for BookAnswer {}

exports! {
    /// Opens a book.
    fn fanorona_book_open(
        game: *const GameHandle,
        files: *const *const c_char,
        count: usize,
        book: *mut *mut BookHandle,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (out, game) = unsafe {
            let out = Output::new(book, "book")?;
            out.write(std::ptr::null_mut());
            (out, handle(game, "game")?)
        };
        if count > MAX_FILES {
            let why = format!("are {count}, but {MAX_FILES} are the most");
            return Err(Failure::Argument { name: "files", why });
        }
        // SAFETY: as above.
        let files: Vec<PathBuf> = unsafe {
            let files = copies(files, count, "files")?.into_iter();
            files.map(|file| text::path(file, "a file")).collect::<Result<_, _>>()?
        };
        let book = Book::open(files)?;
        game.check("the book", book.board(), book.rules())?;
        out.write(give(BookHandle { book: Arc::new(book) }));
    }
}

frees!(fanorona_book_free, BookHandle);

exports! {
    /// Asks a book about a position.
    fn fanorona_book_lookup(
        book: *const BookHandle,
        tables: *const TablesHandle,
        position: *const CPosition,
        answer: *mut BookAnswer,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (book, tables, position, out) = unsafe {
            let book = handle(book, "book")?.book.clone();
            let tables = optional(tables, "tables")?.map(|handle| handle.tables.clone());
            let position = copy(position, "position")?;
            (book, tables, position, GrowingOutput::new(answer, "answer")?)
        };
        let (board, rules) = (book.board(), book.rules());
        let position = position.on(board)?;
        let known = Knowledge::new(board, rules, tables, Some(book.clone()))?;
        let found = ask(&known, NonZeroUsize::MIN, || known.lookup(&position))??;
        let entry = book.entry(&position)?.filter(|_| found.source == Some(Source::Proof));
        let steps = entry.as_ref().and_then(|entry| entry.distance);
        out.write(BookAnswer {
            struct_size: 0,
            assessment: found.into(),
            has_turn: entry.is_some().into(),
            distance: steps.and_then(|steps| steps.try_into().ok()).unwrap_or(-1),
            turn: entry.map_or(CTurn::EMPTY, |entry| CTurn::new(board, &entry.turn)),
        });
    }
}
