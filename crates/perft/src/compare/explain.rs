//! Which faults explain the answers of another program.

use std::collections::HashSet;

use fanorona_core::{Position, RuleSet};
use rayon::prelude::*;
use serde::Serialize;

use super::matching::Matching;
use super::reply::Reply;
use crate::slow::{Fault, SlowGenerator, SlowTurn};

/// The steps that the answer of one question may take: some tenths of a second.
const BUDGET: u64 = 1_000_000;

/// The steps for a question that is asked to tell faults apart, or to find two faults.
const SMALL_BUDGET: u64 = 20_000;

/// The steps for the right answer of a question that is asked to tell faults apart.
const FEW: u64 = 600;

/// The most faults that one question tells apart, and the most wrong answers of which a fault has to
/// explain the first that is not too much work.
const AT_ONCE: usize = 8;

/// An answer of the other program.
#[derive(Clone, Debug)]
pub(super) struct Observation {
    pub position: Position,
    pub depth: u8,
    pub reply: Reply,
    /// Whether it is wrong.
    pub differs: bool,
}

/// A fault, or two of them together, that explains the wrong answers, and contradicts no right one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Cause {
    /// The faults.
    #[serde(skip)]
    pub faults: Vec<Fault>,
    /// A name for programs.
    #[serde(rename = "fault")]
    pub name: String,
    /// The rules that are broken, in words.
    pub rule: String,
    /// Describes a program with these faults, in words that follow "it".
    pub text: String,
    /// The number of the program's wrong answers that it explains. The others were too much work.
    pub explained: usize,
    /// The number of its wrong answers.
    pub answers: usize,
}

/// How far the answer to a question can tell apart the faults that are left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tells {
    /// Which of some it is.
    Apart,
    /// Whether it is one of them: all of them give the same wrong answer.
    IsWrong,
    /// Only what is not known, because none of them shows there.
    Nothing,
}

/// The answers, and what faults are left that can explain them.
pub(super) struct Inference<'a> {
    rules: &'a RuleSet,
    /// Those that refute most come first, then the wrong ones, the smallest first.
    evidence: Vec<Observation>,
    known: Vec<Fault>,
    /// Single faults, or pairs once no single one is left.
    left: Vec<Vec<Fault>>,
    has_pairs: bool,
}

impl<'a> Inference<'a> {
    pub(super) fn new(rules: &'a RuleSet, mut evidence: Vec<Observation>) -> Self {
        evidence.sort_by_cached_key(|answer| {
            let Observation { position, depth, reply, differs } = answer;
            let emptiness = std::cmp::Reverse(position.empty().len());
            (!differs, *depth, emptiness, reply.lines.len(), position.to_string())
        });
        let wrong = evidence.iter().filter(|answer| answer.differs && answer.depth == 1);
        let list = wrong.filter_map(|answer| answer.reply.total).max();
        let list = list.and_then(|turns| usize::try_from(turns).ok()).unwrap_or(0);
        let all = |answer: &Observation| Fault::all(rules, answer.position.board());
        let mut known = evidence.first().map_or(Vec::new(), all);
        // The wrong answer can be that of a full list.
        known.extend((list > 0).then_some(Fault::Room(list)));
        let mut inference = Self { rules, evidence, known, left: Vec::new(), has_pairs: false };
        inference.admit(inference.known.iter().map(|fault| vec![*fault]).collect());
        inference.pair_up();
        inference
    }

    /// Looks for two faults if no single one is left.
    fn pair_up(&mut self) {
        if self.has_pairs || !self.left.is_empty() {
            return;
        }
        self.has_pairs = true;
        let known = &self.known;
        let pairs = (0..known.len())
            .flat_map(|i| known[..i].iter().map(move |first| vec![*first, known[i]]));
        self.admit(pairs.collect());
    }

    /// Leaves those that explain a small wrong answer and contradict no answer.
    fn admit(&mut self, causes: Vec<Vec<Fault>>) {
        let budget = if self.has_pairs { SMALL_BUDGET } else { BUDGET };
        let explains = |faults: &Vec<Fault>, answer| explains(self.rules, faults, answer, budget);
        let explains_first = |faults: &Vec<Fault>| {
            let mut smallest = self.evidence.iter().filter(|answer| answer.differs).take(AT_ONCE);
            smallest.find_map(|answer| explains(faults, answer)) == Some(true)
        };
        let refuted_by = |faults: Vec<Fault>| {
            let by =
                self.evidence.iter().position(|answer| explains(&faults, answer) == Some(false));
            (faults, by)
        };
        let causes = causes.into_par_iter().filter(explains_first).map(refuted_by);
        let (left, refuted): (Vec<_>, Vec<_>) =
            causes.collect::<Vec<_>>().into_iter().partition(|(_, by)| by.is_none());
        self.left = left.into_iter().map(|(faults, _)| faults).collect();
        // What refutes a fault refutes most pairs with it.
        let refuting: HashSet<_> = refuted.into_iter().filter_map(|(_, by)| by).collect();
        let answers = std::mem::take(&mut self.evidence).into_iter().enumerate();
        let (first, others): (Vec<_>, Vec<_>) = answers.partition(|(i, _)| refuting.contains(i));
        self.evidence = first.into_iter().chain(others).map(|(_, answer)| answer).collect();
    }

