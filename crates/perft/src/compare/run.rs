//! The comparison with another program: suites first, then one position.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use fanorona_core::{Position, RuleSet};
use rayon::prelude::*;

use super::candidate::Candidate;
use super::difference::{Answer, Asking, CompareError, Compared, Difference, OtherProgram};
use super::explain::{Cause, Observation, causes};
use super::variant::Variant;
use crate::counting::Counting;
use crate::suite::Entry;

/// The most positions that are asked about to tell mistakes apart.
const MAX_QUESTIONS: usize = 20;

/// The work to list the turns of one of them under a mistake.
const BUDGET: u64 = 100_000;

/// Positions with more nodes are left out once a difference is found.
const MANY: u128 = 2000;

/// A comparison to run: the positions to ask about, and the limits.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Comparison<'a> {
    /// The rule set that both programs follow.
    pub rules: RuleSet,
    /// A position to compare, up to a depth.
    pub position: Position,
    /// The greatest depth at the position.
    pub depth: u8,
    /// Entries of suites. Those of this rule set, of the position's board and with counts of turns
    /// are compared; the others are left out.
    pub entries: &'a [Entry],
    /// Whether the entries come first. Otherwise they only help to explain a difference.
    pub begins_with_entries: bool,
    /// The greatest count of an entry that is compared at more than depth 1.
    pub max_nodes: u128,
}

/// How far a comparison has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub enum Stage {
    /// Asking about the entries of suites.
    Entries { done: usize, of: usize },
    /// Asking about the position.
    Position,
    /// Following a difference to the position where turns differ.
    Following,
    /// Taking stones away.
    Shrinking { stones: u32 },
    /// Looking for the mistake.
    Explaining,
}

/// A theme of the suites.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub struct Theme {
    pub name: String,
    /// The number of positions with it that were compared.
    pub positions: usize,
    /// The number of those at which the other program differs.
    pub differ: usize,
}

/// The result of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Compare {
    /// The entries of the suites that can be compared.
    pub entries: usize,
    /// The entries that were compared last. Once the program differs, positions with very many turns
    /// are left out.
    pub answered: usize,
    /// The entries at which the other program differs.
    pub differ: usize,
    /// The themes of the entries, by name.
    pub themes: Vec<Theme>,
    /// The depth to which the position was compared; 0 if it was not.
    pub depth: u8,
    /// The smallest difference that was found; `None` if both programs agree.
    pub difference: Option<Difference>,
    /// The mistakes that explain it, each by itself. More than one if the answers do not tell them
    /// apart.
    pub causes: Vec<Cause>,
}

impl<'a> Comparison<'a> {
    /// Compares at a position up to a depth, and at no entry of a suite.
    pub fn new(rules: RuleSet, position: Position, depth: u8) -> Self {
        let (entries, max_nodes) = (&[][..], 2000);
        Self { rules, position, depth, entries, begins_with_entries: true, max_nodes }
    }

