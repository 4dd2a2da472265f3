//! The line `info`.

use std::fmt;
use std::time::Duration;

use super::score::InfoScore;
use super::text::words;

/// A report of an engine while it searches. Every field may be missing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// The depth of the search, in turns.
    pub depth: Option<u32>,
    /// The most turns that a line of the search has.
    pub seldepth: Option<u32>,
    /// The number of this line among the best ones; the best is 1.
    pub multipv: Option<u32>,
    /// The score, for the side to move.
    pub score: Option<InfoScore>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Positions visited in a second.
    pub nps: Option<u64>,
    /// How full the transposition table is, in thousandths.
    pub hashfull: Option<u32>,
    /// Positions that a table decided.
    pub tbhits: Option<u64>,
    /// The time taken; the protocol has milliseconds.
    pub time: Option<Duration>,
    /// The line that the score expects, as turns in the notation of the engine.
    pub pv: Vec<String>,
    /// A text for people; the rest of the line.
    pub string: Option<String>,
}

/// The words that name a field, in UCI or UGI. The values of other fields end at the next of them.
const FIELDS: [&str; 19] = [
    "depth",
    "seldepth",
    "time",
    "nodes",
    "pv",
    "multipv",
    "score",
    "currmove",
    "currmovenumber",
    "hashfull",
    "nps",
    "tbhits",
    "tthits",
    "sbhits",
    "cpuload",
    "string",
    "refutation",
    "currline",
    "wdl",
];

impl Info {
    /// A text for people. It becomes one line: line ends in it turn into spaces.
    pub fn text(text: impl fmt::Display) -> Self {
        let text = text.to_string().replace(['\n', '\r'], " ");
        Self { string: Some(text), ..Self::default() }
    }

    /// Reads what follows the word `info`. Unknown fields, and numbers that are none, are left out,
    /// as the protocol demands.
    pub(super) fn read(rest: &str) -> Self {
        let mut info = Self::default();
        // `string` takes the rest of the line, with its spaces.
        let rest = match find_word(rest, "string") {
            Some((before, text)) => {
                info.string = Some(text.to_owned());
                before
            }
            None => rest,
        };
        fn number<T: std::str::FromStr>(word: Option<&str>) -> Option<T> {
            word.and_then(|word| word.parse().ok())
        }
        let mut words = words(rest).peekable();
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = number(words.next()),
                "seldepth" => info.seldepth = number(words.next()),
                "multipv" => info.multipv = number(words.next()),
                "nodes" => info.nodes = number(words.next()),
                "nps" => info.nps = number(words.next()),
                "hashfull" => info.hashfull = number(words.next()),
                "tbhits" => info.tbhits = number(words.next()),
                "time" => info.time = number(words.next()).map(Duration::from_millis),
                "score" => info.score = InfoScore::read(&mut words),
                "pv" => {
                    info.pv.clear();
                    while let Some(turn) = words.next_if(|word| !FIELDS.contains(word)) {
                        info.pv.push(turn.to_owned());
                    }
                }
                _ => {}
            }
        }
        info
    }
}

/// The text before the first occurrence of a word, and the text after it without the spaces
/// between.
fn find_word<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let is_space = |c: Option<char>| c.is_none_or(|c| c.is_ascii_whitespace());
    let (start, _) = text.match_indices(word).find(|(start, _)| {
        let (before, after) = (&text[..*start], &text[start + word.len()..]);
        is_space(before.chars().next_back()) && is_space(after.chars().next())
    })?;
    Some((&text[..start], text[start + word.len()..].trim()))
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("info")?;
        let mut field = |name: &str, value: Option<&dyn fmt::Display>| match value {
            Some(value) => write!(f, " {name} {value}"),
            None => Ok(()),
        };
        fn shown<T: fmt::Display>(value: &Option<T>) -> Option<&dyn fmt::Display> {
            value.as_ref().map(|value| value as &dyn fmt::Display)
        }
        let time = self.time.map(|time| time.as_millis());
        let pv = (!self.pv.is_empty()).then(|| self.pv.join(" "));
        field("depth", shown(&self.depth))?;
        field("seldepth", shown(&self.seldepth))?;
        field("multipv", shown(&self.multipv))?;
        field("score", shown(&self.score))?;
        field("nodes", shown(&self.nodes))?;
        field("nps", shown(&self.nps))?;
        field("hashfull", shown(&self.hashfull))?;
        field("tbhits", shown(&self.tbhits))?;
        field("time", shown(&time))?;
        field("pv", shown(&pv))?;
        field("string", shown(&self.string))
    }
}