    /// Adds an answer. Returns whether it refutes a fault that was left.
    pub(super) fn learn(&mut self, answer: Observation) -> bool {
        let (rules, before) = (self.rules, self.left.len());
        self.left.retain(|faults| explains(rules, faults, &answer, BUDGET) != Some(false));
        // It refutes what the others did not.
        self.evidence.insert(0, answer);
        let refutes = self.left.len() < before;
        self.pair_up();
        refutes
    }

    /// Leaves the plainest of the faults that are left, if they were compared with each other.
    pub(super) fn leave_first(&mut self) {
        if self.left.len() <= AT_ONCE {
            self.left.truncate(1);
        }
    }

    /// Whether no known fault is left.
    pub(super) fn is_over(&self) -> bool {
        self.left.is_empty()
    }

    pub(super) fn has_asked(&self, position: &Position, depth: u8) -> bool {
        self.evidence.iter().any(|answer| answer.position == *position && answer.depth == depth)
    }

    /// The depth at which a new position is asked about: a turn more shows what a turn leaves behind.
    pub(super) fn depth(&self, position: &Position) -> Option<u8> {
        let rules = SlowGenerator::new(self.rules, &[]);
        [2, 1].into_iter().find(|depth| {
            let turns = rules.divide(position, *depth, &mut FEW.clone());
            turns.is_ok_and(|turns| !turns.is_empty())
        })
    }

    /// How far the answer to a question can tell faults apart.
    pub(super) fn tells(&self, position: &Position, depth: u8) -> Tells {
        let answer = |faults: &[Fault]| {
            let slow = SlowGenerator::new(self.rules, faults);
            let turns = slow.divide(position, depth, &mut SMALL_BUDGET.clone()).ok()?;
            let listed = slow.listed(&turns).len();
            let line = |(turn, nodes): &(SlowTurn, u128)| (turn.text(position.board()), *nodes);
            let mut lines: Vec<_> = turns.iter().map(line).collect();
            lines.sort_unstable();
            Some((lines, listed))
        };
        let left = self.left.iter().take(AT_ONCE).map(|faults| answer(faults));
        // A program that makes one of them could have to work without end.
        let Some(mut answers) = left.collect::<Option<Vec<_>>>() else { return Tells::Nothing };
        let last = answers.pop();
        match answers.iter().any(|answer| Some(answer) != last.as_ref()) {
            true => Tells::Apart,
            false if last != answer(&[]) => Tells::IsWrong,
            false => Tells::Nothing,
        }
    }

    /// The positions of the answers, or of the wrong ones.
    pub(super) fn positions(&self, wrong_only: bool) -> impl Iterator<Item = Position> {
        let answers = self.evidence.iter().filter(move |answer| answer.differs || !wrong_only);
        answers.map(|answer| answer.position)
    }

    /// The faults that explain nearly all wrong answers, each by itself.
    pub(super) fn causes(&self) -> Vec<Cause> {
        let wrong: Vec<_> = self.evidence.iter().filter(|answer| answer.differs).collect();
        let cause = |faults: &Vec<Fault>| {
            let explains =
                |answer: &&&Observation| explains(self.rules, faults, answer, BUDGET) == Some(true);
            let explained = wrong.iter().filter(explains).count();
            let join = |words: Vec<String>, separator| words.join(separator);
            let mut broken: Vec<_> = faults.iter().map(|fault| fault.rule(self.rules)).collect();
            broken.dedup();
            Cause {
                name: join(faults.iter().map(Fault::name).collect(), "+"),
                rule: broken.join("; and "),
                text: join(faults.iter().map(Fault::text).collect(), ", and "),
                faults: faults.clone(),
                explained,
                answers: wrong.len(),
            }
        };
        let causes = self.left.iter().map(cause);
        causes.filter(|cause| cause.explained * 10 >= cause.answers * 9).collect()
    }
}

/// Whether a program with these faults gives this answer. `None` if that is too much work, or not
/// certain.
fn explains(
    rules: &RuleSet,
    faults: &[Fault],
    answer: &Observation,
    mut budget: u64,
) -> Option<bool> {
    let Observation { position, depth, reply, .. } = answer;
    let slow = SlowGenerator::new(rules, faults);
    let turns = slow.divide(position, *depth, &mut budget).ok()?;
    let sum = slow.sum(&turns, *depth);
    let total = reply.total.unwrap_or(0);
    if reply.lines.is_empty() || sum.is_some_and(|sum| sum != total) {
        return sum.map(|sum| sum == total);
    }
    let matching = Matching::new(position, &turns, &reply.lines);
    let has_count = |&(turn, line): &(usize, usize)| turns[turn].1 == reply.lines[line].nodes;
    if !matching.extra.is_empty() || !matching.pairs.iter().all(has_count) {
        return Some(false);
    }
    let listed = slow.listed(&turns);
    if listed.len() == turns.len() {
        // Some programs leave out turns with nothing below them.
        return Some(matching.missing.iter().all(|turn| turns[*turn].1 == 0));
    }
    let mut groups = HashSet::new();
    let is_first =
        |turn: usize| slow.group(&turns[turn].0).is_none_or(|group| groups.insert(group));
    let are_apart = matching.pairs.iter().map(|(turn, _)| *turn).all(is_first);
    Some(are_apart && matching.pairs.len() == listed.len())
}