    /// Compares with another program, on all threads of the current rayon pool. Looks for the
    /// smallest difference: the entries are compared at depth 1 first, where turns can be read. A
    /// difference deeper down is followed to the position where turns differ. Then stones that do not
    /// matter are taken away.
    ///
    /// ```
    /// use std::convert::Infallible;
    /// use std::sync::atomic::AtomicBool;
    /// use fanorona_core::{Board, Position, RuleSet};
    /// use fanorona_perft::{Counting, divide};
    /// use fanorona_perft::compare::{CompareError, Comparison, Fault};
    ///
    /// // A program without the direction rule.
    /// let wrong: RuleSet = "standard+direction-free".parse().unwrap();
    /// let program = |_: &RuleSet, position: &Position, depth: u8| {
    ///     let lines = divide(&wrong, position, depth, Counting::Turns).into_iter();
    ///     let board = position.board();
    ///     let lines = lines.map(|line| format!("{} {}\n", line.turn.text(board), line.nodes));
    ///     Ok::<String, Infallible>(lines.collect())
    /// };
    /// let start = Board::tsivy().start();
    /// let comparison = Comparison::new(RuleSet::STANDARD, start, 3);
    /// let result = comparison.run(&program, &AtomicBool::new(false), |_| {})?;
    /// assert!(result.causes.iter().any(|cause| cause.fault == Fault::SameDirection));
    /// # Ok::<(), CompareError<Infallible>>(())
    /// ```
    ///
    /// # Errors
    /// If the program gives no answer, or `stop` is set.
    pub fn run<P: OtherProgram>(
        &self,
        program: &P,
        stop: &AtomicBool,
        progress: impl Fn(Stage) + Sync,
    ) -> Result<Compare, CompareError<P::Error>> {
        let asking = Asking { program, rules: &self.rules, stop };
        let mut result = Compare {
            entries: 0,
            answered: 0,
            differ: 0,
            themes: Vec::new(),
            depth: 0,
            difference: None,
            causes: Vec::new(),
        };
        let entries: Vec<&'a Entry> = self.entries.iter().filter(|entry| self.has(entry)).collect();
        let mut answers = Vec::new();
        let mut found = None;
        if self.begins_with_entries && !entries.is_empty() {
            let shallow = ask_all(&asking, entries.iter().map(|entry| (*entry, 1)), &progress)?;
            result.count(&entries, &shallow);
            answers = observations(&shallow);
            found = smallest(&shallow);
            if found.is_none() {
                let deepest = |entry: &&'a Entry| Some((*entry, self.deepest(entry)?));
                let deep = ask_all(&asking, entries.iter().filter_map(deepest), &progress)?;
                if deep.iter().any(|(_, answer)| answer.differs()) {
                    result.count(&entries, &deep);
                }
                answers.extend(observations(&deep));
                found = smallest(&deep);
            }
        }
        let found = match found {
            Some((position, depth)) => {
                progress(Stage::Following);
                asking.find(&position, depth)?
            }
            None => {
                progress(Stage::Position);
                result.depth = self.depth;
                asking.find(&self.position, self.depth)?
            }
        };
        let Some(found) = found else { return Ok(result) };
        let (difference, focus) = asking.shrink(found, |position| {
            let stones = self.position.board().num_points() - position.empty().len();
            progress(Stage::Shrinking { stones });
        })?;
        progress(Stage::Explaining);
        result.causes = causes(&self.rules, &focus, &answers);
        if result.causes.len() > 1 {
            result.causes = self.tell_apart(&asking, &entries, &focus, answers, result.causes)?;
        }
        result.difference = Some(difference);
        Ok(result)
    }

    /// Whether an entry can be compared.
    fn has(&self, entry: &Entry) -> bool {
        entry.rules == self.rules
            && entry.counting == Counting::Turns
            && entry.position.board() == self.position.board()
    }

    /// The deepest depth, more than 1, at which an entry is compared.
    fn deepest(&self, entry: &Entry) -> Option<u8> {
        let few = |(_, nodes): &(&u8, &u128)| **nodes <= self.max_nodes;
        let depth = *entry.counts.iter().filter(few).map(|(depth, _)| depth).max()?;
        (depth > 1).then_some(depth)
    }

    /// Asks on until one mistake is left: a turn deeper, and about entries at which mistakes would show
    /// differently.
    fn tell_apart<P: OtherProgram>(
        &self,
        asking: &Asking<'_, P>,
        entries: &[&Entry],
        focus: &Observation,
        mut answers: Vec<Observation>,
        mut left: Vec<Cause>,
    ) -> Result<Vec<Cause>, CompareError<P::Error>> {
        let deeper = asking.ask(&focus.position, focus.depth + 1);
        if let Ok(answer) = deeper {
            answers.push(answer.observation);
            left = causes(&self.rules, focus, &answers);
        }
        let most = answers.len() + MAX_QUESTIONS;
        let has_asked: Vec<Position> = answers.iter().map(|answer| answer.position).collect();
        for entry in entries.iter().filter(|entry| !has_asked.contains(&entry.position)) {
            if left.len() < 2 || answers.len() >= most {
                break;
            }
            if asking.is_stopped() {
                return Err(CompareError::Stopped);
            }
            let mut lists = left.iter().map(|cause| {
                let variant = Variant::new(&self.rules, Some(cause.fault));
                let turns = variant.divide(&entry.position, 1, &mut BUDGET.clone());
                let text = |(turn, _): (Candidate, u128)| turn.text(entry.position.board());
                turns.map(|turns| turns.into_iter().map(text).collect::<Vec<_>>())
            });
            let first = lists.next();
            if lists.all(|list| Some(&list) == first.as_ref()) {
                continue;
            }
            // It need not know every position.
            let Ok(answer) = asking.ask(&entry.position, 1) else { continue };
            answers.push(answer.observation);
            left = causes(&self.rules, focus, &answers);
        }
        Ok(left)
    }
}

