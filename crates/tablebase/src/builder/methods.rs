//! Creating the builder of a method.

use super::context::{BuildContext, SliceBuilder};
use super::dense::DenseBuilder;
use super::options::Method;
use super::plain::PlainBuilder;
use super::rows::{ColumnSets, RowsBuilder};

/// Creates a builder without any solved slices.
pub(super) fn new_builder<'a>(
    method: Method,
    context: BuildContext<'a>,
    columns: &'a ColumnSets<'a>,
) -> Box<dyn SliceBuilder + 'a> {
    match method {
        Method::Auto | Method::Rows => Box::new(RowsBuilder::new(context, columns)),
        Method::Dense => Box::new(DenseBuilder::new(context)),
        Method::Plain => Box::new(PlainBuilder::new(context)),
    }
}
