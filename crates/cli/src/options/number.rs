//! Numbers as arguments.

use std::fmt::Display;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

/// A parser for whole numbers that says what to write instead.
pub(crate) fn at_least<T>(least: T) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: Copy + Display + FromStr<Err = ParseIntError> + PartialOrd,
{
    move |text| match text.parse() {
        Ok(number) if number >= least => Ok(number),
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => {
            Err("the number is too large".to_owned())
        }
        _ => Err(format!("write a whole number, {least} or more")),
    }
}

/// The same for whole numbers in a range.
pub(crate) fn between<T>(least: T, most: T) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: Copy + Display + FromStr + PartialOrd,
{
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("write a whole number, {least} to {most}"))
    }
}

/// Reads a number of seconds.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=1e9).contains(seconds));
    seconds.ok_or_else(|| "write a number of seconds, as in 0.5 or 60".to_owned())
}
