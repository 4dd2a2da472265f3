//! A slow generator that follows the rules, or makes one mistake.
//!
//! It tells which mistake explains the answers of another program. Tests compare it, without a
//! mistake, with the generator of the rules.

use std::collections::HashSet;

use fanorona_core::{
    Board, Captures, Chain, Direction, DirectionRule, MAX_STEPS, Paikas, Point, PointSet, Position,
    RuleSet, StepKind, Stones, TurnRule,
};

use super::candidate::Candidate;
use super::fault::Fault;
use super::written::Taking;

/// The work of a question was too much, so the answer is not what was asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TooMuch;

/// Lists turns with a mistake, or without one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variant {
    rules: RuleSet,
    fault: Option<Fault>,
}

/// A step of one stone.
#[derive(Clone, Copy, Debug)]
struct Hop {
    direction: Direction,
    to: Point,
    taking: Taking,
    taken: PointSet,
}

/// A turn in the middle.
struct Way<'a> {
    variant: &'a Variant,
    board: Board,
    rule: TurnRule,
    start: Stones,
    origin: Point,
    steps: Vec<(Point, Taking)>,
    directions: Vec<Direction>,
    /// The steps that may still be made in all.
    budget: &'a mut u64,
    turns: &'a mut Vec<Candidate>,
}

