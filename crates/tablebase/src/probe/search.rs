//! The search of captures, which stops wherever it needs a value of a table.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use fanorona_core::{Position, RuleSet, Stones, Value};

use super::tables::{FileNumber, Tables};
use crate::error::Result;
use crate::key::captures_are_stored;
use crate::slice::{Slice, seen_rules};
use crate::value::{Code, Metric};

/// Where a table has a value.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) file: FileNumber,
    pub(super) index: u64,
}

impl Place {
    /// The value there.
    pub(super) fn code(&self, tables: &Tables) -> Result<Code> {
        tables.open_file(self.file).code(self.index, tables.cache())
    }
}

/// How far a search is.
pub(super) enum Step {
    /// The value of its position.
    Known(Code),
    /// It goes on with the value at a place.
    Needs(Place),
}

/// Where the value of a position comes from.
enum Source {
    Known(Code),
    Place(Place),
    /// From the values of the positions after its turns, each of which captures. They have been
    /// added to the captures of the search.
    Captures,
}

/// A search for the value of a position: of its mandatory captures, of those that follow, and so on.
/// It can be kept while it waits for a value.
pub(super) struct Search {
    pub(super) metric: Metric,
    /// The positions on the way from the first one to the present one.
    nodes: Vec<Node>,
    /// The positions after captures that are still to be searched: those of the first node, then those
    /// of the second. The next one is the last.
    captures: Vec<Position>,
}

/// A position whose captures are being searched.
#[derive(Clone, Copy)]
struct Node {
    /// The number of captures of the nodes before it.
    first: u32,
    /// The best value so far.
    best: Option<Code>,
    /// Under `wdl`, a value of at least this may be lower than the right one.
    enough: Value,
}

/// Searches that wait, one after another.
#[derive(Default)]
pub(super) struct Waiting {
    searches: Vec<Kept>,
    nodes: Vec<Node>,
    captures: Vec<Position>,
}

/// A search that waits.
struct Kept {
    /// The number of its position.
    at: u32,
    metric: Metric,
    nodes: u32,
    captures: u32,
}

impl Search {
    /// A search under a metric, which has not begun.
    pub(super) fn new(metric: Metric) -> Self {
        Self { metric, nodes: Vec::new(), captures: Vec::new() }
    }

    /// Begins to search for the value of a position in which the side not to move has stones. A search
    /// before it is dropped.
    pub(super) fn start(
        &mut self,
        tables: &Tables,
        rules: &RuleSet,
        position: &Position,
    ) -> Result<Step> {
        self.nodes.clear();
        self.captures.clear();
        match self.source(tables, rules, position)? {
            Source::Known(code) => Ok(Step::Known(code)),
            Source::Place(place) => Ok(Step::Needs(place)),
            Source::Captures => {
                self.nodes.push(Node { first: 0, best: None, enough: Value::Win });
                self.next_capture(tables, rules)
            }
        }
    }

