//! Lines of commands from a source that may send anything.

use std::io::{BufRead, ErrorKind};

/// The longest line, in bytes: a game of more than 100,000 turns.
pub const MAX_LINE_BYTES: usize = 1 << 20;

/// A line of input.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Line {
    /// Its text, without its end. Bytes that are not UTF-8 are replaced.
    Text(String),
    /// It is longer than [`MAX_LINE_BYTES`]; nothing of it is kept.
    TooLong,
}

/// Reads the next line. `None` at the end of the input, and if it cannot be read.
pub(super) fn next_line(input: &mut impl BufRead) -> Option<Line> {
    let (mut line, mut is_too_long) = (Vec::new(), false);
    loop {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        if bytes.is_empty() {
            // The last line may lack its end.
            return (is_too_long || !line.is_empty()).then(|| finished(&line, is_too_long));
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        is_too_long |= line.len() + part.len() > MAX_LINE_BYTES;
        if is_too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Some(finished(&line, is_too_long));
        }
    }
}

fn finished(line: &[u8], is_too_long: bool) -> Line {
    if is_too_long {
        return Line::TooLong;
    }
    Line::Text(String::from_utf8_lossy(line).into_owned())
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    fn lines(input: impl Read) -> Vec<Line> {
        let mut input = BufReader::with_capacity(7, input);
        std::iter::from_fn(|| next_line(&mut input)).collect()
    }

    fn text(line: &str) -> Line {
        Line::Text(line.to_owned())
    }

    #[test]
    fn lines_end_at_line_ends_and_at_the_end() {
        assert_eq!(
            lines(&b"uci\r\n\na longer line\nlast"[..]),
            [text("uci\r"), text(""), text("a longer line"), text("last"),]
        );
        assert_eq!(lines(&b""[..]), []);
        assert_eq!(lines(&b"go \xff\xfe\n"[..]), [text("go \u{fffd}\u{fffd}")]);
    }

    #[test]
    fn a_long_line_is_dropped() {
        let longest = "x".repeat(MAX_LINE_BYTES);
        let input = format!("{longest}\n{longest}x\nstop\n{longest}y");
        let found = lines(input.as_bytes());
        assert_eq!(found, [text(&longest), Line::TooLong, text("stop"), Line::TooLong]);
        // A stream without line ends takes no memory.
        assert_eq!(lines(std::io::repeat(0).take(20 << 20)), [Line::TooLong]);
    }
}
