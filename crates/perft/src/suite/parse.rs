//! Reading suites.

use std::collections::{BTreeMap, HashMap};

use fanorona_core::{Position, RuleSet, error_kinds};
use thiserror::Error;

use crate::counting::Counting;

/// The most bytes of a line.
const MAX_LINE: usize = 10_000;

/// The error of a text that is not a suite.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[error("line {line}: {problem}")]
pub struct SuiteError {
    /// The line, from 1; where something is missing, the first line of the entry.
    pub line: usize,
    /// The problem, in words.
    pub problem: String,
}

error_kinds! { BadRecord: SuiteError; }

/// A position of a suite, and what should be counted there.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub struct Entry {
    /// The name of the entry, unique in its suite.
    pub id: String,
    pub rules: RuleSet,
    pub counting: Counting,
    pub position: Position,
    pub why: Option<String>,
    /// Words for what the position's turns show, in the order of the text.
    pub themes: Vec<String>,
    pub source: Option<String>,
    /// The deepest depth that a program which shares nothing with this one has counted too.
    pub reference: Option<u8>,
    /// The counts by depth; at least one.
    pub counts: BTreeMap<u8, u128>,
    /// The line of the text at which the entry begins, from 1.
    pub line: usize,
}

/// Reads a suite: its entries, in the order of the text. The time is linear in the length of the
/// text.
///
/// # Errors
/// The problem of the first wrong line.
pub fn parse(text: &str) -> Result<Vec<Entry>, SuiteError> {
    let mut entries = Vec::new();
    let mut ids = HashMap::new();
    let mut draft = Draft::default();
    // An empty line after the last one, so that every entry ends with one.
    for (line, text) in text.lines().chain([""]).enumerate().map(|(i, text)| (i + 1, text.trim())) {
        if text.starts_with('#') {
            continue;
        }
        if text.len() > MAX_LINE {
            let problem = format!("the line has more than {MAX_LINE} bytes");
            return Err(SuiteError { line, problem });
        }
        if !text.is_empty() {
            draft.add(line, text).map_err(|problem| SuiteError { line, problem })?;
        } else if draft.line.is_some() {
            let entry = std::mem::take(&mut draft).finish()?;
            if let Some(earlier) = ids.insert(entry.id.clone(), entry.line) {
                let Entry { id, line, .. } = entry;
                let problem =
                    format!("the id '{id}' is already used by the entry at line {earlier}");
                return Err(SuiteError { line, problem });
            }
            entries.push(entry);
        }
    }
    Ok(entries)
}

/// An unfinished entry.
#[derive(Default)]
struct Draft {
    line: Option<usize>,
    /// The values that are words alone, by key.
    words: HashMap<String, String>,
    rules: Option<RuleSet>,
    counting: Option<Counting>,
    position: Option<Position>,
    counts: BTreeMap<u8, u128>,
}

impl Draft {
    fn add(&mut self, line: usize, text: &str) -> Result<(), String> {
        self.line.get_or_insert(line);
        let (key, value) = text.split_once(' ').unwrap_or((text, ""));
        match (key, value.trim()) {
            (_, "") => Err(no_key(text)),
            ("rules", value) => set(&mut self.rules, key, value.parse()),
            ("count", value) => set(&mut self.counting, key, value.parse()),
            ("position", value) => set(&mut self.position, key, value.parse()),
            ("id" | "why" | "themes" | "source" | "reference", value) => {
                once(key, self.words.insert(key.to_owned(), value.to_owned()))
            }
            ("perft", value) => {
                let (depth, nodes) = value
                    .split_once(' ')
                    .and_then(|(depth, nodes)| Some((number(depth)?, number(nodes.trim())?)))
                    .ok_or_else(|| {
                        format!("'{value}' is not a depth and its count, as in 'perft 2 39'")
                    })?;
                let most = u8::MAX;
                let depth = u8::try_from(depth)
                    .map_err(|_| format!("depth {depth} is too great: the greatest is {most}"))?;
                once(&format!("perft {depth}"), self.counts.insert(depth, nodes))
            }
            _ => Err(no_key(key)),
        }
    }

