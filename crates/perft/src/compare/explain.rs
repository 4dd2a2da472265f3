//! Which mistakes explain the answers of another program.

use std::collections::HashSet;

use fanorona_core::{Position, RuleSet};
use rayon::prelude::*;
use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use super::candidate::Candidate;
use super::matching::Matching;
use super::mistake::Mistake;
use super::reply::Reply;
use super::variant::Variant;

/// The steps that the answer of one question may take: some tenths of a second.
const BUDGET: u64 = 1_000_000;

/// The steps for a question that is asked to tell mistakes apart, or to find two mistakes.
const SMALL_BUDGET: u64 = 20_000;

/// The steps for the right answer of a question that is asked to tell mistakes apart.
const FEW: u64 = 600;

/// The most mistakes that one question tells apart, and the most wrong answers of which a mistake has to
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

/// A mistake, or two of them together, that explains the wrong answers, and contradicts no right one.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Cause {
    /// The mistakes.
    pub mistakes: Vec<Mistake>,
    /// The rules that it should follow.
    pub rules: RuleSet,
    /// The number of the program's wrong answers that it explains. The others were too much work.
    pub explained: usize,
    /// The number of its wrong answers.
    pub answers: usize,
}

impl Cause {
    /// A name for programs.
    pub fn name(&self) -> String {
        let names: Vec<_> = self.mistakes.iter().map(Mistake::name).collect();
        names.join("+")
    }

    /// Describes a program with these mistakes, in words that follow "it".
    pub fn text(&self) -> String {
        let texts: Vec<_> = self.mistakes.iter().map(Mistake::text).collect();
        texts.join(", and ")
    }

    /// The rules that it breaks, in words.
    pub fn rule(&self) -> String {
        let broken = self.mistakes.iter().map(|mistake| mistake.rule(&self.rules));
        let mut broken: Vec<_> = broken.collect();
        broken.dedup();
        broken.join("; and ")
    }
}

/// With its name and its texts.
impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Cause", 5)?;
        fields.serialize_field("fault", &self.name())?;
        fields.serialize_field("rule", &self.rule())?;
        fields.serialize_field("text", &self.text())?;
        fields.serialize_field("explained", &self.explained)?;
        fields.serialize_field("answers", &self.answers)?;
        fields.end()
    }
}

/// What the answer to a question can show of the mistakes that are left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tells {
    /// Which of some it is.
    Apart,
    /// Whether it is one of them: all of them give the same wrong answer.
    IsWrong,
    /// Only what is not known, because none of them shows there.
    Nothing,
}

/// The answers, and what mistakes are left that can explain them.
pub(super) struct Inference<'a> {
    rules: &'a RuleSet,
    /// Those that refute most come first, then the wrong ones, the smallest first.
    evidence: Vec<Observation>,
    known: Vec<Mistake>,
    /// Single mistakes, or pairs once no single one is left.
    left: Vec<Vec<Mistake>>,
    has_pairs: bool,
}

impl<'a> Inference<'a> {
    pub(super) fn new(rules: &'a RuleSet, mut evidence: Vec<Observation>) -> Self {
        evidence.sort_by_cached_key(|answer| {
            let Observation { position, depth, reply, differs } = answer;
            let emptiness = std::cmp::Reverse(position.empty().len());
            (!differs, *depth, emptiness, reply.num_lines(), position.to_string())
        });
        let wrong = evidence.iter().filter(|answer| answer.differs && answer.depth == 1);
        let list = wrong.filter_map(|answer| answer.reply.total()).max();
        let list = list.and_then(|turns| usize::try_from(turns).ok()).unwrap_or(0);
        let known = evidence
            .first()
            .map_or(Vec::new(), |answer| Mistake::all(rules, answer.position.board(), list));
        let mut inference = Self { rules, evidence, known, left: Vec::new(), has_pairs: false };
        inference.admit(inference.known.iter().map(|mistake| vec![*mistake]).collect());
        inference.pair_up();
        inference
    }

    /// Looks for two mistakes if no single one is left.
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
    fn admit(&mut self, causes: Vec<Vec<Mistake>>) {
        let budget = if self.has_pairs { SMALL_BUDGET } else { BUDGET };
        let explains =
            |mistakes: &Vec<Mistake>, answer| explains(self.rules, mistakes, answer, budget);
        let explains_first = |mistakes: &Vec<Mistake>| {
            let mut smallest = self.evidence.iter().filter(|answer| answer.differs).take(AT_ONCE);
            smallest.find_map(|answer| explains(mistakes, answer)) == Some(true)
        };
        let refuted_by = |mistakes: Vec<Mistake>| {
            let by =
                self.evidence.iter().position(|answer| explains(&mistakes, answer) == Some(false));
            (mistakes, by)
        };
        let causes = causes.into_par_iter().filter(explains_first).map(refuted_by);
        let (left, refuted): (Vec<_>, Vec<_>) =
            causes.collect::<Vec<_>>().into_iter().partition(|(_, by)| by.is_none());
        self.left = left.into_iter().map(|(mistakes, _)| mistakes).collect();
        // What refutes a mistake refutes most pairs with it.
        let refuting: HashSet<_> = refuted.into_iter().filter_map(|(_, by)| by).collect();
        let answers = std::mem::take(&mut self.evidence).into_iter().enumerate();
        let (first, others): (Vec<_>, Vec<_>) = answers.partition(|(i, _)| refuting.contains(i));
        self.evidence = first.into_iter().chain(others).map(|(_, answer)| answer).collect();
    }

