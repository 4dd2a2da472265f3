//! The turns of a proof.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use fanorona_core::{Position, Turn, Value};
use fanorona_proof::{Guide, GuideError, Question};

use crate::Limits;
use crate::engine::{Bound, Engine, Verdict};
use crate::error::{Result, SolverError};
use crate::game::{Lister, Look};
use crate::memory::{Fact, NO_REPLY};
use crate::node::Node;

/// Tells the turns of a proof, position after position: see [`Solver::strategy`].
///
/// [`Solver::strategy`]: crate::Solver::strategy
pub struct Strategy<'s, 'a> {
    engine: &'s mut Engine<'a>,
    question: Question,
    wins: bool,
    limits: Limits,
    stop: &'s AtomicBool,
    lister: Lister,
    /// A win, by the nodes where the attacker moves.
    win: HashMap<Node, Step>,
    /// For nodes that have been searched for a short win: the turns in which there is one, and
    /// those in which there is none.
    searched: HashMap<Node, (u32, u32)>,
}

impl fmt::Debug for Strategy<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Strategy").field("question", &self.question).finish_non_exhaustive()
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

/// A node of a win.
#[derive(Clone, Copy)]
struct Step {
    /// The attacker is to be at an end or in a table within so many turns of both sides.
    limit: u32,
    /// The successor that does it, and within how many turns; `None` until it is found.
    chosen: Option<(u32, Node)>,
}

impl<'s, 'a> Strategy<'s, 'a> {
    pub(crate) fn new(
        engine: &'s mut Engine<'a>,
        question: Question,
        answer: bool,
        limits: &Limits,
        stop: &'s AtomicBool,
    ) -> Self {
        let lister = Lister::new(&engine.game);
        Self {
            engine,
            question,
            wins: answer,
            limits: limits.clone(),
            stop,
            lister,
            win: HashMap::new(),
            searched: HashMap::new(),
        }
    }

    /// A turn of the side that proves, at a position where it moves: one that wins and gets closer
    /// to the end, or one that keeps the other side from winning. `None` if the other side moves,
    /// if the game is over, or if the position does not belong to what is to be proved.
    ///
    /// The first position that is asked of a win has the whole win worked out, which takes some 50
    /// bytes for each of its positions. Play by its turns, one for each position, comes to an end or
    /// to a position in the tables, whatever the other side does. There it goes on by the distances,
    /// if the tables tell them; without these a turn wins, but need not get closer to the end.
    ///
    /// # Errors
    /// [`SolverError::Stopped`] if a position has to be searched and the limits do not suffice;
    /// others as for [`Solver::analyze`](crate::Solver::analyze).
    pub fn turn(&mut self, position: &Position) -> Result<Option<Turn>> {
        let game = &self.engine.game;
        let (expected, found) = (game.board, position.board());
        if expected != found {
            return Err(SolverError::OtherBoard { expected, found });
        }
        let attacker = self.question.attacker;
        let attacks = position.to_move() == attacker;
        if attacks != self.wins || game.rules.outcome(position).is_some() {
            return Ok(None);
        }
        let node = game.node(position, attacker);
        if self.wins
            && let (Some(_), Some(tables)) = (game.probe(position)?, game.tables)
        {
            let best = tables.rank(position)?.into_iter().next();
            return Ok(best.filter(|best| best.value.value == Value::Win).map(|best| best.turn));
        }
        let after = if !self.wins {
            self.holding(node)?
        } else if self.win.contains_key(&node) || self.work_out(node)? {
            self.win.get(&node).and_then(|step| step.chosen).map(|(_, after)| after)
        } else {
            None
        };
        Ok(after.and_then(|after| self.engine.game.turn_to(position, attacker, after)))
    }

    /// The best turn at a position with a known value.
    pub(crate) fn best(
        engine: &'s mut Engine<'a>,
        position: &Position,
        value: Value,
        limits: &Limits,
        stop: &'s AtomicBool,
    ) -> Result<Option<Turn>> {
        if let Some(found) = engine.game.probe(position)? {
            // Without distances nothing tells which turn makes progress.
            let Some(tables) = engine.game.tables.filter(|_| found.dtw.is_some()) else {
                return Ok(None);
            };
            return Ok(tables.rank(position)?.into_iter().next().map(|ranked| ranked.turn));
        }
        let mover = position.to_move();
        let attacker = if value == Value::Win { mover } else { mover.other() };
        let question = Question { attacker };
        let mut strategy = Self::new(engine, question, value != Value::Draw, limits, stop);
        let node = strategy.engine.game.node(position, attacker);
        let after = match value {
            Value::Draw => strategy.holding(node)?,
            Value::Win => {
                let height = strategy.settle(node)?.unwrap_or(0);
                strategy.nearer(node, height)?.map(|(_, after)| after)
            }
            // Where the win takes longest, as far as that is known.
            Value::Loss => {
                let mut longest = None;
                for after in strategy.list(node) {
                    let height = strategy.settle(after)?.unwrap_or(0);
                    if longest.is_none_or(|(most, _)| height > most) {
                        longest = Some((height, after));
                    }
                }
                longest.map(|(_, after)| after)
            }
        };
        Ok(after.and_then(|after| strategy.engine.game.turn_to(position, attacker, after)))
    }

