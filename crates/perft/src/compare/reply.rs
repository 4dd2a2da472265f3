//! The answer of another program: what it counts below each turn, read from its output.

use fanorona_core::{Board, Position};

use super::written::WrittenTurn;

/// The most turns of an answer. No position has a tenth of them.
const MAX_LINES: usize = 1_000_000;

/// The most characters of a line that is shown.
const MAX_SHOWN: usize = 120;

/// The counts of another program at a position: below each turn, or in all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reply {
    pub lines: Vec<ReplyLine>,
    /// The count in all, if there are turns or a count.
    pub total: Option<u128>,
    /// A line that is neither a turn nor a count.
    pub other: Option<String>,
}

/// A turn with what is counted below it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ReplyLine {
    /// The turn as it is written.
    pub text: String,
    pub turn: WrittenTurn,
    pub nodes: u128,
}

impl Reply {
    /// Reads an output; see [`OtherProgram`](super::OtherProgram) for its forms.
    ///
    /// # Errors
    /// If a line begins with a turn and cannot be read, or if the sum is wrong.
    pub(super) fn read(board: Board, text: &str) -> Result<Self, String> {
        let mut lines = Vec::new();
        let (mut total, mut bare) = (None, None);
        let mut other = None;
        for (number, line) in (1..).zip(text.lines()) {
            let content = strip(line);
            if content.is_empty() {
                continue;
            }
            let (counted, shown_line) = (split_count(content), shown(line));
            match (LineKind::of(line), counted) {
                (LineKind::Turn, _) => {
                    let its_line = || format!("line {number} of its output, '{shown_line}',");
                    let (text, nodes) = counted
                        .ok_or_else(|| its_line() + " has a turn without a count behind it")?;
                    let turn = match text.parse::<Position>() {
                        Ok(position) => WrittenTurn::After(position),
                        Err(_) => WrittenTurn::read(board, text)
                            .map_err(|why| format!("{} is not understood: {why}", its_line()))?,
                    };
                    if lines.len() >= MAX_LINES {
                        return Err(format!("its output has more than {MAX_LINES} turns"));
                    }
                    lines.push(ReplyLine { text: shown(text), turn, nodes });
                }
                (LineKind::Total, Some((_, nodes))) => total = Some((nodes, number, shown_line)),
                (LineKind::Number | LineKind::Count, Some((_, nodes))) => bare = Some(nodes),
                _ => {
                    other.get_or_insert(shown_line);
                }
            }
        }
        if lines.is_empty() {
            let total = total.map(|(nodes, ..)| nodes).or(bare);
            return Ok(Self { lines, total, other });
        }
        let sum = lines.iter().fold(0_u128, |sum, line| sum.saturating_add(line.nodes));
        match total {
            Some((nodes, number, line)) if nodes != sum => Err(format!(
                "its turns add up to {sum}, but line {number} of its output says '{line}'"
            )),
            _ => Ok(Self { lines, total: Some(sum), other }),
        }
    }
}

/// The kind of a line of an answer.
///
/// ```
/// use fanorona_perft::compare::LineKind;
/// assert_eq!(LineKind::of("d3-e3A: 54"), LineKind::Turn);
/// assert_eq!(LineKind::of("Nodes searched: 724"), LineKind::Total);
/// assert_eq!(LineKind::of("724"), LineKind::Number);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LineKind {
    /// It has nothing.
    Empty,
    /// A turn, which should have a count.
    Turn,
    /// A sum that says so.
    Total,
    /// A number alone.
    Number,
    /// A count with other words or numbers.
    Count,
    /// Anything else.
    Other,
}

