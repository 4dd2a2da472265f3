//! The line `option`, by which an engine declares an option, and values for options.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::text::{shown, words};

/// How an empty string is written.
const EMPTY: &str = "<empty>";

/// An option of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionDeclaration {
    /// The name. It may contain spaces. Case does not matter.
    pub name: String,
    /// The values that it takes.
    pub kind: OptionKind,
}

/// The values of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// `true` or `false`.
    Check {
        /// The value at the start.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// The value at the start.
        default: i64,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// One of several texts.
    Combo {
        /// The value at the start.
        default: String,
        /// All values.
        choices: Vec<String>,
    },
    /// No value: setting it does something.
    Button,
    /// Any text.
    String {
        /// The value at the start.
        default: String,
    },
}

/// A line that declares no option.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' declares no option; write 'name NAME type check, spin, combo, button or string …'")]
pub struct DeclarationError(String);

/// A value that an option does not have.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the option {name} cannot be '{value}'; it is {right}")]
#[expect(missing_docs, reason = "the messages say it")]
pub struct OptionValueError {
    pub name: String,
    pub value: String,
    pub right: String,
}

impl OptionDeclaration {
    /// An option.
    pub fn new(name: impl Into<String>, kind: OptionKind) -> Self {
        Self { name: name.into(), kind }
    }

    /// Whether this is its name; case does not matter.
    pub fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The value as it is to be used: `true` or `false`, a number without signs and zeros in front,
    /// or a choice in the case that the engine writes it; an empty text for `<empty>` and for a
    /// button.
    ///
    /// # Errors
    /// If the option does not have this value.
    pub fn value(&self, value: &str) -> Result<String, OptionValueError> {
        let value = value.trim();
        let error = |right: String| {
            Err(OptionValueError { name: self.name.clone(), value: shown(value), right })
        };
        match &self.kind {
            OptionKind::Check { .. } => match value.to_ascii_lowercase().as_str() {
                known @ ("true" | "false") => Ok(known.to_owned()),
                _ => error("true or false".to_owned()),
            },
            OptionKind::Spin { min, max, .. } => {
                match value.parse::<i64>().ok().filter(|number| (min..=max).contains(&number)) {
                    Some(number) => Ok(number.to_string()),
                    None => error(format!("a whole number from {min} to {max}")),
                }
            }
            OptionKind::Combo { choices, .. } => {
                match choices.iter().find(|choice| choice.eq_ignore_ascii_case(value)) {
                    Some(choice) => Ok(choice.clone()),
                    None => error(format!("one of: {}", choices.join(", "))),
                }
            }
            OptionKind::Button => Ok(String::new()),
            OptionKind::String { .. } if value == EMPTY => Ok(String::new()),
            OptionKind::String { .. } => Ok(value.to_owned()),
        }
    }
}

/// `option name Hash type spin default 64 min 1 max 1024`
impl fmt::Display for OptionDeclaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match &self.kind {
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Spin { default, min, max } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            OptionKind::Combo { default, choices } => {
                write!(f, "combo default {default}")?;
                choices.iter().try_for_each(|choice| write!(f, " var {choice}"))
            }
            OptionKind::Button => f.write_str("button"),
            OptionKind::String { default } if default.is_empty() => {
                write!(f, "string default {EMPTY}")
            }
            OptionKind::String { default } => write!(f, "string default {default}"),
        }
    }
}

