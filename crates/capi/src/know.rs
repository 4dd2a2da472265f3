//! The knowledge about a position: rules, tables and a book in one answer.

use std::num::NonZeroUsize;

use fanorona_core::Position;
use fanorona_knowledge::{Knowledge, LineEnd, RankedTurn as Ranked};

use crate::book::BookHandle;
use crate::boundary::exports;
use crate::failure::Failure;
use crate::game::{CPosition, GameHandle};
use crate::pointers::{Output, OutputArray, optional};
use crate::pool::ask;
use crate::tables::{RankedTurn, TablesHandle};
use crate::turn::CTurn;
use crate::value::CAssessment;

/// The sources of a game. Without a book, they have the certificate of its start.
///
/// # Safety
/// The pointers are NULL or as the header says.
pub(crate) unsafe fn sources(
    game: &GameHandle,
    tables: *const TablesHandle,
    book: *const BookHandle,
) -> Result<Knowledge, Failure> {
    // SAFETY: the caller promises it.
    let (tables, book) = unsafe {
        let tables = optional(tables, "tables")?.map(|handle| handle.tables.clone());
        (tables, optional(book, "book")?.map(|handle| handle.book.clone()))
    };
    Ok(Knowledge::new(game.board, game.rules, tables, book)?.with_start()?)
}

/// All that is known in a game, and a position of it.
///
/// # Safety
/// As for [`sources`].
unsafe fn known(
    game: *const GameHandle,
    tables: *const TablesHandle,
    book: *const BookHandle,
    position: *const CPosition,
) -> Result<(Knowledge, Position), Failure> {
    // SAFETY: the caller promises it.
    unsafe {
        let (game, position) = GameHandle::at(game, position)?;
        Ok((sources(game, tables, book)?.with_all_turns(), position))
    }
}

impl RankedTurn {
    /// Writes turns as far as there is room, and their number.
    pub(crate) fn write_all(
        board: fanorona_core::Board,
        ranked: &[Ranked],
        array: &OutputArray<Self>,
        count: &Output<usize>,
    ) -> Result<(), Failure> {
        for (index, ranked) in ranked.iter().enumerate() {
            let turn = CTurn::new(board, &ranked.turn);
            let (after, assessment) = (ranked.after.into(), ranked.assessment.into());
            array.write(index, Self { turn, after, assessment });
        }
        count.write(ranked.len());
        array.check(ranked.len())
    }
}

exports! {
    /// The value of a position, as far as it is known.
    fn fanorona_assess(
        game: *const GameHandle,
        tables: *const TablesHandle,
        book: *const BookHandle,
        position: *const CPosition,
        assessment: *mut CAssessment,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let ((known, position), out) = unsafe {
            (known(game, tables, book, position)?, Output::new(assessment, "assessment")?)
        };
        let found = ask(&known, NonZeroUsize::MIN, || known.assess(&position))?;
        out.write(found?.into());
    }

    /// The turns with their values, as far as these are known.
    fn fanorona_assess_turns(
        game: *const GameHandle,
        tables: *const TablesHandle,
        book: *const BookHandle,
        position: *const CPosition,
        turns: *mut RankedTurn,
        capacity: usize,
        count: *mut usize,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let ((known, position), array, out) = unsafe {
            let known = known(game, tables, book, position)?;
            let array = OutputArray::new(turns, capacity, "the array of turns")?;
            (known, array, Output::new(count, "count")?)
        };
        let found = ask(&known, NonZeroUsize::MIN, || known.turns(&position))?;
        RankedTurn::write_all(known.board(), &found?, &array, &out)?;
    }

    /// Best play from a position.
    fn fanorona_line(
        game: *const GameHandle,
        tables: *const TablesHandle,
        book: *const BookHandle,
        position: *const CPosition,
        line: *mut RankedTurn,
        capacity: usize,
        count: *mut usize,
        end: *mut i32,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let ((known, position), array, count, end) = unsafe {
            let known = known(game, tables, book, position)?;
            let array = OutputArray::new(line, capacity, "the array of the line")?;
            (known, array, Output::new(count, "count")?, Output::new(end, "end")?)
        };
        let found = ask(&known, NonZeroUsize::MIN, || known.line(&position, capacity))??;
        RankedTurn::write_all(known.board(), &found.line, &array, &count)?;
        end.write(match found.end {
            LineEnd::Finished => 0,
            LineEnd::TableEdge => 1,
            LineEnd::Repetition => 2,
            LineEnd::Unknown => 3,
            LineEnd::Length => 4,
        });
    }
}