impl Variant {
    pub(super) fn new(rules: &RuleSet, fault: Option<Fault>) -> Self {
        let rules = fault.map_or(*rules, |fault| fault.rules(rules));
        Self { rules, fault }
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// The turns with the count below each at a depth.
    pub(super) fn divide(
        &self,
        position: &Position,
        depth: u8,
        budget: &mut u64,
    ) -> Result<Vec<(Candidate, u128)>, TooMuch> {
        let board = position.board();
        let mut divided = Vec::new();
        for turn in self.turns(position, budget)? {
            let nodes = match turn.position_after(position) {
                Some(after) => self.count(&after, depth.saturating_sub(1), budget)?,
                None => 0,
            };
            let turn = if self.has(Fault::UpsideDown) { turn.upside_down(board) } else { turn };
            divided.push((turn, nodes));
        }
        Ok(divided)
    }

    fn count(&self, position: &Position, depth: u8, budget: &mut u64) -> Result<u128, TooMuch> {
        if depth == 0 {
            return Ok(1);
        }
        let divided = self.divide(position, depth, budget)?;
        Ok(divided.iter().map(|(_, nodes)| nodes).sum())
    }

    /// The turns of a position.
    fn turns(&self, position: &Position, budget: &mut u64) -> Result<Vec<Candidate>, TooMuch> {
        let mut turns = Vec::new();
        let board = position.board();
        let start = Stones::of(position);
        let rule = self.rules.turn_rule(position);
        if start.opponent.is_empty() && !self.has(Fault::GoesOn) {
            return Ok(turns);
        }
        let steps: Vec<(Point, Vec<Hop>)> =
            start.own.iter().map(|stone| (stone, self.hops(board, &rule, start, stone))).collect();
        let can_capture = steps.iter().flat_map(|(_, hops)| hops).any(Hop::captures);
        for (stone, hops) in &steps {
            let captures = hops.iter().any(Hop::captures);
            let mut may_be_quiet = match rule.paikas {
                Paikas::WhenNoCapture => !can_capture,
                Paikas::AnyStep | Paikas::NonCapturingStep => true,
                Paikas::Never => false,
            };
            if self.has(Fault::CapturerStays) && captures {
                may_be_quiet = false;
            }
            let mut quiet_to = HashSet::new();
            for hop in hops {
                let mut way = Way {
                    variant: self,
                    board,
                    rule,
                    start,
                    origin: *stone,
                    steps: Vec::new(),
                    directions: Vec::new(),
                    budget,
                    turns: &mut turns,
                };
                if hop.captures() && rule.captures != Captures::Never {
                    let visited = PointSet::from(*stone);
                    way.go_on(*hop, visited, start.opponent, PointSet::EMPTY)?;
                }
                let captures_quietly =
                    rule.paikas == Paikas::AnyStep || self.has(Fault::QuietCapture);
                let is_quiet = !hop.captures() || captures_quietly;
                if may_be_quiet && is_quiet && quiet_to.insert(hop.to) {
                    way.push_quiet(hop.to)?;
                }
            }
        }
        if self.has(Fault::Pass) && turns.is_empty() && !start.opponent.is_empty() {
            let origin = start.own.first();
            turns.extend(origin.map(|origin| Candidate {
                origin,
                steps: Vec::new(),
                captured: PointSet::EMPTY,
                after: start,
            }));
        }
        if self.has(Fault::SameResultOnce) {
            let mut seen = HashSet::new();
            turns.retain(|turn| seen.insert(turn.after));
        }
        Ok(turns)
    }

    /// The steps of a stone to empty points. One that could capture both ways comes twice.
    fn hops(&self, board: Board, rule: &TurnRule, stones: Stones, stone: Point) -> Vec<Hop> {
        let mut hops = Vec::new();
        for direction in Direction::ALL {
            let Some(to) = self.neighbour(board, stone, direction) else { continue };
            if stones.occupied().contains(to) {
                continue;
            }
            let line = |from, direction| self.line(board, rule, stones.opponent, from, direction);
            let mut approach = line(to, direction);
            let mut withdrawal = line(stone, direction.opposite());
            match self.fault {
                Some(Fault::Only(StepKind::Approach)) => withdrawal = PointSet::EMPTY,
                Some(Fault::Only(_)) => approach = PointSet::EMPTY,
                Some(Fault::Prefers(kind)) if !approach.is_empty() && !withdrawal.is_empty() => {
                    if kind == StepKind::Approach {
                        withdrawal = PointSet::EMPTY;
                    } else {
                        approach = PointSet::EMPTY;
                    }
                }
                Some(Fault::BothLines) if !approach.is_empty() && !withdrawal.is_empty() => {
                    let taken = approach | withdrawal;
                    hops.push(Hop { direction, to, taking: Taking::Both, taken });
                    continue;
                }
                _ => {}
            }
            let mut push = |kind, taken| {
                hops.push(Hop { direction, to, taking: Taking::One(kind), taken });
            };
            match (approach.is_empty(), withdrawal.is_empty()) {
                (true, true) => push(StepKind::Paika, PointSet::EMPTY),
                (false, true) => push(StepKind::Approach, approach),
                (true, false) => push(StepKind::Withdrawal, withdrawal),
                (false, false) => {
                    push(StepKind::Approach, approach);
                    push(StepKind::Withdrawal, withdrawal);
                }
            }
        }
        hops
    }

    /// The point at the other end of a link.
    fn neighbour(&self, board: Board, point: Point, direction: Direction) -> Option<Point> {
        let (files, ranks) = direction.delta();
        let at = board.coordinates(point);
        let (file, rank) = (i32::from(at.file()) + files, i32::from(at.rank()) + ranks);
        let is_strong = (at.file() + at.rank()).is_multiple_of(2);
        let is_diagonal = files != 0 && ranks != 0;
        let is_linked = !is_diagonal
            || match self.fault {
                Some(Fault::AllDiagonals) => true,
                Some(Fault::WeakDiagonals) => !is_strong,
                Some(Fault::NoDiagonals) => false,
                _ => is_strong,
            };
        let (width, height) = (i32::from(board.width()), i32::from(board.height()));
        let (file, rank) = match file {
            _ if !self.has(Fault::Wraps) => (file, rank),
            -1 => (width - 1, rank - 1),
            _ if file == width => (0, rank + 1),
            _ => (file, rank),
        };
        if !is_linked || !(0..width).contains(&file) || !(0..height).contains(&rank) {
            return None;
        }
        board.point_at(file as u8, rank as u8)
    }

    /// The stones that are captured in a line.
    fn line(
        &self,
        board: Board,
        rule: &TurnRule,
        enemies: PointSet,
        from: Point,
        direction: Direction,
    ) -> PointSet {
        let mut line = PointSet::EMPTY;
        let mut at = from;
        // A line that goes on at the other edge could come back.
        for _ in 0..board.num_points() {
            let Some(next) = self.neighbour(board, at, direction) else { break };
            at = next;
            if enemies.contains(at) {
                line |= at;
            } else if line.is_empty() || !self.has(Fault::BeyondGap) {
                break;
            }
            if rule.captures == Captures::NearestStone || self.has(Fault::Nearest) {
                break;
            }
        }
        line
    }
}

impl Hop {
    fn captures(&self) -> bool {
        !self.taken.is_empty()
    }
}

impl Way<'_> {
    fn spend(&mut self) -> Result<(), TooMuch> {
        *self.budget = self.budget.checked_sub(1).ok_or(TooMuch)?;
        Ok(())
    }

    fn push_quiet(&mut self, to: Point) -> Result<(), TooMuch> {
        self.spend()?;
        let own = (self.start.own - self.origin) | to;
        self.turns.push(Candidate {
            origin: self.origin,
            steps: vec![(to, Taking::One(StepKind::Paika))],
            captured: PointSet::EMPTY,
            after: Stones { own, ..self.start },
        });
        Ok(())
    }

