//! Creating the builder of a method.

use fanorona_core::Board;

use super::context::{BuildContext, SliceBuilder};
use super::options::Method;
use super::plain::PlainBuilder;
use super::rows::{ColumnSets, RowsBuilder, check_columns};
use crate::error::Result;
use crate::slice::Slice;

/// Checks that a method can number the positions of some slices, beyond what their tables need.
///
/// # Errors
/// [`TableError::TooLarge`](crate::TableError::TooLarge) if not.
pub(super) fn check_numbers(
    method: Method,
    board: Board,
    slices: impl IntoIterator<Item = Slice>,
) -> Result<()> {
    match method {
        Method::Rows => slices.into_iter().try_for_each(|slice| check_columns(board, slice)),
        Method::Plain => Ok(()),
    }
}

/// Creates a builder without any solved slices.
pub(super) fn new_builder<'a>(
    method: Method,
    context: BuildContext<'a>,
    columns: &'a ColumnSets<'a>,
) -> Box<dyn SliceBuilder + 'a> {
    match method {
        Method::Rows => Box::new(RowsBuilder::new(context, columns)),
        Method::Plain => Box::new(PlainBuilder::new(context)),
    }
}