/// Reads what follows the word `option`. A missing default is `false`, the least number, the first
/// choice or the empty text; a missing bound is none.
impl FromStr for OptionDeclaration {
    type Err = DeclarationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || DeclarationError(shown(text));
        let (mut name, mut kind): (Vec<&str>, Option<&str>) = (Vec::new(), None);
        let (mut default, mut min, mut max) = (Vec::new(), Vec::new(), Vec::new());
        let mut choices: Vec<Vec<&str>> = Vec::new();
        let mut field = "";
        for word in words(text) {
            match (word, field) {
                ("name", "") => field = word,
                ("type", "name") => field = word,
                // A field of a kind begins after the kind. A name may contain any word but `type`.
                ("default" | "min" | "max", _) if kind.is_some() => field = word,
                ("var", _) if kind.is_some() => {
                    field = word;
                    choices.push(Vec::new());
                }
                (_, "name") => name.push(word),
                (_, "type") if kind.is_none() => kind = Some(word),
                (_, "default") => default.push(word),
                (_, "min") => min.push(word),
                (_, "max") => max.push(word),
                (_, "var") => choices.last_mut().ok_or_else(error)?.push(word),
                _ => return Err(error()),
            }
        }
        if name.is_empty() {
            return Err(error());
        }
        let number = |words: &[&str], missing| match words {
            [] => Ok(missing),
            [word] => word.parse::<i64>().map_err(|_| error()),
            _ => Err(error()),
        };
        let default = default.join(" ");
        let kind = match kind.ok_or_else(error)? {
            "check" => match default.as_str() {
                "true" => OptionKind::Check { default: true },
                "false" | "" => OptionKind::Check { default: false },
                _ => return Err(error()),
            },
            "spin" => {
                let (min, max) = (number(&min, i64::MIN)?, number(&max, i64::MAX)?);
                let missing = if min == i64::MIN { 0 } else { min };
                let words: Vec<_> = words(&default).collect();
                OptionKind::Spin { default: number(&words, missing)?, min, max }
            }
            "combo" => {
                let choices: Vec<_> = choices.iter().map(|words| words.join(" ")).collect();
                let first = || choices.first().cloned().unwrap_or_default();
                let default = if default.is_empty() { first() } else { default };
                OptionKind::Combo { default, choices }
            }
            "button" => OptionKind::Button,
            "string" if default == EMPTY => OptionKind::String { default: String::new() },
            "string" => OptionKind::String { default },
            _ => return Err(error()),
        };
        Ok(Self { name: name.join(" "), kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<OptionDeclaration, DeclarationError> {
        text.strip_prefix("option ").unwrap_or(text).parse()
    }

    #[test]
    fn declarations_are_read_as_they_are_written() {
        for line in [
            "option name Ponder type check default false",
            "option name Move Overhead type spin default 10 min 0 max 5000",
            "option name Board type combo default 9x5 var 3x3 var 5x5 var 9x5",
            "option name Style type combo default Very Risky var Solid var Very Risky",
            "option name Clear Hash type button",
            "option name TablesPath type string default <empty>",
            "option name Book type string default a book",
        ] {
            assert_eq!(read(line).expect("a declaration").to_string(), line);
        }
        // Bounds and defaults may be missing, in any order.
        let spin = read("name x type spin max 5 default 1").expect("a declaration");
        assert_eq!(spin.kind, OptionKind::Spin { default: 1, min: i64::MIN, max: 5 });
        for wrong in [
            "",
            "name",
            "name x",
            "name x type",
            "name x type wheel",
            "name type spin default 1",
            "type spin",
            "name x type spin default a",
            "name x type spin min 1 2",
            "name x type check default maybe",
            "name x type spin 5",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_are_checked() {
        let spin = read("name Hash type spin default 1 min 1 max 9").expect("a declaration");
        assert!(spin.is_named("hASH"));
        assert_eq!(spin.value(" 007 ").as_deref(), Ok("7"));
        let error = spin.value("10").expect_err("it is too large").to_string();
        assert_eq!(error, "the option Hash cannot be '10'; it is a whole number from 1 to 9");
        let combo = read("name B type combo var Ab var cd").expect("a declaration");
        assert_eq!(combo.value("aB").as_deref(), Ok("Ab"));
        assert!(combo.value("x").expect_err("no choice").to_string().ends_with("one of: Ab, cd"));
        let check = read("name C type check default true").expect("a declaration");
        assert_eq!(check.value("FALSE").as_deref(), Ok("false"));
        assert!(check.value("").is_err());
        let string = read("name S type string").expect("a declaration");
        assert_eq!(string.value("<empty>").as_deref(), Ok(""));
        assert_eq!(string.value("a b").as_deref(), Ok("a b"));
    }
}
