//! The comparison with another program: suites first, then one position.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use fanorona_core::{Point, Position, RuleSet, Setup, SplitMix64};
use rayon::prelude::*;
use serde::Serialize;

use super::difference::{Answer, Asking, CompareError, Difference, OtherProgram};
use super::explain::{Cause, Inference, Observation, Tells};
use crate::counting::{Counting, stopped};
use crate::suite::Entry;

/// The most positions that are asked about to tell faults apart, to refute what is left, and because
/// no fault that is left shows there.
const MAX_QUESTIONS: [(Tells, usize); 3] =
    [(Tells::Apart, 40), (Tells::IsWrong, 30), (Tells::Nothing, 15)];

/// The most new positions that are looked at for these.
const MAX_TRIED: usize = 500;

/// The number of positions at which faults give the same wrong answers, and none at which they do not,
/// that makes them one.
const ALIKE: usize = 100;

/// The most of them that may be without an answer.
const MAX_FAILED: usize = 3;

/// The number of positions that are shown if no known fault explains them.
const SHOWN: usize = 3;

/// Positions with more nodes are left out once a difference is found.
const MANY: u128 = 2000;

/// The most points of a position that are changed for a new one.
const MOST_CHANGES: usize = 4;

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
    /// Looking for the fault.
    Explaining,
}

/// A theme of the suites.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub struct Theme {
    #[serde(rename = "theme")]
    pub name: String,
    /// The number of positions with it that were compared.
    pub positions: usize,
    /// The number of those at which the other program differs.
    pub differ: usize,
}

