//! Answers from a part of the tables, against all of them: an answer may say less, but nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use fanorona_core::{Board, Position, RuleSet, Side, SplitMix64, Stones, Value};
use serde_json::Value as Json;

/// A value with its distance, as complete tables have it.
pub type Truth = (Value, Option<u16>);

/// What an answer says of a position for the side to move, or of a turn for its mover.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Told {
    /// The value is this or better.
    pub at_least: Value,
    /// The value is this or worse.
    pub at_most: Value,
    /// The distance.
    pub dtw: Option<u16>,
}

/// An answer about a position and its turns.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The position.
    pub position: Position,
    /// What is said of it.
    pub told: Told,
    /// The best turn.
    pub best: Option<String>,
    /// The turns in their order, with what is said of each.
    pub turns: Vec<(String, Told)>,
}

/// How many things of each kind were compared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Compared {
    /// Answers.
    pub answers: u64,
    /// Values of positions and turns that are told.
    pub values: u64,
    /// Distances of positions that are told.
    pub distances: u64,
    /// Distances of won or lost positions that are not told.
    pub without: u64,
}

/// The files of tables that a seed leaves: of both metrics or of one, and of any number of slices.
/// They become links in the other directory.
///
/// # Errors
///
/// If a directory cannot be read or written.
pub fn leave_some(from: &Path, to: &Path, random: &mut SplitMix64) -> io::Result<()> {
    let metrics: &[&str] =
        [&[".wdl."][..], &[".dtw."], &[".wdl.", ".dtw."]][random.below(3) as usize];
    let kept = [1, 3, 6, 9][random.below(4) as usize];
    let names = fs::read_dir(from)?.map(|entry| Ok(entry?.file_name().into_string()));
    // In an order that does not depend on the file system.
    let names: BTreeSet<_> = names.collect::<io::Result<_>>()?;
    for name in names.into_iter().flatten() {
        let is_left = random.below(10) < kept;
        if is_left && name.ends_with(".fano") && metrics.iter().any(|metric| name.contains(metric))
        {
            fs::hard_link(from.join(&name), to.join(&name))?;
        }
    }
    Ok(())
}

/// A position of a game that goes on, with this many stones.
pub fn position_with(
    board: Board,
    rules: &RuleSet,
    stones: u64,
    random: &mut SplitMix64,
) -> Position {
    loop {
        let mut points: Vec<_> = board.all_points().iter().collect();
        let mut sides = [Vec::new(), Vec::new()];
        for _ in 0..stones {
            let at = random.below(points.len() as u64) as usize;
            sides[random.below(2) as usize].push(points.swap_remove(at));
        }
        let [own, opponent] = sides.map(|points| points.into_iter().collect());
        let side = [Side::White, Side::Black][random.below(2) as usize];
        if let Ok(position) = Position::from_mover(board, Stones { own, opponent }, side)
            && rules.outcome(&position).is_none()
        {
            return position;
        }
    }
}

impl Told {
    /// From an object in the vocabulary of all faces.
    ///
    /// # Panics
    ///
    /// If it does not have that form.
    pub fn of_json(found: &Json) -> Self {
        let value = |name: &str| match found[name].as_str() {
            Some("win") => Some(Value::Win),
            Some("draw") => Some(Value::Draw),
            Some("loss") => Some(Value::Loss),
            Some("unknown") | None => None,
            Some(other) => panic!("{other} is no value"),
        };
        let exact = value("value");
        let dtw = found.get("dtw").map(|dtw| dtw.as_u64().expect("a number"));
        Self {
            at_least: exact.or(value("at_least")).unwrap_or(Value::Loss),
            at_most: exact.or(value("at_most")).unwrap_or(Value::Win),
            dtw: dtw.map(|dtw| dtw.try_into().expect("a distance")),
        }
    }