    /// Makes a capturing step, and lists the turns that end or go on there. `enemies` are the stones
    /// that stand before it, `captured` those that the turn has captured.
    fn go_on(
        &mut self,
        hop: Hop,
        visited: PointSet,
        enemies: PointSet,
        captured: PointSet,
    ) -> Result<(), TooMuch> {
        self.spend()?;
        self.steps.push((hop.to, hop.taking));
        self.directions.push(hop.direction);
        let result = self.arrived(hop, visited | hop.to, enemies, captured | hop.taken);
        self.steps.pop();
        self.directions.pop();
        result
    }

    fn arrived(
        &mut self,
        hop: Hop,
        visited: PointSet,
        enemies: PointSet,
        captured: PointSet,
    ) -> Result<(), TooMuch> {
        let (variant, board, rule) = (self.variant, self.board, self.rule);
        let own = (self.start.own - self.origin) | hop.to;
        let (enemies, gone) = match variant.fault {
            Some(Fault::CapturedStand) => (enemies, captured),
            Some(Fault::LastStepOnly) => (self.start.opponent - hop.taken, hop.taken),
            _ => (enemies - hop.taken, captured),
        };
        let may_return = match variant.fault {
            Some(Fault::BackToStart) => PointSet::from(self.origin),
            Some(Fault::BackToWay) => visited - self.origin,
            Some(Fault::Back) => visited,
            _ => PointSet::EMPTY,
        };
        let steps = self.steps.len();
        let most = match variant.fault {
            Some(Fault::RelayEnds(most)) => usize::from(most),
            Some(Fault::NoRelay) => 1,
            _ => MAX_STEPS + 1,
        };
        let ends = rule.chain == Chain::Single || steps >= most;
        let stones = Stones { own, opponent: enemies };
        let mut next = if ends { Vec::new() } else { variant.hops(board, &rule, stones, hop.to) };
        next.retain(|next| {
            let repeats = match rule.direction {
                DirectionRule::NotTwiceRunning => next.direction == hop.direction,
                DirectionRule::Strict => self.directions.contains(&next.direction),
                DirectionRule::Free => false,
            };
            let has_been = (visited - may_return).contains(next.to);
            next.captures() && !repeats && !has_been
        });
        if rule.chain != Chain::MustGoOn || next.is_empty() {
            self.turns.push(Candidate {
                origin: self.origin,
                steps: self.steps.clone(),
                captured: gone,
                after: Stones { own, opponent: self.start.opponent - gone },
            });
        }
        for hop in next {
            self.go_on(hop, visited, enemies, captured)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::SplitMix64;

    use super::*;

    /// Without a mistake it lists the turns of the rules, in games at random.
    #[test]
    fn without_a_mistake_it_follows_the_rules() {
        let mut random = SplitMix64::new(7);
        let options = ["standard+direction-strict", "standard+direction-free", "vela+must-capture"];
        let options = options.map(|text| text.parse().expect("a rule set"));
        for rules in RuleSet::PRESETS.into_iter().chain(options) {
            let variant = Variant::new(&rules, None);
            for _ in 0..5 {
                let mut position = Board::tsivy().start();
                loop {
                    let legal = rules.turns(&position);
                    let sorted = |mut turns: Vec<Candidate>| {
                        turns.sort_by_key(|turn| turn.text(position.board()));
                        turns
                    };
                    let found = variant.turns(&position, &mut 1_000_000).expect("few turns");
                    let expected: Vec<Candidate> =
                        legal.iter().map(|turn| Candidate::legal(&position, turn)).collect();
                    assert_eq!(sorted(found), sorted(expected), "{position}, {rules}");
                    if legal.is_empty() {
                        break;
                    }
                    let turn = &legal[random.below(legal.len() as u64) as usize];
                    position = position.play_unchecked(turn);
                    if random.below(100) == 0 {
                        break;
                    }
                }
            }
        }
    }

    /// Every mistake has other turns than the rules somewhere in the suites; see the tests of the
    /// program.
    #[test]
    fn a_budget_ends_the_work() {
        let position = Board::tsivy().start();
        let variant = Variant::new(&RuleSet::STANDARD, None);
        assert_eq!(variant.divide(&position, 9, &mut 1000), Err(TooMuch));
        assert_eq!(variant.turns(&position, &mut 1000).map(|turns| turns.len()), Ok(5));
    }
}