impl Compare {
    /// Whether both programs agree.
    pub fn agrees(&self) -> bool {
        self.difference.is_none()
    }

    /// Counts the entries and themes with a difference.
    fn count(&mut self, entries: &[&Entry], answers: &[(&Entry, Answer)]) {
        self.entries = entries.len();
        self.answered = answers.len();
        self.differ = answers.iter().filter(|(_, answer)| answer.differs()).count();
        let mut themes = BTreeMap::new();
        for (entry, answer) in answers {
            for name in &entry.themes {
                let theme = themes.entry(name).or_insert((0, 0));
                theme.0 += 1;
                theme.1 += usize::from(answer.differs());
            }
        }
        let theme = |(name, (positions, differ)): (&String, _)| Theme {
            name: name.clone(),
            positions,
            differ,
        };
        self.themes = themes.into_iter().map(theme).collect();
    }
}

fn observations(answers: &[(&Entry, Answer)]) -> Vec<Observation> {
    answers.iter().map(|(_, answer)| answer.observation.clone()).collect()
}

/// The position with the fewest stones, then turns, at which an answer differs, and the depth.
fn smallest(answers: &[(&Entry, Answer)]) -> Option<(Position, u8)> {
    let differing = answers.iter().map(|(_, answer)| answer).filter(|answer| answer.differs());
    // Turns that differ can be read.
    let answer = differing.min_by_key(|answer| {
        let Observation { position, reply, .. } = &answer.observation;
        let is_deep = !matches!(answer.compared, Compared::Turns(_));
        (is_deep, std::cmp::Reverse(position.empty().len()), reply.num_lines())
    })?;
    Some((answer.observation.position, answer.observation.depth))
}

/// Asks about entries at depths, those with few nodes first. Under a wrong rule a position can have
/// so many turns that the program does not end: once a difference is found, such positions are left
/// out, and a question without an answer ends the questions.
fn ask_all<'a, P: OtherProgram>(
    asking: &Asking<'_, P>,
    entries: impl Iterator<Item = (&'a Entry, u8)>,
    progress: &(impl Fn(Stage) + Sync),
) -> Result<Vec<(&'a Entry, Answer)>, CompareError<P::Error>> {
    let nodes = |(entry, depth): &(&Entry, u8)| entry.counts.get(depth).copied().unwrap_or(0);
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(nodes);
    let (done, of) = (AtomicUsize::new(0), entries.len());
    let ask = |&(entry, depth): &(&'a Entry, u8)| {
        if asking.is_stopped() {
            return Err(CompareError::Stopped);
        }
        let answer = asking.ask(&entry.position, depth)?;
        progress(Stage::Entries { done: done.fetch_add(1, Ordering::Relaxed) + 1, of });
        Ok((entry, answer))
    };
    let mut answers: Vec<(&Entry, Answer)> = Vec::new();
    let at_once = 2 * rayon::current_num_threads();
    let (few, many) = entries.split_at(entries.partition_point(|entry| nodes(entry) <= MANY));
    for some in few.chunks(at_once).chain(many.chunks(at_once)) {
        let differs = answers.iter().any(|(_, answer)| answer.differs());
        if differs && nodes(&some[0]) > MANY {
            break;
        }
        let mut error = None;
        for answer in some.par_iter().map(ask).collect::<Vec<_>>() {
            match answer {
                Ok(answer) => answers.push(answer),
                Err(CompareError::Stopped) => return Err(CompareError::Stopped),
                Err(found) => error = error.or(Some(found)),
            }
        }
        match error {
            Some(_) if answers.iter().any(|(_, answer)| answer.differs()) => break,
            Some(error) => return Err(error),
            None => {}
        }
    }
    Ok(answers)
}