    /// Whether it says nothing that is not so.
    pub fn is_true(self, (value, dtw): Truth) -> bool {
        let is_exact = self.at_least == self.at_most;
        let is_within = (self.at_least..=self.at_most).contains(&value);
        is_within && self.dtw.is_none_or(|told| is_exact && Some(told) == dtw)
    }

    /// Whether a turn of which this is told may not stand before one of which `next` is told.
    fn contradicts_order(self, next: Self, position: &Self) -> bool {
        let key = |told: Self| {
            let is_best = told.dtw.is_some() && told.dtw == position.dtw;
            (is_best, told.at_most >= position.at_least, told.at_least, told.at_most)
        };
        if key(self) != key(next) || self.at_least != self.at_most {
            return key(self) < key(next);
        }
        match (self.at_least, self.dtw, next.dtw) {
            (Value::Win, Some(one), Some(other)) => one > other,
            (Value::Loss, Some(one), Some(other)) => one < other,
            _ => false,
        }
    }
}

impl Answer {
    /// From an object in the vocabulary of all faces.
    ///
    /// # Panics
    ///
    /// If it does not have that form.
    pub fn of_json(found: &Json) -> Self {
        let text = |found: &Json| found.as_str().expect("a text").to_owned();
        let turns = found["turns"].as_array().map_or(&[][..], Vec::as_slice);
        Self {
            position: text(&found["position"]).parse().expect("a position"),
            told: Told::of_json(found),
            best: found.get("best").and_then(Json::as_str).map(str::to_owned),
            turns: turns.iter().map(|turn| (text(&turn["turn"]), Told::of_json(turn))).collect(),
        }
    }
}

impl Compared {
    /// Compares an answer with the complete tables.
    ///
    /// # Panics
    ///
    /// If it says what is not so: a value, a bound, a distance, the best turn, the order of turns, or
    /// which turns there are.
    pub fn check(&mut self, rules: &RuleSet, truth: impl Fn(&Position) -> Truth, answer: &Answer) {
        let Answer { position, told, best, turns } = answer;
        let here = truth(position);
        assert!(told.is_true(here), "{position}: {told:?} is told, {here:?} is so: {answer:?}");
        let true_of = |text: &str| {
            let turn = rules.parse_turn(position, text).expect("a legal turn");
            let (value, dtw) = truth(&position.play_unchecked(&turn));
            (-value, dtw.map(|dtw| dtw + 1))
        };
        let truths: Vec<_> = turns.iter().map(|(text, _)| true_of(text)).collect();
        for ((text, told), there) in turns.iter().zip(&truths) {
            assert!(told.is_true(*there), "{position} {text}: {told:?}, {there:?} is so");
            self.values += u64::from(told.at_least == told.at_most);
        }
        for pair in turns.windows(2) {
            let [(_, one), (_, next)] = pair else { unreachable!("two") };
            assert!(!one.contradicts_order(*next, told), "{position}: {pair:?}");
        }
        let is_known = told.at_least == told.at_most;
        if let Some(best) = best {
            let (value, dtw) = true_of(best);
            assert!(value >= told.at_least, "{position}: {best} gives the value away");
            assert!(told.dtw.is_none() || told.dtw == dtw, "{position}: {best} takes {dtw:?}");
        }
        if let (Some((first, of_first)), Some(there)) = (turns.first(), truths.first()) {
            let all: BTreeSet<_> = turns.iter().map(|(text, _)| text).collect();
            let count = rules.turns(position).len();
            assert_eq!((all.len(), turns.len()), (count, count), "{position}");
            // What is told of the position is what the first turn gives, unless that is unknown.
            let gives_away = there.0 < told.at_least && of_first.at_least > Value::Loss;
            assert!(!gives_away, "{position}: {first} gives the value away");
        }
        self.answers += 1;
        self.values += u64::from(is_known);
        self.distances += u64::from(told.dtw.is_some());
        self.without += u64::from(is_known && told.dtw.is_none() && here.1.is_some());
    }
}