impl LineKind {
    /// The kind of a line.
    pub fn of(line: &str) -> Self {
        let content = strip(line);
        if content.is_empty() {
            return Self::Empty;
        }
        let counted = split_count(content);
        let first = content.split([' ', '\t', ':', ',', '=']).next().unwrap_or_default();
        // A position alone is no turn.
        let is_turn = WrittenTurn::can_begin(first) && !first.contains('/');
        match counted {
            _ if is_turn => Self::Turn,
            None => Self::Other,
            Some((turn, _)) if turn.parse::<Position>().is_ok() => Self::Turn,
            Some(("", _)) => Self::Number,
            Some((words, _)) => Self::of_words(words),
        }
    }

    /// The kind of a line with these words in front of a number.
    fn of_words(text: &str) -> Self {
        let is_letter = |c: char| c.is_alphabetic();
        let words: Vec<String> = text
            .split(|c| !is_letter(c))
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        let is_one_of = |known: &[&str]| words.iter().all(|word| known.contains(&word.as_str()));
        let is_sum = words.iter().any(|word| ["total", "searched", "sum"].contains(&word.as_str()));
        match () {
            () if words.is_empty() => Self::Count,
            () if is_sum
                && is_one_of(&[
                    "nodes", "searched", "total", "sum", "leaves", "turns", "moves",
                ]) =>
            {
                Self::Total
            }
            () if is_one_of(&["perft", "depth", "nodes", "count", "leaves", "result"]) => {
                Self::Count
            }
            () => Self::Other,
        }
    }
}

/// A line without what stands around its content: quotes and a comma as in JSON, a number in a list,
/// the words of an engine protocol.
fn strip(line: &str) -> &str {
    let line = line.trim().trim_end_matches([',', ';']).trim();
    let line = line.strip_prefix("info string ").unwrap_or(line).trim();
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = digits.len() < line.len();
    let behind = digits.strip_prefix(". ").or_else(|| digits.strip_prefix(") "));
    match behind {
        Some(behind) if is_numbered => behind.trim_start(),
        _ => line,
    }
    .trim_start_matches('"')
}

/// Splits a line into what stands in front of the last number, and the number.
fn split_count(line: &str) -> Option<(&str, u128)> {
    let line = line.trim_end_matches('"');
    let line = ["nodes", "turns", "leaves"]
        .iter()
        .find_map(|word| line.strip_suffix(word))
        .unwrap_or(line)
        .trim_end();
    let separators = [' ', '\t', ',', ';', ':', '=', '"'];
    // A number with commas between groups of digits, if it does not go on from a word.
    let grouped = line
        .rfind(|c: char| !c.is_ascii_digit() && c != ',')
        .map_or(0, |at| at + line[at..].chars().next().map_or(0, char::len_utf8));
    let grouped = line.split_at(grouped);
    let plain = line.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let plain = line.split_at(plain);
    let (front, digits) = if is_grouped(grouped.1) && grouped.0.ends_with(separators) {
        grouped
    } else if plain.0.is_empty() || plain.0.ends_with(separators) {
        plain
    } else {
        return None;
    };
    let number = digits.replace(',', "").parse().ok()?;
    Some((front.trim_end_matches(separators), number))
}

/// Whether a text is a number like `1,057`.
fn is_grouped(text: &str) -> bool {
    let mut groups = text.split(',');
    let digits = |group: &str| group.bytes().all(|b| b.is_ascii_digit());
    let first = groups.next().unwrap_or_default();
    let mut others = groups.peekable();
    (1..=3).contains(&first.len())
        && digits(first)
        && others.peek().is_some()
        && others.all(|group| group.len() == 3 && digits(group))
}

