//! The methods of building, and their backends.

use std::fmt;
use std::str::FromStr;

use fanorona_core::error_kinds;
use serde::Serialize;
use thiserror::Error;

use super::backend::Backend;

/// Defines [`Method`], given the backend of each. If several are equally good for some work, the
/// first one is chosen.
macro_rules! methods {
    (
        $(#[$doc:meta])* pub enum Method,
        $($(#[$of_method:meta])* super::$module:ident::$name:ident),+ $(,)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
        #[serde(rename_all = "lowercase")]
        #[non_exhaustive]
        pub enum Method {
            $($(#[$of_method])* $name,)+
        }

        impl Method {
            /// All methods.
            pub const ALL: [Self; [$(stringify!($name)),+].len()] = [$(Self::$name),+];

            /// The backend that solves slices by this method.
            pub(super) fn backend(self) -> &'static dyn Backend {
                match self {
                    $(Self::$name => &super::$module::$name,)+
                }
            }
        }
    };
}

methods!(
    /// How slices are solved.
    ///
    /// [`Display`](fmt::Display) and [`FromStr`] use the [names](Method::name).
    pub enum Method,
    /// Solves whole rows of positions at a time, as bits. A row is a set of stones of one side.
    super::rows::Rows,
    /// Solves whole rows of positions at a time, as bits. A row is a set of occupied points. This is
    /// better if few points are empty. It works for up to 31 stones, and for up to 2²⁷ sets of
    /// occupied points: up to 7 stones on 9x5, and all slices of boards with up to 29 points.
    super::dense::Dense,
    /// Solves one position at a time, from its turns. Slow, and simple enough to be checked by
    /// reading.
    super::plain::Plain,
);

impl Method {
    /// `rows`, `dense` or `plain`.
    pub fn name(self) -> &'static str {
        self.backend().name()
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error of a text that is not the name of a method.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is not a method: {names}", names = Method::ALL.map(Method::name).join(", "))]
pub struct ParseMethodError(String);

error_kinds! { BadParameter: ParseMethodError; }

impl FromStr for Method {
    type Err = ParseMethodError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|method| method.name() == text);
        found.ok_or_else(|| ParseMethodError(text.to_owned()))
    }
}
