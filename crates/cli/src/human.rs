//! Numbers and times as people read them. JSON has plain numbers instead.

use std::fmt::Display;

use fanorona_core::Side;

/// A whole number with a comma every three digits.
pub(crate) fn grouped(number: impl Display) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes of memory or disk space that are available, if the system reports them.
pub(crate) fn available(bytes: Option<u64>) -> String {
    match bytes {
        Some(bytes) => format!("{} MiB available", grouped(bytes >> 20)),
        None => "the system does not report what is available".to_owned(),
    }
}

/// A number of things: "1 table", "2,000 tables". The plural of `thing` ends in s.
pub(crate) fn counted(number: impl Display, thing: &str) -> String {
    let number = grouped(number);
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// The width of texts.
pub(crate) const WIDTH: usize = 80;

/// A text in lines of up to 80 columns; lines after the first one are indented.
pub(crate) fn filled(text: &str, indent: usize) -> String {
    joined(text.split(' ').map(str::to_owned), indent)
}

/// Parts that are not broken, with a space between them, in lines of up to 80 columns; lines after the
/// first one are indented.
pub(crate) fn joined(parts: impl IntoIterator<Item = String>, indent: usize) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for part in parts {
        let width = part.chars().count();
        if column > 0 && column + 1 + width > WIDTH {
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if !text.is_empty() {
            text.push(' ');
            column += 1;
        }
        text += &part;
        column += width;
    }
    text
}

/// A side at the beginning of a sentence.
pub(crate) fn name(side: Side) -> &'static str {
    match side {
        Side::White => "White",
        Side::Black => "Black",
    }
}

/// A number in millions or thousands, with two or three digits: "1.1 M", "12 M", "850 k", "42".
pub(crate) fn rounded(number: u64) -> String {
    let in_units = |unit: f64, name: &str| {
        let found = number as f64 / unit;
        let digits = usize::from(found < 9.95);
        format!("{found:.digits$} {name}")
    };
    match number {
        0..1_000 => number.to_string(),
        1_000..999_500 => in_units(1e3, "k"),
        999_500..999_500_000 => in_units(1e6, "M"),
        _ => in_units(1e9, "G"),
    }
}

/// Bytes of a file: "36 MB", "1.4 GB", "less than 1 MB".
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..500_000 => "less than 1 MB".to_owned(),
        500_000..999_500_000 => format!("{:.0} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// A time that was measured: "0.412 s", "12.3 s", "2 min 13 s", "5 h 7 min", "3 d 4 h".
pub(crate) fn duration(seconds: f64) -> String {
    // The limits are where the digits shown would round up to the next unit.
    if seconds < 9.9995 {
        format!("{seconds:.3} s")
    } else if seconds < 59.95 {
        format!("{seconds:.1} s")
    } else {
        whole_seconds(seconds)
    }
}

/// A time that was estimated, without fractions of a second: "less than 1 s", "45 s", "2 min 13 s".
pub(crate) fn rough_duration(seconds: f64) -> String {
    if seconds < 0.5 { "less than 1 s".to_owned() } else { whole_seconds(seconds) }
}

/// A time in its two largest units, rounded to the smaller one: "0 s", "45 s", "2 min 13 s".
pub(crate) fn whole_seconds(seconds: f64) -> String {
    let [whole, minutes, hours] = [1.0, 60.0, 3600.0].map(|unit| (seconds / unit).round() as u64);
    let two = |large: u64, unit: &str, small: u64, smaller: &str| match small {
        0 => format!("{large} {unit}"),
        _ => format!("{large} {unit} {small} {smaller}"),
    };
    if whole < 60 {
        format!("{whole} s")
    } else if whole < 3600 {
        two(whole / 60, "min", whole % 60, "s")
    } else if minutes < 24 * 60 {
        two(minutes / 60, "h", minutes % 60, "min")
    } else {
        two(hours / 24, "d", hours % 24, "h")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
            (u128::MAX, "340,282,366,920,938,463,463,374,607,431,768,211,455"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn one_thing_is_singular() {
        let texts = [0, 1, 2, 1000].map(|number| counted(number, "table"));
        assert_eq!(texts, ["0 tables", "1 table", "2 tables", "1,000 tables"]);
    }

    #[test]
    fn texts_fit_80_columns() {
        assert_eq!(filled("", 2), "");
        let parts = || (0..40).map(|number| format!("{number}. turn"));
        let text = joined(parts(), 2);
        assert!(text.lines().all(|line| line.len() <= WIDTH) && text.lines().count() > 3, "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("  ") && line.contains(". turn")));
        assert_eq!(text.split_whitespace().count(), 80);
        // A part that is longer has a line of its own.
        let long = "x".repeat(100);
        assert_eq!(filled(&format!("a {long} b"), 0), format!("a\n{long}\nb"));
    }

    #[test]
    fn large_numbers_are_rounded() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1.0 k"),
            (9_949, "9.9 k"),
            (9_951, "10 k"),
            (999_499, "999 k"),
            (999_500, "1.0 M"),
            (12_345_678, "12 M"),
            (7_100_000_000, "7.1 G"),
        ] {
            assert_eq!(rounded(number), text, "{number}");
        }
        let sizes = [0, 36_000_000, 999_499_999, 1_400_000_000].map(size);
        assert_eq!(sizes, ["less than 1 MB", "36 MB", "999 MB", "1.4 GB"]);
    }

    #[test]
    fn times_have_two_units_at_most() {
        for (seconds, text) in [
            (0.0, "0.000 s"),
            (0.4123, "0.412 s"),
            (9.9994, "9.999 s"),
            (9.9996, "10.0 s"),
            (59.94, "59.9 s"),
            (59.96, "1 min"),
            (133.4, "2 min 13 s"),
            (3599.6, "1 h"),
            (18_420.0, "5 h 7 min"),
            (86_399.0, "1 d"),
            (273_600.0, "3 d 4 h"),
        ] {
            assert_eq!(duration(seconds), text, "{seconds}");
        }
    }

    #[test]
    fn estimated_times_have_no_fractions() {
        for (seconds, text) in
            [(0.01, "less than 1 s"), (0.5, "1 s"), (45.2, "45 s"), (133.4, "2 min 13 s")]
        {
            assert_eq!(rough_duration(seconds), text, "{seconds}");
        }
    }
}