    fn list(&mut self, node: Node) -> Vec<Node> {
        self.lister.list(&self.engine.game, node).to_vec()
    }

    /// What is remembered of a node: `Some(None)` if it is held, `Some(Some(height))` if won.
    fn remembered(&mut self, node: Node) -> Result<Option<Option<u32>>> {
        let game = &self.engine.game;
        let over = || match game.look(node) {
            Look::Over(wins) => Some(wins),
            Look::Open { .. } => None,
        };
        if let Some(wins) = game.known(node)?.or_else(over) {
            return Ok(Some(wins.then_some(0)));
        }
        let entry = self.engine.memory.table().get(node.key());
        Ok(match entry.map(|entry| entry.fact) {
            Some(Fact::Won { height }) => Some(Some(height)),
            Some(Fact::Held) => Some(None),
            _ => None,
        })
    }

    /// Whether the attacker wins, remembered or searched, and in how many turns at most.
    fn settle(&mut self, node: Node) -> Result<Option<u32>> {
        match self.remembered(node)? {
            Some(height) => Ok(height),
            None => {
                let verdict = self.prove(node)?;
                Ok(verdict.wins.then_some(verdict.height))
            }
        }
    }

    fn prove(&mut self, node: Node) -> Result<Verdict> {
        // Small searches end before they look at it themselves.
        if self.stop.load(Ordering::Relaxed) {
            return Err(SolverError::Stopped);
        }
        let bound = Bound {
            threads: self.limits.threads(),
            nodes: self.limits.nodes.unwrap_or(u64::MAX),
            deadline: self.limits.time.map(|time| Instant::now() + time),
            stop: self.stop,
        };
        self.engine.prove(node, &bound, &[], |_, _| {})?.ok_or(SolverError::Stopped)
    }

    /// Finds all turns of the attacker that it needs to win from a node; gives whether it does.
    fn work_out(&mut self, root: Node) -> Result<bool> {
        let Some(limit) = self.settle(root)? else { return Ok(false) };
        self.win.insert(root, Step { limit, chosen: None });
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            let Step { limit, chosen } = self.win[&node];
            if chosen.is_some_and(|(height, _)| height < limit) {
                continue;
            }
            let Some((height, after)) = self.nearer(node, limit)? else { return Ok(false) };
            self.win.insert(node, Step { limit, chosen: Some((height, after)) });
            if height == 0 {
                continue;
            }
            for next in self.list(after) {
                if self.engine.game.known(next)?.is_some() {
                    continue;
                }
                // Every node's limit is smaller than those of the nodes that lead to it. So there
                // is no circle; where a limit gets smaller, another turn may be needed.
                let step = self.win.entry(next).or_insert(Step { limit: height, chosen: None });
                if step.limit >= height {
                    step.limit = height - 1;
                    waiting.push(next);
                }
            }
        }
        Ok(true)
    }

    /// A successor of a node where the attacker moves from which it wins in less than so many
    /// turns, with their number.
    pub(crate) fn nearer(&mut self, node: Node, limit: u32) -> Result<Option<(u32, Node)>> {
        let list = self.list(node);
        let mut nearest = None;
        for after in &list {
            if let Some(Some(height)) = self.remembered(*after)?
                && height < limit
                && nearest.is_none_or(|(least, _)| height < least)
            {
                nearest = Some((height, *after));
            }
        }
        if nearest.is_some() || limit == 0 {
            return Ok(nearest);
        }
        // What made it so near has been forgotten.
        for after in list {
            if self.wins_within(after, limit - 1)? {
                return Ok(Some((limit - 1, after)));
            }
        }
        Ok(None)
    }

    /// Whether the attacker gets to an end or a table within so many turns of both sides.
    fn wins_within(&mut self, node: Node, turns: u32) -> Result<bool> {
        match self.remembered(node)? {
            Some(Some(height)) if height <= turns => return Ok(true),
            Some(None) => return Ok(false),
            _ if turns == 0 => return Ok(false),
            _ => {}
        }
        let (least, most) = *self.searched.entry(node).or_insert((u32::MAX, 0));
        if least <= turns || turns <= most {
            return Ok(least <= turns);
        }
        let wins = match self.settle(node)? {
            None => false,
            Some(height) if height <= turns => true,
            Some(_) => {
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
        let (least, most) = self.searched.entry(node).or_insert((u32::MAX, 0));
        if wins {
            *least = turns.min(*least);
        } else {
            *most = turns.max(*most);
        }
        Ok(wins)
    }

    /// A successor from which the attacker, who waits, cannot force a win.
    fn holding(&mut self, node: Node) -> Result<Option<Node>> {
        let list = self.list(node);
        for after in &list {
            if self.remembered(*after)? == Some(None) {
                return Ok(Some(*after));
            }
        }
        let verdict = self.prove(node)?;
        if verdict.wins {
            return Ok(None);
        }
        if verdict.reply != NO_REPLY {
            return Ok(list.get(usize::from(verdict.reply)).copied());
        }
        for after in list {
            if self.settle(after)?.is_none() {
                return Ok(Some(after));
            }
        }
        Ok(None)
    }
}