    /// Whether it has found captures of its position.
    pub(super) fn captures(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// Goes on with the value that it needs, from a table of at least its metric.
    pub(super) fn go_on(&mut self, tables: &Tables, rules: &RuleSet, code: Code) -> Result<Step> {
        match self.settle(code.under(self.metric)) {
            Some(code) => Ok(Step::Known(code)),
            None => self.next_capture(tables, rules),
        }
    }

    /// Searches on from the next capture of the last node, which has one.
    fn next_capture(&mut self, tables: &Tables, rules: &RuleSet) -> Result<Step> {
        loop {
            let after = self.captures.pop().expect("a node that is not settled has captures left");
            let first = self.captures.len() as u32;
            let code = match self.source(tables, rules, &after)? {
                Source::Known(code) => code,
                Source::Place(place) => return Ok(Step::Needs(place)),
                Source::Captures => {
                    // Captures that are no better than the best do not matter.
                    let enough = match self.nodes.last().and_then(|node| node.best) {
                        Some(best) if !self.metric.has_distances() => -best.value(),
                        _ => Value::Win,
                    };
                    self.nodes.push(Node { first, best: None, enough });
                    continue;
                }
            };
            if let Some(code) = self.settle(code) {
                return Ok(Step::Known(code));
            }
        }
    }

    /// Takes the value of the present position to the nodes that it decides. Returns the value of the
    /// first position if it decides all.
    fn settle(&mut self, mut code: Code) -> Option<Code> {
        while let Some(node) = self.nodes.last_mut() {
            code = code.before_turn(self.metric);
            let is_enough = !self.metric.has_distances() && code.value() >= node.enough;
            if code == Code::WIN || is_enough {
                self.captures.truncate(node.first as usize);
            } else {
                code = node.best.map_or(code, |best| best.better(code));
                node.best = Some(code);
                if self.captures.len() > node.first as usize {
                    return None;
                }
            }
            self.nodes.pop();
        }
        Some(code)
    }

    /// Where the value of a position comes from. The side not to move must have stones.
    fn source(&mut self, tables: &Tables, rules: &RuleSet, position: &Position) -> Result<Source> {
        let Some(slice) = Slice::of(position) else { return Ok(Source::Known(Code::LOSS)) };
        let rules = seen_rules(rules, position);
        // Most packed tables store no values of positions with mandatory captures. Smaller slices
        // decide these, and the table need not be there.
        let are_stored = captures_are_stored(tables.board(), &rules, slice);
        let needs_no_table = !are_stored && !tables.uses_unpacked();
        if needs_no_table && let Some(captures) = self.add_captures(&rules, position) {
            return Ok(captures);
        }
        // A table with distances has the values, too.
        let file = tables.first_table(&rules, slice, self.metric.held_by())?;
        let is_stored = file.map_or(are_stored, |file| file.metadata().captures_stored);
        if !is_stored
            && !needs_no_table
            && let Some(captures) = self.add_captures(&rules, position)
        {
            return Ok(captures);
        }
        let missing = || tables.missing(&rules, slice, Some(self.metric));
        let metric = file.ok_or_else(missing)?.metadata().metric;
        let index = tables.index(slice, Stones::of(position))?;
        Ok(Source::Place(Place { file: FileNumber::new(&rules, slice, metric), index }))
    }

    /// Adds the positions after captures; `None` if there is no capture.
    fn add_captures(&mut self, rules: &RuleSet, position: &Position) -> Option<Source> {
        let captures = &mut self.captures;
        let first = captures.len();
        let won = rules.try_for_each_capture(position, |after| {
            if after.own().is_empty() {
                return ControlFlow::Break(());
            }
            if captures.is_empty() {
                captures.reserve(32);
            }
            captures.push(after);
            ControlFlow::Continue(())
        });
        if won.is_break() {
            captures.truncate(first);
            return Some(Source::Known(Code::WIN));
        }
        // Captures of many stones come first: they lead to the smallest tables, and often win.
        captures[first..].sort_unstable_by_key(|after| Reverse(after.own().len()));
        (captures.len() > first).then_some(Source::Captures)
    }
}

impl Waiting {
    /// Makes room for this many searches, most of them short.
    pub(super) fn reserve(&mut self, searches: usize) {
        self.searches.reserve(searches);
        self.nodes.reserve(searches);
        self.captures.reserve(searches);
    }

    /// The number of captures of all searches.
    pub(super) fn captures(&self) -> usize {
        self.captures.len()
    }

    /// Keeps a search.
    pub(super) fn push(&mut self, at: u32, search: &Search) {
        self.searches.push(Kept {
            at,
            metric: search.metric,
            nodes: search.nodes.len() as u32,
            captures: search.captures.len() as u32,
        });
        self.nodes.extend_from_slice(&search.nodes);
        self.captures.extend_from_slice(&search.captures);
    }

    /// Calls `visit` with each search, in their order, and the number of its position.
    pub(super) fn for_each(&self, search: &mut Search, mut visit: impl FnMut(u32, &mut Search)) {
        let (mut nodes, mut captures) = (0, 0);
        for kept in &self.searches {
            let (to_node, to_capture) =
                (nodes + kept.nodes as usize, captures + kept.captures as usize);
            search.metric = kept.metric;
            search.nodes.clear();
            search.nodes.extend_from_slice(&self.nodes[nodes..to_node]);
            search.captures.clear();
            search.captures.extend_from_slice(&self.captures[captures..to_capture]);
            (nodes, captures) = (to_node, to_capture);
            visit(kept.at, search);
        }
    }
}
