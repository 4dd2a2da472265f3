//! Which mistake explains the answers of another program.

use fanorona_core::{Position, RuleSet};

use super::candidate::Candidate;
use super::fault::Fault;
use super::matching::Matching;
use super::reply::Reply;
use super::variant::Variant;

/// The steps that one question may take: some tenths of a second.
const BUDGET: u64 = 3_000_000;

/// An answer of the other program.
#[derive(Clone, Debug)]
pub(super) struct Observation {
    pub position: Position,
    pub depth: u8,
    pub reply: Reply,
}

/// A mistake that explains a difference.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Cause {
    /// The mistake.
    pub fault: Fault,
    /// The number of the program's answers that it explains: it gives them all, if this is the only
    /// mistake.
    pub explained: usize,
    /// The number of its answers.
    pub answers: usize,
}

/// The mistakes that explain an answer with a difference, and the most of all answers.
pub(super) fn causes(
    rules: &RuleSet,
    focus: &Observation,
    observations: &[Observation],
) -> Vec<Cause> {
    let board = focus.position.board();
    let answers = || observations.iter().chain([focus]);
    let list = answers().map(|answer| answer.reply.num_lines()).max().unwrap_or(0);
    let mut faults = Fault::all(rules, board, list);
    faults.retain(|fault| explains(rules, *fault, focus));
    let mut causes: Vec<Cause> = faults
        .into_iter()
        .map(|fault| {
            let explained = answers().filter(|answer| explains(rules, fault, answer)).count();
            Cause { fault, explained, answers: observations.len() + 1 }
        })
        .collect();
    let most = causes.iter().map(|cause| cause.explained).max();
    causes.retain(|cause| Some(cause.explained) == most);
    causes
}

/// Whether a program with this mistake gives this answer.
pub(super) fn explains(rules: &RuleSet, fault: Fault, answer: &Observation) -> bool {
    let Observation { position, depth, reply } = answer;
    let mut budget = BUDGET;
    let Ok(turns) = Variant::new(rules, Some(fault)).divide(position, *depth, &mut budget) else {
        return false;
    };
    if let Fault::Room(most) = fault {
        let is_full = reply.num_lines() == most && turns.len() > most;
        return *depth == 1 && (is_full || fits(position, &turns, reply));
    }
    fits(position, &turns, reply)
}

/// Whether an answer has these turns with these counts, or their sum.
fn fits(position: &Position, turns: &[(Candidate, u128)], reply: &Reply) -> bool {
    let sum: u128 = turns.iter().map(|(_, nodes)| nodes).sum();
    if reply.total().unwrap_or(0) != sum {
        return false;
    }
    if reply.lines.is_empty() {
        return true;
    }
    let matching = Matching::new(position, turns, &reply.lines);
    let has_count = |&(turn, line): &(usize, usize)| turns[turn].1 == reply.lines[line].nodes;
    // Some programs leave out turns with nothing below them.
    matching.extra.is_empty()
        && matching.missing.iter().all(|turn| turns[*turn].1 == 0)
        && matching.pairs.iter().all(has_count)
}
