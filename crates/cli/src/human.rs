//! Numbers and times as people read them. JSON has plain numbers instead.

use std::fmt::Display;

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

/// Things after a label, separated by commas, in lines of up to 80 columns.
pub(crate) fn listed(label: &str, things: impl Iterator<Item = String>) -> String {
    const WIDTH: usize = 80;
    let mut text = label.to_owned();
    let mut column = label.len();
    let mut things = things.peekable();
    while let Some(mut thing) = things.next() {
        if things.peek().is_some() {
            thing.push(',');
        }
        if column + 1 + thing.len() > WIDTH {
            text += "\n ";
            column = 1;
        }
        text += &format!(" {thing}");
        column += 1 + thing.len();
    }
    text
}

/// A text in lines of up to 80 columns.
pub(crate) fn wrapped(text: &str) -> String {
    const WIDTH: usize = 80;
    let mut wrapped = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            wrapped.push('\n');
            column = 0;
        } else if column > 0 {
            wrapped.push(' ');
            column += 1;
        }
        wrapped += word;
        column += length;
    }
    wrapped
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
    fn lists_fit_80_columns() {
        assert_eq!(listed("none:", std::iter::empty()), "none:");
        let long = || (0..40).map(|number| format!("turn {number}"));
        let text = listed("best play:", long());
        assert!(text.lines().all(|line| line.len() <= 80) && text.lines().count() > 3, "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("  turn")), "{text}");
        let joined = text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        assert_eq!(joined, format!("best play: {}", long().collect::<Vec<_>>().join(", ")));
    }

    #[test]
    fn texts_are_wrapped_at_80_columns() {
        assert_eq!(wrapped(" one  word"), "one word");
        let text = "seven c".repeat(40);
        let lines = wrapped(&text);
        assert!(lines.lines().count() > 3 && lines.lines().all(|line| line.len() <= 80));
        assert_eq!(lines.replace('\n', " "), text);
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
