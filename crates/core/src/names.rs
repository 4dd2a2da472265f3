//! Names of the values of small enums, written and read.

use thiserror::Error;

/// The error of a text that is not one of the names of a type's values, such as `white` and `black`
/// for a [`Side`](crate::Side).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{text}' is not a {what}: the names are {}", .names.join(", "))]
#[expect(missing_docs, reason = "the messages say it")]
pub struct ParseNameError {
    pub text: String,
    /// The type in words, such as `side`.
    pub what: &'static str,
    pub names: &'static [&'static str],
}

/// Gives an enum whose variants have names `ALL`, `name`, `Display` and `FromStr`.
#[doc(hidden)]
#[macro_export]
macro_rules! named {
    ($type:ident, $what:literal, $($variant:ident $name:literal),*) => {
        impl $type {
            /// All values, in their order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name, as in texts.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::ParseNameError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($name => Ok(Self::$variant),)*
                    _ => Err($crate::ParseNameError {
                        text: text.to_owned(),
                        what: $what,
                        names: &[$($name),*],
                    }),
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use std::fmt::{Debug, Display};
    use std::str::FromStr;

    use crate::{Direction, Side, StepKind, Symmetry, Value};

    fn read_as_written<T>(all: &[T], names: &[&str])
    where
        T: Copy + PartialEq + Debug + Display + FromStr<Err = super::ParseNameError>,
    {
        assert!(all.iter().map(T::to_string).eq(names.iter().copied()), "{all:?}");
        for (value, name) in all.iter().zip(names) {
            assert_eq!(name.parse(), Ok(*value));
            assert!(format!("{name} ").parse::<T>().is_err());
            assert!(name.to_uppercase().parse::<T>().is_err());
        }
        let error = "grey".parse::<T>().unwrap_err();
        assert_eq!((error.text.as_str(), error.names), ("grey", names));
        assert!(error.to_string().starts_with("'grey' is not a "), "{error}");
        assert!(error.to_string().ends_with(&names.join(", ")), "{error}");
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        read_as_written(&Side::ALL, &["white", "black"]);
        read_as_written(&Value::ALL, &["loss", "draw", "win"]);
        read_as_written(&StepKind::ALL, &["paika", "approach", "withdrawal"]);
        let compass = [
            "east",
            "north-east",
            "north",
            "north-west",
            "west",
            "south-west",
            "south",
            "south-east",
        ];
        read_as_written(&Direction::ALL, &compass);
        let symmetries = [
            "identity",
            "mirror-files",
            "mirror-ranks",
            "half-turn",
            "mirror-diagonal",
            "turn-right",
            "turn-left",
            "mirror-antidiagonal",
        ];
        read_as_written(&Symmetry::ALL, &symmetries);
    }
}