    fn finish(mut self) -> Result<Entry, SuiteError> {
        let line = self.line.expect("an entry has a line");
        let error = |problem| SuiteError { line, problem };
        let missing = |key| error(format!("the entry that begins here has no '{key}'"));
        let reference = self.words.remove("reference").map(|text| {
            let depth = number(&text).and_then(|depth| depth.try_into().ok());
            depth.filter(|depth| self.counts.contains_key(depth)).ok_or_else(|| {
                error(format!("this entry has no count at the depth of 'reference {text}'"))
            })
        });
        let themes = self.words.remove("themes").unwrap_or_default();
        let entry = Entry {
            id: self.words.remove("id").ok_or_else(|| missing("id"))?,
            rules: self.rules.ok_or_else(|| missing("rules"))?,
            counting: self.counting.ok_or_else(|| missing("count"))?,
            position: self.position.ok_or_else(|| missing("position"))?,
            why: self.words.remove("why"),
            themes: themes.split_whitespace().map(str::to_owned).collect(),
            source: self.words.remove("source"),
            reference: reference.transpose()?,
            counts: self.counts,
            line,
        };
        if entry.counts.is_empty() {
            return Err(missing("perft"));
        }
        entry.rules.check(entry.position.board()).map_err(|reason| error(reason.to_string()))?;
        Ok(entry)
    }
}

/// A number of digits alone: no sign, which Rust would read.
fn number(text: &str) -> Option<u128> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

fn set<T, E: ToString>(
    place: &mut Option<T>,
    key: &str,
    value: Result<T, E>,
) -> Result<(), String> {
    once(key, place.replace(value.map_err(|error| error.to_string())?))
}

/// An error if a key has an earlier value.
fn once<T>(key: &str, earlier: Option<T>) -> Result<(), String> {
    earlier.map_or(Ok(()), |_| Err(format!("'{key}' occurs twice in this entry")))
}

fn no_key(text: &str) -> String {
    format!(
        "'{text}' is not a key: they are id, rules, count, position, why, themes, source, reference \
         and perft, each followed by a space and a value"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
# A comment, and stanzas parted by several empty lines.

id one
rules vela+stones-3
count steps
position 3/1W1/2B w
why to be read
themes both-ways  no-turn
source nowhere
reference 1
perft 1 2
perft 3 340282366920938463463374607431768211455


id two
rules standard
count turns
position 9/9/9/9/W7B b
perft 1 3";

    #[test]
    fn a_suite_is_read() {
        let entries = parse(GOOD).expect("it is a suite");
        assert_eq!(entries.len(), 2);
        assert_eq!((entries[0].id.as_str(), entries[0].line), ("one", 3));
        assert_eq!(entries[0].counting, Counting::Steps);
        assert_eq!(entries[0].rules.to_string(), "vela+stones-3");
        assert_eq!(entries[0].counts, BTreeMap::from([(1, 2), (3, u128::MAX)]));
        assert_eq!(entries[0].themes, ["both-ways", "no-turn"]);
        assert_eq!(entries[0].reference, Some(1));
        assert_eq!((entries[1].id.as_str(), entries[1].line), ("two", 15));
        assert_eq!((&entries[1].why, entries[1].reference), (&None, None));
    }

    #[test]
    fn an_empty_text_is_an_empty_suite() {
        assert_eq!(parse(""), Ok(Vec::new()));
        assert_eq!(parse("# nothing\n\n"), Ok(Vec::new()));
    }

    #[test]
    fn problems_are_reported_with_their_line() {
        let cases = [
            ("id one\n", "id one\nwhat is this\n", 4, "'what' is not a key"),
            ("id one\n", "", 3, "no 'id'"),
            ("id two", "id one", 15, "the id 'one' is already used by the entry at line 3"),
            ("count turns", "count moves", 17, "'moves' is not a way of counting"),
            ("rules standard", "rules normal", 16, "'normal' is not a rule set"),
            ("vela+stones-3", "vela", 3, "the vela's five stones are for 9x5"),
            ("3/1W1/2B w", "3/1W1/3B w", 6, "rank 1 of the position has 4 points"),
            ("perft 1 2", "perft 1 -2", 11, "'1 -2' is not a depth and its count"),
            ("perft 1 2", "perft 12", 11, "'12' is not a depth and its count"),
            ("perft 1 2", "perft", 11, "'perft' is not a key"),
            ("perft 1 2", "perft 256 2", 11, "depth 256 is too great: the greatest is 255"),
            ("perft 1 2", "perft 100000000 0", 11, "depth 100000000 is too great"),
            (
                "perft 1 2",
                "perft 1 340282366920938463463374607431768211456",
                11,
                "is not a depth and",
            ),
            ("reference 1", "reference 256", 3, "at the depth of 'reference 256'"),
            ("perft 1 2", "perft 3 2", 12, "'perft 3' occurs twice"),
            ("perft 1 3", "", 15, "no 'perft'"),
            ("reference 1", "reference 2", 3, "at the depth of 'reference 2'"),
            ("reference 1", "reference one", 3, "at the depth of 'reference one'"),
            ("count steps", "count steps\ncount turns", 6, "'count' occurs twice"),
        ];
        for (good, bad, line, message) in cases {
            let error = parse(&GOOD.replacen(good, bad, 1)).expect_err(bad);
            assert_eq!(error.line, line, "{error}");
            assert!(error.to_string().contains(message), "{error}");
        }
    }
}