/// The result of a comparison.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
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
    /// The smallest difference that was found; none if both programs agree. If no known fault
    /// explains the wrong answers, up to three, the smallest first.
    pub differences: Vec<Difference>,
    /// The faults that explain the wrong answers, each by itself. More than one if the answers do
    /// not tell them apart.
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
    /// use fanorona_core::{Board, Position, RuleSet, Turn};
    /// use fanorona_perft::{Counting, perft};
    /// use fanorona_perft::compare::{CompareError, Comparison};
    /// use fanorona_perft::slow::Fault;
    ///
    /// // A program without the direction rule.
    /// let wrong: RuleSet = "standard+direction-free".parse().unwrap();
    /// let program = |_: &RuleSet, position: &Position, depth: u8| {
    ///     let line = |turn: &Turn| {
    ///         let after = position.play_unchecked(turn);
    ///         let nodes = perft(&wrong, &after, depth - 1, Counting::Turns);
    ///         format!("{} {nodes}\n", turn.text(position.board()))
    ///     };
    ///     Ok::<String, Infallible>(wrong.turns(position).iter().map(line).collect())
    /// };
    /// let start = Board::tsivy().start();
    /// let comparison = Comparison::new(RuleSet::STANDARD, start, 3);
    /// let result = comparison.run(&program, &AtomicBool::new(false), |_| {})?;
    /// assert_eq!(result.causes[0].faults, [Fault::SameDirection]);
    /// # Ok::<(), CompareError<Infallible>>(())
    /// ```
    ///
    /// # Errors
    /// If the program gives no answer, or `stop` is set.
    pub fn run<E: Send>(
        &self,
        program: &OtherProgram<'_, E>,
        stop: &AtomicBool,
        progress: impl Fn(Stage) + Sync,
    ) -> Result<Compare, CompareError<E>> {
        let asking = Asking { program, rules: &self.rules, stop, answers: Mutex::default() };
        let mut result = Compare::default();
        let entries: Vec<&'a Entry> = self.entries.iter().filter(|entry| self.has(entry)).collect();
        let mut found = Vec::new();
        if self.begins_with_entries && !entries.is_empty() {
            let shallow = ask_all(&asking, entries.iter().map(|entry| (*entry, 1)), &progress)?;
            result.count(&entries, &shallow);
            found = smallest(&shallow);
            if found.is_empty() {
                let deepest = |entry: &&'a Entry| Some((*entry, self.deepest(entry)?));
                let deep = ask_all(&asking, entries.iter().filter_map(deepest), &progress)?;
                if deep.iter().any(|(_, answer)| answer.difference.is_some()) {
                    result.count(&entries, &deep);
                }
                found = smallest(&deep);
            }
        }
        if found.is_empty() {
            progress(Stage::Position);
            result.depth = self.depth;
            found.push((self.position, self.depth));
        }
        let smaller = |(position, depth): (Position, u8)| {
            progress(Stage::Following);
            let Some(found) = asking.find(&position, depth)? else { return Ok(None) };
            let smaller = asking.shrink(found, |position| {
                let stones = self.position.board().num_points() - position.empty().len();
                progress(Stage::Shrinking { stones });
            });
            smaller.map(Some)
        };
        let Some(difference) = smaller(found[0])? else { return Ok(result) };
        result.differences.push(difference);
        progress(Stage::Explaining);
        let mut inference = Inference::new(&self.rules, asking.take_answers());
        self.ask_on(&asking, &entries, &mut inference)?;
        result.causes = inference.causes();
        if result.causes.is_empty() {
            let others = found.into_iter().skip(1).take(2 * SHOWN);
            let new = questions(inference.positions(true).collect()).take(MAX_TRIED / 10);
            let new = new.filter_map(|position| Some((position, inference.depth(&position)?)));
            let differ = others.chain(new).filter_map(|found| smaller(found).transpose());
            result.add_new(differ.take(2 * SHOWN))?;
            // With other stones around it, a difference is another one.
            let mut wrong = asking.take_answers();
            wrong.retain(|answer| answer.differs);
            wrong.sort_by_key(|answer| std::cmp::Reverse(answer.position.empty().len()));
            result.add_new(wrong.iter().filter_map(
                |Observation { position, depth, .. }| asking.find(position, *depth).transpose(),
            ))?;
            result.differences.sort_by_key(|found| std::cmp::Reverse(found.position.empty().len()));
        }
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

    /// Asks on about entries and new positions where a fault that is left would show, to refute it or
    /// to tell it from others, and about some where none would show.
    fn ask_on<E: Send>(
        &self,
        asking: &Asking<'_, E>,
        entries: &[&Entry],
        inference: &mut Inference<'_>,
    ) -> Result<(), CompareError<E>> {
        let entries = || entries.iter().map(|entry| entry.position);
        let known = inference.positions(false).chain(entries());
        let new = questions(known.collect()).take(MAX_TRIED);
        let (mut to_ask, mut failed) = (MAX_QUESTIONS, 0);
        let mut alike = 0;
        for position in entries().chain(new) {
            if inference.is_over() || failed == MAX_FAILED {
                break;
            }
            if stopped(asking.stop) {
                return Err(CompareError::Stopped);
            }
            let Some(depth) = inference.depth(&position) else { continue };
            if inference.has_asked(&position, depth) {
                continue;
            }
            let tells = inference.tells(&position, depth);
            alike += usize::from(tells == Tells::IsWrong);
            let left = to_ask.iter_mut().find(|(what, left)| *what == tells && *left > 0);
            let Some((_, left)) = left else { continue };
            *left -= 1;
            // It need not know every position.
            match asking.ask(&position, depth) {
                Ok(_) => {
                    for new in asking.take_answers() {
                        if inference.learn(new) {
                            alike = 0;
                        }
                    }
                }
                Err(_) => failed += 1,
            }
        }
        if alike >= ALIKE {
            inference.leave_first();
        }
        Ok(())
    }
}

impl Compare {
    /// Whether both programs agree.
    pub fn agrees(&self) -> bool {
        self.differences.is_empty()
    }

    /// Adds differences at other positions, up to the number that is shown.
    fn add_new<E>(
        &mut self,
        differences: impl Iterator<Item = Result<Difference, CompareError<E>>>,
    ) -> Result<(), CompareError<E>> {
        for difference in differences {
            if self.differences.len() == SHOWN {
                break;
            }
            let new = match difference {
                Ok(new) => new,
                Err(CompareError::Stopped) => return Err(CompareError::Stopped),
                // It need not know every position.
                Err(_) => continue,
            };
            let symmetries = new.position.board().symmetries();
            let mut images = symmetries.iter().filter_map(|by| new.position.transformed(*by));
            let is_known = |image| self.differences.iter().any(|old| old.position == image);
            if !images.any(is_known) {
                self.differences.push(new);
            }
        }
        Ok(())
    }

