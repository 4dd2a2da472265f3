//! Values of arguments: numbers, times, names, and options of other programs.

use std::fmt::Display;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Above the options of a command for special needs in its help. Options that most people use have no
/// heading, so they come first.
pub(crate) const ADVANCED_OPTIONS: &str = "Advanced options";

/// Reads a part of a list, which may have blanks around it.
pub(crate) fn part<T: FromStr>(text: &str) -> Result<T, T::Err> {
    text.trim().parse()
}

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

/// Reads a time, as in `10s`, `1m`, `500ms`, or a number of seconds.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    const UNITS: [(&str, f64); 4] = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let unit = UNITS.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit)));
    let (digits, unit) = unit.unwrap_or((text, 1.0));
    let number = digits.trim_end().parse().ok().map(|number: f64| number * unit);
    number
        .filter(|seconds| (0.0..=1e9).contains(seconds))
        .ok_or_else(|| "write a time, as in 10s, 1m or 500ms, or a number of seconds".to_owned())
}

/// The same for a time in which something can happen.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let duration = Duration::from_secs_f64(seconds(text)?);
    if duration < Duration::from_millis(1) {
        return Err("write a time of 1ms or more, as in 10s, 1m or 500ms".to_owned());
    }
    Ok(duration)
}

/// A parser of values that have these names.
pub(crate) fn one_of<T: Clone + Send + Sync + 'static, const N: usize>(
    values: [(&'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(values.iter().map(|(name, _)| *name));
    names.map(move |text| {
        let found = values.iter().find(|(name, _)| **name == text);
        found.expect("only these names are possible").1.clone()
    })
}

/// Reads `NAME=VALUE`, for an option of a program.
pub(crate) fn program_option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or(("", ""));
    if name.trim().is_empty() {
        return Err("write the name of the option, = and its value, as in Hash=64".to_owned());
    }
    Ok((name.trim().to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, expected) in [
            ("10s", 10.0),
            ("1m", 60.0),
            ("500ms", 0.5),
            ("0.5", 0.5),
            ("60", 60.0),
            ("1.5h", 5400.0),
            ("2 s", 2.0),
            ("0", 0.0),
        ] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        for wrong in ["", "s", "ms", "-1s", "1d", "1m30s", "inf", "nan", "infs", "1e10", "1e9m"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
        assert_eq!(duration("1ms"), Ok(Duration::from_millis(1)));
        assert!(duration("0").is_err() && duration("0.1ms").is_err());
    }
}
