//! The methods of building, and their backends.

use fanorona_core::named;
use serde::Serialize;

use super::backend::Backend;
use super::{dense, plain, rows};

/// How slices are solved. If several methods are equally good for some work, the first one is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Method {
    /// Solves whole rows of positions at a time, as bits. A row is a set of stones of one side.
    Rows,
    /// Solves whole rows of positions at a time, as bits. A row is a set of occupied points. This is
    /// better if few points are empty. It works for up to 31 stones, and for up to 2²⁷ sets of
    /// occupied points: up to 7 stones on 9x5, and all slices of boards with up to 29 points.
    Dense,
    /// Solves one position at a time, from its turns. Slow, and simple enough to be checked by
    /// reading.
    Plain,
}

named!(Method, "method", Rows "rows", Dense "dense", Plain "plain");

impl Method {
    /// Those that are chosen if none is asked for.
    pub(super) const CHOSEN: [Self; 2] = [Self::Rows, Self::Dense];

    /// The backend that solves slices by this method.
    pub(super) fn backend(self) -> &'static dyn Backend {
        match self {
            Self::Rows => &rows::Rows,
            Self::Dense => &dense::Dense,
            Self::Plain => &plain::Plain,
        }
    }
}