    /// Counts the entries and themes with a difference.
    fn count(&mut self, entries: &[&Entry], answers: &[(&Entry, Answer)]) {
        self.entries = entries.len();
        self.answered = answers.len();
        self.differ = answers.iter().filter(|(_, answer)| answer.difference.is_some()).count();
        let mut themes: BTreeMap<&str, Theme> = BTreeMap::new();
        for (entry, answer) in answers {
            for name in &entry.themes {
                let new = || Theme { name: name.clone(), positions: 0, differ: 0 };
                let theme = themes.entry(name).or_insert_with(new);
                theme.positions += 1;
                theme.differ += usize::from(answer.difference.is_some());
            }
        }
        self.themes = themes.into_values().collect();
    }
}

/// The positions at which an answer differs, with the depth. Those with the fewest stones, then turns,
/// come first.
fn smallest(answers: &[(&Entry, Answer)]) -> Vec<(Position, u8)> {
    let differing = |(_, answer): &(&Entry, Answer)| {
        let Difference { position, depth, .. } = *answer.difference.as_ref()?;
        // Turns that differ can be read.
        let is_deep = !answer.difference.as_ref()?.is_of_turns();
        let emptiness = std::cmp::Reverse(position.empty().len());
        Some(((is_deep, emptiness, answer.lines), (position, depth)))
    };
    let mut differing: Vec<_> = answers.iter().filter_map(differing).collect();
    differing.sort_by_key(|(order, _)| *order);
    differing.into_iter().map(|(_, question)| question).collect()
}

/// Asks about entries at depths, those with few nodes first. Under a wrong rule a position can have
/// so many turns that the program does not end: once a difference is found, such positions are left
/// out, and a question without an answer ends the questions.
fn ask_all<'a, E: Send>(
    asking: &Asking<'_, E>,
    entries: impl Iterator<Item = (&'a Entry, u8)>,
    progress: &(impl Fn(Stage) + Sync),
) -> Result<Vec<(&'a Entry, Answer)>, CompareError<E>> {
    let nodes = |(entry, depth): &(&Entry, u8)| entry.counts.get(depth).copied().unwrap_or(0);
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(nodes);
    let (done, of) = (AtomicUsize::new(0), entries.len());
    let ask = |&(entry, depth): &(&'a Entry, u8)| {
        if stopped(asking.stop) {
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
        let differs = answers.iter().any(|(_, answer)| answer.difference.is_some());
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
            Some(_) if answers.iter().any(|(_, answer)| answer.difference.is_some()) => break,
            Some(error) => return Err(error),
            None => {}
        }
    }
    Ok(answers)
}

/// Positions like those that are known, seen in a mirror and with some points changed, without end. The
/// first known ones come most often.
fn questions(known: Vec<Position>) -> impl Iterator<Item = Position> {
    let mut random = SplitMix64::new(56);
    // Most changes make a position; a board that is full at first may need several.
    std::iter::from_fn(move || (0..100).find_map(|_| changed(&known, &mut random)))
}

/// A known position with changes, if that is a position.
fn changed(known: &[Position], random: &mut SplitMix64) -> Option<Position> {
    let mut below = |n: usize| random.below(n as u64) as usize;
    let some = 1 + below(known.len());
    let position = known[below(some)];
    let symmetries = position.board().symmetries();
    let image = position.transformed(symmetries[below(symmetries.len())])?;
    let Setup { board, mut white, mut black, mut to_move } = Setup::from(image);
    if below(4) == 0 {
        to_move = to_move.other();
    }
    let points: Vec<Point> = board.all_points().iter().collect();
    for _ in 0..below(MOST_CHANGES + 1) {
        let point = points[below(points.len())];
        (white, black) = (white - point, black - point);
        match below(3) {
            0 => white |= point,
            1 => black |= point,
            _ => {}
        }
    }
    let position = Position::try_from(Setup { board, white, black, to_move }).ok()?;
    (!white.is_empty() && !black.is_empty()).then_some(position)
}