    /// Adds an answer. Returns whether it refutes a mistake that was left.
    pub(super) fn learn(&mut self, answer: Observation) -> bool {
        let (rules, before) = (self.rules, self.left.len());
        self.left.retain(|mistakes| explains(rules, mistakes, &answer, BUDGET) != Some(false));
        // It refutes what the others did not.
        self.evidence.insert(0, answer);
        let refutes = self.left.len() < before;
        self.pair_up();
        refutes
    }

    /// Leaves the plainest of the mistakes that are left, if they were compared with each other.
    pub(super) fn leave_first(&mut self) {
        if self.left.len() <= AT_ONCE {
            self.left.truncate(1);
        }
    }

    /// Whether no known mistake is left.
    pub(super) fn is_over(&self) -> bool {
        self.left.is_empty()
    }

    pub(super) fn has_asked(&self, position: &Position, depth: u8) -> bool {
        self.evidence.iter().any(|answer| answer.position == *position && answer.depth == depth)
    }

    /// The depth at which a new position is asked about: a turn more shows what a turn leaves behind.
    pub(super) fn depth(&self, position: &Position) -> Option<u8> {
        let rules = Variant::new(self.rules, &[]);
        [2, 1].into_iter().find(|depth| {
            let turns = rules.divide(position, *depth, &mut FEW.clone());
            turns.is_ok_and(|turns| !turns.is_empty())
        })
    }

    /// What the answer to a question can show.
    pub(super) fn tells(&self, position: &Position, depth: u8) -> Tells {
        let answer = |mistakes: &[Mistake]| {
            let variant = Variant::new(self.rules, mistakes);
            let turns = variant.divide(position, depth, &mut SMALL_BUDGET.clone()).ok()?;
            let listed = variant.listed(&turns).len();
            let line = |(turn, nodes): &(Candidate, u128)| (turn.text(position.board()), *nodes);
            let mut lines: Vec<_> = turns.iter().map(line).collect();
            lines.sort_unstable();
            Some((lines, listed))
        };
        let left = self.left.iter().take(AT_ONCE).map(|mistakes| answer(mistakes));
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

    /// The mistakes that explain nearly all wrong answers, each by itself.
    pub(super) fn causes(&self) -> Vec<Cause> {
        let wrong: Vec<_> = self.evidence.iter().filter(|answer| answer.differs).collect();
        let cause = |mistakes: &Vec<Mistake>| {
            let explains = |answer: &&&Observation| {
                explains(self.rules, mistakes, answer, BUDGET) == Some(true)
            };
            let explained = wrong.iter().filter(explains).count();
            Cause {
                mistakes: mistakes.clone(),
                rules: *self.rules,
                explained,
                answers: wrong.len(),
            }
        };
        let causes = self.left.iter().map(cause);
        causes.filter(|cause| cause.explained * 10 >= cause.answers * 9).collect()
    }
}

/// Whether a program with these mistakes gives this answer. `None` if that is too much work, or not
/// certain.
fn explains(
    rules: &RuleSet,
    mistakes: &[Mistake],
    answer: &Observation,
    mut budget: u64,
) -> Option<bool> {
    let Observation { position, depth, reply, .. } = answer;
    let variant = Variant::new(rules, mistakes);
    let turns = variant.divide(position, *depth, &mut budget).ok()?;
    let sum = variant.sum(&turns, *depth);
    let total = reply.total().unwrap_or(0);
    if reply.lines.is_empty() || sum.is_some_and(|sum| sum != total) {
        return sum.map(|sum| sum == total);
    }
    let matching = Matching::new(position, &turns, &reply.lines);
    let has_count = |&(turn, line): &(usize, usize)| turns[turn].1 == reply.lines[line].nodes;
    if !matching.extra.is_empty() || !matching.pairs.iter().all(has_count) {
        return Some(false);
    }
    let listed = variant.listed(&turns);
    if listed.len() == turns.len() {
        // Some programs leave out turns with nothing below them.
        return Some(matching.missing.iter().all(|turn| turns[*turn].1 == 0));
    }
    let mut groups = HashSet::new();
    let is_first =
        |turn: usize| variant.group(&turns[turn].0).is_none_or(|group| groups.insert(group));
    let are_apart = matching.pairs.iter().map(|(turn, _)| *turn).all(is_first);
    Some(are_apart && matching.pairs.len() == listed.len())
}
