//! The turns of a proof.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use fanorona_core::{Position, Side, Turn, Value};
use fanorona_proof::{Claim, ClaimKind, Guide, GuideError};

use crate::error::{Result, SolverError};
use crate::game::SuccessorList;
use crate::limits::Limits;
use crate::node::Node;
use crate::prover::{NodeLimits, Prover, Trust, Verdict};
use crate::transposition::{Fact, NO_REPLY};

/// Gives the turns of a proof, for one position after another. See
/// [`Solver::strategy`](crate::Solver::strategy).
pub struct Strategy<'s, 'a> {
    prover: &'s mut Prover<'a>,
    attacker: Side,
    /// Whether the attacker is the side that proves: it wins. Otherwise its opponent holds.
    is_win: bool,
    limits: Limits,
    stop: &'s AtomicBool,
    successors: SuccessorList,
    /// The nodes of a win in which the attacker moves.
    win: HashMap<Node, WinStep>,
    /// For nodes that were searched for a short win: a number of turns that is enough, and one that
    /// is not.
    searched: HashMap<Node, (u32, u32)>,
}

/// A node of a win in which the attacker moves.
#[derive(Clone, Copy)]
struct WinStep {
    /// Within this many turns of both sides the game must be over, or a table hold the position.
    limit: u32,
    /// The chosen successor, with the number of turns that its win takes at most. `None` until one is
    /// found.
    chosen: Option<(u32, Node)>,
}

/// What is known of a node without a search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
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
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Guide for Strategy<'_, '_> {
    fn turn(&mut self, position: &Position) -> Result<Option<Turn>, GuideError> {
        Strategy::turn(self, position).map_err(|error| match error {
            SolverError::Stopped => GuideError::Stopped,
            error => GuideError::Failed(Box::new(error)),
        })
    }
}

impl<'s, 'a> Strategy<'s, 'a> {
    pub(crate) fn new(
        prover: &'s mut Prover<'a>,
        claim: Claim,
        limits: &Limits,
        stop: &'s AtomicBool,
    ) -> Self {
        let (question, is_win) = claim.question();
        let successors = SuccessorList::new(&prover.game);
        Self {
            prover,
            attacker: question.attacker,
            is_win,
            limits: limits.clone(),
            stop,
            successors,
            win: HashMap::new(),
            searched: HashMap::new(),
        }
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
    /// [`SolverError::Stopped`] if a position has to be searched and a limit is reached; others as
    /// for [`Solver::analyze`](crate::Solver::analyze).
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
            && let (Some(_), Some(tables)) = (game.probe(position)?, game.tables)
        {
            let best = tables.rank(position)?.into_iter().next();
            return Ok(best.filter(|best| best.value.value == Value::Win).map(|best| best.turn));
        }
        let after = if !self.is_win {
            self.holding_successor(node)?
        } else if self.win.contains_key(&node) || self.work_out_win(node)? {
            self.win.get(&node).and_then(|step| step.chosen).map(|(_, after)| after)
        } else {
            None
        };
        Ok(after.and_then(|after| self.turn_to(position, after)))
    }

    /// The best turn at a position with a known value.
    pub(crate) fn best(
        prover: &'s mut Prover<'a>,
        position: &Position,
        value: Value,
        limits: &Limits,
        stop: &'s AtomicBool,
    ) -> Result<Option<Turn>> {
        if let Some(found) = prover.game.probe(position)? {
            // Without distances it is unknown which turn makes progress.
            let Some(tables) = prover.game.tables.filter(|_| found.dtw.is_some()) else {
                return Ok(None);
            };
            return Ok(tables.rank(position)?.into_iter().next().map(|ranked| ranked.turn));
        }
        let mover = position.to_move();
        let claim = match value {
            Value::Win => Claim { side: mover, kind: ClaimKind::Wins },
            Value::Draw => Claim { side: mover, kind: ClaimKind::Holds },
            Value::Loss => Claim { side: mover.other(), kind: ClaimKind::Wins },
        };
        let mut strategy = Self::new(prover, claim, limits, stop);
        let node = strategy.prover.game.node(position, strategy.attacker);
        let after = match value {
            Value::Draw => strategy.holding_successor(node)?,
            Value::Win => match strategy.decide(node)? {
                Known::Proved { height } => {
                    strategy.nearer_successor(node, height)?.map(|(_, after)| after)
                }
                Known::Disproved => None,
            },
            Value::Loss => strategy.slowest_loss(node)?,
        };
        Ok(after.and_then(|after| strategy.turn_to(position, after)))
    }

