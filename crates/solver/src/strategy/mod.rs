//! The turns of a proof.

mod win;

use std::fmt;
use std::mem;

use fanorona_core::{Position, Side, Turn, Value};
use fanorona_proof::{CertificateError, Claim, ClaimKind, Guide};

use self::win::{Win, Winning, choose};
use crate::error::{Result, SolverError};
use crate::game::SuccessorList;
use crate::node::Node;
use crate::prover::{NodeLimits, Prover, Verdict};
use crate::transposition::{Fact, NO_REPLY};

/// Gives the turns of a proof, for one position after another. See
/// [`Solver::strategy`](crate::Solver::strategy).
pub struct Strategy<'s, 'a> {
    prover: &'s mut Prover<'a>,
    attacker: Side,
    /// Whether the attacker is the side that proves: it wins. Otherwise its opponent holds.
    is_win: bool,
    /// The limits that are left for searches.
    limits: NodeLimits<'s>,
    successors: SuccessorList,
    win: Win,
}

/// A node that is decided without a search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decided {
    /// The attacker wins within this many turns.
    Proved { height: u32 },
    /// The attacker cannot force a win.
    Disproved,
}

impl fmt::Debug for Strategy<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Strategy")
            .field("attacker", &self.attacker)
            .field("is_win", &self.is_win)
            .finish_non_exhaustive()
    }
}

impl Guide for Strategy<'_, '_> {
    fn turn(&mut self, position: &Position) -> Result<Option<Turn>, CertificateError> {
        Strategy::turn(self, position).map_err(|error| match error {
            SolverError::Stopped => CertificateError::Stopped,
            error => CertificateError::Guide { kind: error.kind(), source: Box::new(error) },
        })
    }
}

impl<'s, 'a> Strategy<'s, 'a> {
    pub(crate) fn new(prover: &'s mut Prover<'a>, claim: Claim, limits: NodeLimits<'s>) -> Self {
        let (question, is_win) = claim.question();
        let (attacker, successors) = (question.attacker, SuccessorList::new(&prover.game));
        Self { prover, attacker, is_win, limits, successors, win: Win::new() }
    }

    /// The positions that may still be searched.
    pub(crate) fn nodes_left(&self) -> u64 {
        self.limits.nodes
    }

    /// A turn for the side that proves: one that wins and makes progress, or one after which the
    /// other side still cannot force a win. `None` if the other side is to move, if the game is
    /// over, or if the claim is not true at this position.
    ///
    /// The first position of a win has the whole win worked out, which takes about 50 bytes for
    /// each of its positions. Play by these turns leads to the end of the game or to a table,
    /// whatever the other side does. In a table they follow the distances, if these are known;
    /// otherwise a turn wins, but need not make progress.
    ///
    /// # Errors
    /// [`SolverError::Stopped`] and [`SolverError::Limit`] if a position has to be searched and the
    /// search is stopped or reaches a limit; others as for
    /// [`Solver::analyze`](crate::Solver::analyze).
    pub fn turn(&mut self, position: &Position) -> Result<Option<Turn>> {
        let game = &self.prover.game;
        let (expected, found) = (game.board, position.board());
        if expected != found {
            return Err(SolverError::OtherBoard { expected, found });
        }
        let attacks = position.to_move() == self.attacker;
        if attacks != self.is_win || game.rules.outcome(position).is_some() {
            return Ok(None);
        }
        let node = game.node(position, self.attacker);
        if self.is_win
            && game.may_be_leaf(position)
            && let (Some(_), Some(tables)) = (game.probe(position)?, game.tables)
        {
            let best = tables.rank(position)?.into_iter().next();
            return Ok(best.filter(|best| best.value.value == Value::Win).map(|best| best.turn));
        }
        let after = if !self.is_win {
            self.holding_successor(node)?
        } else if self.win.contains_key(&node) || self.work_out_win(node)? {
            self.win.get(&node).copied()
        } else {
            None
        };
        Ok(after.and_then(|after| self.turn_to(position, after)))
    }

    /// The successor that was chosen for a node of a win.
    #[cfg(test)]
    pub(crate) fn chosen(&self, node: Node) -> Option<Node> {
        self.win.get(&node).copied()
    }

    /// The best turn at a position with a known value.
    pub(crate) fn best(
        prover: &'s mut Prover<'a>,
        position: &Position,
        value: Value,
        limits: NodeLimits<'s>,
    ) -> Result<Option<Turn>> {
        if let Some(found) = prover.game.probe(position)? {
            // Without distances it is unknown which turn makes progress. Other tables may be missing.
            let Some(tables) = prover.game.tables.filter(|_| found.dtw.is_some()) else {
                return Ok(None);
            };
            for turn in tables.rules().turns(position) {
                match tables.probe(&position.play_unchecked(&turn)) {
                    Ok(after) if after.before_turn() == found => return Ok(Some(turn)),
                    Err(error) if !error.is_absent() => return Err(error.into()),
                    _ => {}
                }
            }
            return Ok(None);
        }
        let mover = position.to_move();
        let claim = match value {
            Value::Win => Claim { side: mover, kind: ClaimKind::Wins },
            Value::Draw => Claim { side: mover, kind: ClaimKind::Holds },
            Value::Loss => Claim { side: mover.other(), kind: ClaimKind::Wins },
        };
        let mut strategy = Self::new(prover, claim, limits);
        let node = strategy.prover.game.node(position, strategy.attacker);
        let after = match value {
            Value::Draw => strategy.holding_successor(node)?,
            Value::Win => strategy.winning_successor(node)?,
            Value::Loss => strategy.slowest_loss(node)?,
        };
        Ok(after.and_then(|after| strategy.turn_to(position, after)))
    }