/// A text as it can be shown: short, in one line.
fn shown(text: &str) -> String {
    text.trim().chars().filter(|c| !c.is_control()).take(MAX_SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The turns with their counts, and the count in all.
    type Counts = (Vec<(String, u128)>, Option<u128>);

    fn read(text: &str) -> Result<Counts, String> {
        match Reply::read(Board::tsivy(), text) {
            Ok(reply) => {
                let lines = reply.lines.into_iter().map(|line| (line.text, line.nodes)).collect();
                Ok((lines, reply.total))
            }
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn the_common_forms_of_a_line_are_read() {
        for line in [
            "d3-e3A: 1057",
            "d3-e3A 1057",
            "  d3-e3A\t1057  ",
            "d3-e3A,1057",
            "d3-e3A, 1057",
            "d3-e3A;1057",
            "d3-e3A = 1057",
            "d3-e3A  1,057",
            "d3-e3A: 1057 nodes",
            "1. d3-e3A: 1057",
            "12) d3-e3A 1057",
            "info string d3-e3A 1057",
            "\"d3-e3A\": 1057,",
            "d3-e3A 1057\r",
        ] {
            let expected = (vec![("d3-e3A".to_owned(), 1057)], Some(1057));
            assert_eq!(read(line), Ok(expected), "{line}");
        }
        let (lines, _) = read("d3-e3,127\nd3 e3 5\nd3e3- 6\nd3,e3,7\nd3-e3xf3,g3: 8").unwrap();
        let expected =
            [("d3-e3", 127), ("d3 e3", 5), ("d3e3-", 6), ("d3,e3", 7), ("d3-e3xf3,g3", 8)];
        assert_eq!(lines, expected.map(|(text, nodes)| (text.to_owned(), nodes)));
    }

    #[test]
    fn sums_and_counts_are_told_apart() {
        let turns = "d3-e3A: 3\nd3-e3W: 4\n";
        for total in ["Nodes searched: 7", "total 7", "Total: 7", "sum = 7", "7", "perft 3 = 8", ""]
        {
            let text = format!("perft of depth 3\n{turns}\n{total}\ntime 12 ms\n");
            assert_eq!(read(&text).map(|(lines, total)| (lines.len(), total)), Ok((2, Some(7))));
        }
        let wrong = read(&format!("{turns}total 8")).unwrap_err();
        assert_eq!(wrong, "its turns add up to 7, but line 3 of its output says 'total 8'");
        for count in ["724", "perft(3) = 724", "nodes: 724", "1 5\n2 39\n3 724", "total 724"] {
            assert_eq!(read(count), Ok((vec![], Some(724))), "{count}");
        }
        assert_eq!(read(""), Ok((vec![], None)));
        assert_eq!(read("Traceback\n3 errors"), Ok((vec![], None)));
    }

    #[test]
    fn a_result_can_stand_for_a_turn() {
        let text = "9/9/2W1B4/9/9 b: 12";
        let reply = Reply::read(Board::tsivy(), text).expect("it is read");
        assert!(matches!(reply.lines[0].turn, WrittenTurn::After(_)), "{reply:?}");
        assert_eq!(reply.total, Some(12));
    }

    /// As this program prints it.
    #[test]
    fn a_table_of_counts_and_a_divide_are_read() {
        let text = "B8/9/9/9/9 w, standard\n\ndepth     turns       time\n    1   5   0.000 s\n    \
                    2  39  0.000 s\n\nd2-e3A  1,127\nd3-e3W  4\n";
        let (lines, total) = read(text).expect("it is read");
        assert_eq!((lines.len(), total), (2, Some(1131)));
    }

    #[test]
    fn a_line_that_is_not_understood_is_named() {
        let error = read("ready\nd3-e3A 1\nd3?e3 2\n").unwrap_err();
        assert!(error.contains("line 3") && error.contains("'d3?e3 2'"), "{error}");
        let error = read("d3-e3A\n").unwrap_err();
        assert!(error.contains("line 1") && error.contains("without a count"), "{error}");
    }

    proptest! {
        #[test]
        fn no_output_makes_a_panic(text in "[ -~\u{e9}\n\t]{0,200}") {
            let _ = Reply::read(Board::tsivy(), &text);
        }

        #[test]
        fn no_line_of_a_divide_makes_a_panic(
            text in "([a-zA-Z][0-9]{1,3}[-AWx+, (]{0,2}){1,6}[:, ]{0,2}[0-9,]{0,60}"
        ) {
            let _ = Reply::read(Board::tsivy(), &text);
        }
    }
}