    /// A successor from which the win takes longest, as far as that is known.
    fn slowest_loss(&mut self, node: Node) -> Result<Option<Node>> {
        let mut longest = None;
        for after in self.list(node) {
            if let Known::Proved { height } = self.decide(after)?
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

    /// What the rules, the tables or the transposition table say of a node.
    fn known(&mut self, node: Node) -> Result<Option<Known>> {
        if let Some(attacker_wins) = self.prover.game.decided(node)? {
            let known = if attacker_wins { Known::Proved { height: 0 } } else { Known::Disproved };
            return Ok(Some(known));
        }
        let entry = self.prover.table.view().get(node.key());
        Ok(match entry.map(|entry| entry.fact) {
            Some(Fact::Proved { height }) => Some(Known::Proved { height }),
            Some(Fact::Disproved) => Some(Known::Disproved),
            _ => None,
        })
    }

    /// Decides a node, by a search if it has to be.
    fn decide(&mut self, node: Node) -> Result<Known> {
        if let Some(known) = self.known(node)? {
            return Ok(known);
        }
        let Verdict { proved, height, .. } = self.prove(node)?;
        Ok(if proved { Known::Proved { height } } else { Known::Disproved })
    }

    fn prove(&mut self, node: Node) -> Result<Verdict> {
        // Small searches end before they check the flag.
        if self.stop.load(Ordering::Relaxed) {
            return Err(SolverError::Stopped);
        }
        let limits = NodeLimits {
            threads: self.limits.num_threads(),
            nodes: self.limits.nodes.unwrap_or(u64::MAX),
            deadline: self.limits.time.and_then(|time| Instant::now().checked_add(time)),
            stop: self.stop,
        };
        let verdict = self.prover.prove(node, &limits, Trust::Own, &[], |_, _| {})?;
        verdict.ok_or(SolverError::Stopped)
    }

    /// Chooses all turns that the attacker needs to win from a node, and returns whether it wins.
    fn work_out_win(&mut self, root: Node) -> Result<bool> {
        let Known::Proved { height: limit } = self.decide(root)? else { return Ok(false) };
        self.win.insert(root, WinStep { limit, chosen: None });
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            let WinStep { limit, chosen } = self.win[&node];
            if chosen.is_some_and(|(height, _)| height < limit) {
                continue;
            }
            let Some((height, after)) = self.nearer_successor(node, limit)? else {
                return Ok(false);
            };
            self.win.insert(node, WinStep { limit, chosen: Some((height, after)) });
            if height == 0 {
                continue;
            }
            for next in self.list(after) {
                if self.prover.game.known(next)?.is_some() {
                    continue;
                }
                // The limit of a node is smaller than that of every node that leads to it, so there
                // is no cycle. Where a limit gets smaller, another turn may be needed.
                let step = self.win.entry(next).or_insert(WinStep { limit: height, chosen: None });
                if step.limit >= height {
                    step.limit = height - 1;
                    waiting.push(next);
                }
            }
        }
        Ok(true)
    }

    /// A successor from which the attacker wins within less than `limit` turns, with their number.
    /// The attacker moves at the node, and wins from it within `limit` turns.
    pub(crate) fn nearer_successor(
        &mut self,
        node: Node,
        limit: u32,
    ) -> Result<Option<(u32, Node)>> {
        let list = self.list(node);
        let mut nearest = None;
        for after in &list {
            if let Some(Known::Proved { height }) = self.known(*after)?
                && height < limit
                && nearest.is_none_or(|(least, _)| height < least)
            {
                nearest = Some((height, *after));
            }
        }
        if nearest.is_some() || limit == 0 {
            return Ok(nearest);
        }
        // The entries that showed it have been replaced.
        for after in list {
            if self.wins_within(after, limit - 1)? {
                return Ok(Some((limit - 1, after)));
            }
        }
        Ok(None)
    }

    /// Whether the attacker wins within this many turns of both sides.
    fn wins_within(&mut self, node: Node, turns: u32) -> Result<bool> {
        match self.known(node)? {
            Some(Known::Proved { height }) if height <= turns => return Ok(true),
            Some(Known::Disproved) => return Ok(false),
            _ if turns == 0 => return Ok(false),
            _ => {}
        }
        let (enough, too_few) = *self.searched.entry(node).or_insert((u32::MAX, 0));
        if enough <= turns || turns <= too_few {
            return Ok(enough <= turns);
        }
        let wins = match self.decide(node)? {
            Known::Disproved => false,
            Known::Proved { height } if height <= turns => true,
            Known::Proved { .. } => {
                let mut wins = !node.attacks();
                for after in self.list(node) {
                    if self.wins_within(after, turns - 1)? == node.attacks() {
                        wins = node.attacks();
                        break;
                    }
                }
                wins
            }
        };
        let (enough, too_few) = self.searched.entry(node).or_insert((u32::MAX, 0));
        if wins {
            *enough = turns.min(*enough);
        } else {
            *too_few = turns.max(*too_few);
        }
        Ok(wins)
    }

    /// A successor from which the attacker cannot force a win. The defender moves at the node.
    fn holding_successor(&mut self, node: Node) -> Result<Option<Node>> {
        let list = self.list(node);
        for after in &list {
            if self.known(*after)? == Some(Known::Disproved) {
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
            if self.decide(after)? == Known::Disproved {
                return Ok(Some(after));
            }
        }
        Ok(None)
    }
}