    /// A successor from which the win takes longest, as far as that is known.
    fn slowest_loss(&mut self, node: Node) -> Result<Option<Node>> {
        let mut longest = None;
        for after in self.list(node) {
            if let Decided::Proved { height } = self.decide(after)?
                && longest.is_none_or(|(most, _)| height > most)
            {
                longest = Some((height, after));
            }
        }
        Ok(longest.map(|(_, after)| after))
    }

    fn turn_to(&self, position: &Position, after: Node) -> Option<Turn> {
        self.prover.game.turn_to(position, self.attacker, after)
    }

    fn list(&mut self, node: Node) -> Vec<Node> {
        self.successors.of(&self.prover.game, node).to_vec()
    }

    /// The answer of the rules, the tables or the transposition table for a node.
    fn known(&mut self, node: Node) -> Result<Option<Decided>> {
        if let Some(attacker_wins) = self.prover.game.decided(node)? {
            let known =
                if attacker_wins { Decided::Proved { height: 0 } } else { Decided::Disproved };
            return Ok(Some(known));
        }
        let entry = self.prover.table.view().get(node.key());
        Ok(match entry.map(|entry| entry.fact) {
            Some(Fact::Proved { height }) => Some(Decided::Proved { height }),
            Some(Fact::Disproved) => Some(Decided::Disproved),
            _ => None,
        })
    }

    /// Decides a node, by a search if it has to be.
    fn decide(&mut self, node: Node) -> Result<Decided> {
        if let Some(known) = self.known(node)? {
            return Ok(known);
        }
        let Verdict { proved, height, .. } = self.prove(node)?;
        Ok(if proved { Decided::Proved { height } } else { Decided::Disproved })
    }

    fn prove(&mut self, node: Node) -> Result<Verdict> {
        // Small searches end before they look at the limits.
        self.limits.check()?;
        let before = self.prover.counts.nodes;
        let verdict = self.prover.prove(node, &self.limits, &[], |_, _, _| {})?;
        let searched = self.prover.counts.nodes - before;
        self.limits.nodes = self.limits.nodes.saturating_sub(searched);
        match verdict {
            Some(verdict) => Ok(verdict),
            None => Err(self.limits.check().err().unwrap_or(SolverError::Limit)),
        }
    }

    /// Chooses all turns that the attacker needs to win from a node at which it moves, and returns
    /// whether it wins.
    pub(crate) fn work_out_win(&mut self, root: Node) -> Result<bool> {
        if self.decide(root)? == Decided::Disproved {
            return Ok(false);
        }
        let mut win = mem::take(&mut self.win);
        // Successors that are already known as wins are nearly always enough.
        let mut choose =
            |tries_all| choose(&mut win, root, &mut Successors { strategy: &mut *self, tries_all });
        let chosen = match choose(false) {
            Ok(false) => choose(true),
            chosen => chosen,
        };
        self.win = win;
        chosen
    }

    /// The successors of the attacker's node that are known to win, the nearest win last; if there
    /// are none, one that a search finds. `tries_all`: all successors that win, by searching each.
    fn winning_successors(&mut self, node: Node, tries_all: bool) -> Result<Vec<Node>> {
        let list = self.list(node);
        let mut wins = Vec::new();
        for after in &list {
            let known = if tries_all { Some(self.decide(*after)?) } else { self.known(*after)? };
            if let Some(Decided::Proved { height }) = known {
                wins.push((height, *after));
            }
        }
        if wins.is_empty() && !tries_all {
            // The entries that showed it have been replaced.
            let Verdict { proved, reply, .. } = self.prove(node)?;
            return match list.get(usize::from(reply)) {
                Some(after) if proved => Ok(vec![*after]),
                None if proved => self.winning_successors(node, true),
                _ => Ok(Vec::new()),
            };
        }
        wins.sort_by_key(|(height, _)| std::cmp::Reverse(*height));
        Ok(wins.into_iter().map(|(_, after)| after).collect())
    }

    /// A winning successor of the attacker's node, the nearest of those that are known.
    fn winning_successor(&mut self, node: Node) -> Result<Option<Node>> {
        Ok(self.winning_successors(node, false)?.pop())
    }

    /// A successor from which the attacker cannot force a win. The defender moves at the node.
    fn holding_successor(&mut self, node: Node) -> Result<Option<Node>> {
        let list = self.list(node);
        for after in &list {
            if self.known(*after)? == Some(Decided::Disproved) {
                return Ok(Some(*after));
            }
        }
        let verdict = self.prove(node)?;
        if verdict.proved {
            return Ok(None);
        }
        if verdict.reply != NO_REPLY {
            return Ok(list.get(usize::from(verdict.reply)).copied());
        }
        for after in list {
            if self.decide(after)? == Decided::Disproved {
                return Ok(Some(after));
            }
        }
        Ok(None)
    }
}

/// The successors of a strategy's wins.
struct Successors<'w, 's, 'a> {
    strategy: &'w mut Strategy<'s, 'a>,
    /// All successors that win, not only those that are known to.
    tries_all: bool,
}

impl Winning for Successors<'_, '_, '_> {
    fn winning_successors(&mut self, node: Node) -> Result<Vec<Node>> {
        self.strategy.winning_successors(node, self.tries_all)
    }

    fn unsettled_after(&mut self, after: Node) -> Result<Vec<Node>> {
        if self.strategy.prover.game.decided(after)?.is_some() {
            return Ok(Vec::new());
        }
        let mut nodes = Vec::new();
        for node in self.strategy.list(after) {
            if self.strategy.prover.game.decided(node)?.is_none() {
                nodes.push(node);
            }
        }
        Ok(nodes)
    }
}
