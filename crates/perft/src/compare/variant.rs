//! A slow generator that follows the rules, or makes mistakes.
//!
//! It tells which mistake explains the answers of another program. Tests compare it, without a
//! mistake, with the generator of the rules.

use std::collections::HashSet;

use fanorona_core::{
    Board, Captures, Chain, Direction, DirectionRule, Paikas, Point, PointSet, Position, RuleSet,
    StepKind, Stones, TurnRule,
};

use super::candidate::Candidate;
use super::mistake::Mistake;
use super::written::Taking;

/// The work of a question was too much, or its answer is not certain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TooMuch;

/// Lists turns with mistakes, or without one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variant<'a> {
    rules: RuleSet,
    mistakes: &'a [Mistake],
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
    variant: Variant<'a>,
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

impl<'a> Variant<'a> {
    pub(super) fn new(rules: &RuleSet, mistakes: &'a [Mistake]) -> Self {
        let mut changed = *rules;
        mistakes.iter().for_each(|mistake| mistake.change(rules, &mut changed));
        Self { rules: changed, mistakes }
    }

    fn has(&self, mistake: Mistake) -> bool {
        self.mistakes.contains(&mistake)
    }

    /// The number that belongs to a mistake.
    fn find<T>(&self, number: impl Fn(&Mistake) -> Option<T>) -> Option<T> {
        self.mistakes.iter().find_map(number)
    }

    /// The turns with the count below each at a depth. Those that it does not list are among them; see
    /// [`listed`](Self::listed).
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
                _ if depth <= 1 => 1,
                Some(after) => self.count(&after, depth - 1, budget)?,
                // What a program makes of stones that cannot stand like this is not known.
                None => return Err(TooMuch),
            };
            let turn = if self.has(Mistake::UpsideDown) { turn.upside_down(board) } else { turn };
            divided.push((turn, nodes));
        }
        Ok(divided)
    }

    fn count(&self, position: &Position, depth: u8, budget: &mut u64) -> Result<u128, TooMuch> {
        let divided = self.divide(position, depth, budget)?;
        self.sum(&divided, depth).ok_or(TooMuch)
    }

    /// The sum of the turns that are listed. `None` if it depends on which turns are left out.
    pub(super) fn sum(&self, divided: &[(Candidate, u128)], depth: u8) -> Option<u128> {
        let listed = self.listed(divided);
        let is_known =
            depth <= 1 || listed.len() == divided.len() || self.has(Mistake::SameResultOnce);
        is_known.then(|| listed.iter().map(|turn| divided[*turn].1).sum())
    }

    /// The turns that are listed. Where some are left out, others of the same
    /// [`group`](Self::group) can be listed in place of these.
    pub(super) fn listed(&self, divided: &[(Candidate, u128)]) -> Vec<usize> {
        let mut seen = HashSet::new();
        let is_new =
            |turn: &usize| self.group(&divided[*turn].0).is_none_or(|key| seen.insert(key));
        let room =
            self.find(|mistake| if let Mistake::Room(most) = mistake { Some(*most) } else { None });
        (0..divided.len()).filter(is_new).take(room.unwrap_or(usize::MAX)).collect()
    }

    /// What turns have in common of which only one is listed.
    pub(super) fn group(&self, turn: &Candidate) -> Option<(Point, Point, Option<Stones>)> {
        let ends = (turn.origin, turn.destination());
        if self.has(Mistake::SameResultOnce) {
            let first = turn.after.own.first().unwrap_or(ends.0);
            return Some((first, first, Some(turn.after)));
        }
        self.has(Mistake::SameEndsOnce).then_some((ends.0, ends.1, None))
    }

    /// The turns of a position.
    fn turns(&self, position: &Position, budget: &mut u64) -> Result<Vec<Candidate>, TooMuch> {
        let mut turns = Vec::new();
        let board = position.board();
        let start = Stones::of(position);
        let rule = self.rules.turn_rule(position);
        if start.opponent.is_empty() && !self.has(Mistake::GoesOn) {
            return Ok(turns);
        }
        let steps: Vec<(Point, Vec<Hop>)> =
            start.own.iter().map(|stone| (stone, self.hops(board, &rule, start, stone))).collect();
        let obliges = |hop: &Hop| {
            let is_other = |mistake: &Mistake| match mistake {
                Mistake::ObligedBy(kind) => Some(hop.taking != Taking::One(*kind)),
                _ => None,
            };
            hop.captures() && !self.find(is_other).unwrap_or(false)
        };
        let can_capture = steps.iter().flat_map(|(_, hops)| hops).any(obliges);
        for (stone, hops) in &steps {
            let captures = hops.iter().any(Hop::captures);
            let mut may_be_quiet = match rule.paikas {
                Paikas::WhenNoCapture => !can_capture,
                Paikas::AnyStep | Paikas::NonCapturingStep => true,
                Paikas::Never => false,
            };
            if self.has(Mistake::CapturerStays) && rule.paikas != Paikas::Never {
                may_be_quiet = !captures;
            }
            let mut quiet_to = HashSet::new();
            for hop in hops {
                let mut way = Way {
                    variant: *self,
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
                    let may_return = self.has(Mistake::BackToStart);
                    let visited = if may_return { PointSet::EMPTY } else { PointSet::from(*stone) };
                    way.go_on(*hop, visited, start.opponent, PointSet::EMPTY)?;
                }
                let captures_quietly =
                    rule.paikas == Paikas::AnyStep || self.has(Mistake::QuietCapture);
                let is_quiet = !hop.captures() || captures_quietly;
                if may_be_quiet && is_quiet && quiet_to.insert(hop.to) {
                    way.push_quiet(hop.to)?;
                }
            }
        }
        if self.has(Mistake::Pass) && turns.is_empty() && !start.opponent.is_empty() {
            let origin = start.own.first();
            turns.extend(origin.map(|origin| Candidate {
                origin,
                steps: Vec::new(),
                captured: PointSet::EMPTY,
                after: start,
            }));
        }
        let mut keep_most = |mistake, size: fn(&Candidate) -> usize| {
            if self.has(mistake) {
                let most = turns.iter().map(size).max();
                turns.retain(|turn| Some(size(turn)) == most);
            }
        };
        keep_most(Mistake::MostStones, |turn| turn.captured.len() as usize);
        keep_most(Mistake::MostSteps, |turn| turn.steps.len());
        Ok(turns)
    }

    /// The steps of a stone to empty points. One that could capture both ways comes twice.
    fn hops(&self, board: Board, rule: &TurnRule, stones: Stones, stone: Point) -> Vec<Hop> {
        let mut hops = Vec::new();
        for direction in Direction::ALL {
            let Some(to) = self.neighbour(board, stone, direction) else { continue };
            if self.has(Mistake::Lacks(direction)) {
                continue;
            }
            if stones.occupied().contains(to) {
                continue;
            }
            let line = |from, direction| self.line(board, rule, stones, from, direction);
            let mut approach = line(to, direction);
            let mut withdrawal = line(stone, direction.opposite());
            let (files, ranks) = direction.delta();
            let is_straight = files == 0 || ranks == 0;
            let lacks = |kind| self.has(Mistake::Only(kind));
            let captures_not = !is_straight && self.has(Mistake::StraightCaptures);
            if lacks(StepKind::Withdrawal) || captures_not {
                approach = PointSet::EMPTY;
            }
            if lacks(StepKind::Approach) || captures_not {
                withdrawal = PointSet::EMPTY;
            }
            if !approach.is_empty() && !withdrawal.is_empty() {
                let lengths = (approach.len(), withdrawal.len());
                let longer = self.has(Mistake::PrefersLonger);
                let prefers = |kind| self.has(Mistake::Prefers(kind));
                if prefers(StepKind::Withdrawal) || longer && lengths.1 > lengths.0 {
                    approach = PointSet::EMPTY;
                } else if prefers(StepKind::Approach) || longer && lengths.0 > lengths.1 {
                    withdrawal = PointSet::EMPTY;
                } else if self.has(Mistake::BothLines) {
                    let taken = approach | withdrawal;
                    hops.push(Hop { direction, to, taking: Taking::Both, taken });
                    continue;
                }
            }
            let mut push = |kind, taken| {
                if !self.has(Mistake::Omits(kind)) {
                    hops.push(Hop { direction, to, taking: Taking::One(kind), taken });
                }
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
        let has_diagonals = |mistake: &Mistake| match mistake {
            Mistake::AllDiagonals => Some(true),
            Mistake::WeakDiagonals => Some(!is_strong),
            Mistake::NoDiagonals => Some(false),
            _ => None,
        };
        let is_linked = !is_diagonal || self.find(has_diagonals).unwrap_or(is_strong);
        let (width, height) = (i32::from(board.width()), i32::from(board.height()));
        let (file, rank) = match file {
            _ if !self.has(Mistake::Wraps) => (file, rank),
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
        stones: Stones,
        from: Point,
        direction: Direction,
    ) -> PointSet {
        let most = match rule.captures {
            Captures::NearestStone => Some(1),
            _ => self.find(|mistake| match mistake {
                Mistake::LineEnds(most) => Some(u32::from(*most)),
                _ => None,
            }),
        };
        let mut line = PointSet::EMPTY;
        let mut at = from;
        // A line that goes on at the other edge could come back.
        for _ in 0..board.num_points() {
            let Some(next) = self.neighbour(board, at, direction) else { break };
            at = next;
            if stones.opponent.contains(at) {
                let is_safe = self.has(Mistake::EdgeSafe);
                if is_safe && self.neighbour(board, at, direction).is_none() {
                    break;
                }
                line |= at;
            } else {
                let is_own = stones.own.contains(at);
                let goes_on = self.find(|mistake| match mistake {
                    Mistake::Beyond { gaps, own } => Some(if is_own { *own } else { *gaps }),
                    _ => None,
                });
                if line.is_empty() || goes_on != Some(true) {
                    break;
                }
            }
            if Some(line.len()) == most {
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
        let is_double = self.variant.has(Mistake::StoneStays);
        let stays = if is_double { self.start.own } else { self.start.own - self.origin };
        let own = stays | to;
        self.turns.push(Candidate {
            origin: self.origin,
            steps: vec![(to, Taking::One(StepKind::Paika))],
            captured: PointSet::EMPTY,
            after: Stones { own, ..self.start },
        });
        Ok(())
    }

    /// Makes a capturing step, and lists the turns that end or go on there. `visited` are the points
    /// that the stone may not enter again, `enemies` the stones that stand before the step, and
    /// `captured` those that the turn has captured.
    fn go_on(
        &mut self,
        hop: Hop,
        visited: PointSet,
        enemies: PointSet,
        captured: PointSet,
    ) -> Result<(), TooMuch> {
        self.spend()?;
        // Two mistakes together can make a relay without end.
        if self.steps.len() > self.board.num_points() as usize {
            return Err(TooMuch);
        }
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
        let has = |mistake| variant.has(mistake);
        let own = (self.start.own - self.origin) | hop.to;
        let enemies = if has(Mistake::CapturedStand) {
            enemies
        } else if has(Mistake::LastStepOnly) {
            self.start.opponent - hop.taken
        } else {
            enemies - hop.taken
        };
        let steps = self.steps.len();
        let left = if steps > 1 { self.steps[steps - 2].0 } else { self.origin };
        let may_return = match () {
            () if has(Mistake::Back) => visited,
            () if has(Mistake::BackLater) => visited - left,
            () if has(Mistake::BackToWay) => visited - self.origin,
            () if has(Mistake::OftenToStart) => PointSet::from(self.origin),
            () => PointSet::EMPTY,
        };
        let most = variant.find(|mistake| match mistake {
            Mistake::RelayEnds(most) => Some(usize::from(*most)),
            _ => None,
        });
        let ends = rule.chain == Chain::Single || most.is_some_and(|most| steps >= most);
        let stones = Stones { own, opponent: enemies };
        let mut next = if ends { Vec::new() } else { variant.hops(board, &rule, stones, hop.to) };
        next.retain(|next| {
            next.captures()
                && !(visited - may_return).contains(next.to)
                && !self.repeats(next.direction)
                && variant.mistakes.iter().all(|mistake| match mistake {
                    Mistake::NotIntoCaptured => !captured.contains(next.to),
                    Mistake::RelayBy(kind) => next.taking == Taking::One(*kind),
                    Mistake::RelayAfter(kind) => hop.taking == Taking::One(*kind),
                    Mistake::RelaySameKind => next.taking == hop.taking,
                    Mistake::RelayOtherKind => next.taking != hop.taking,
                    _ => true,
                })
        });
        let stops_from = variant.find(|mistake| match mistake {
            Mistake::StopsFrom(step) => Some(steps >= usize::from(*step)),
            _ => None,
        });
        if next.is_empty() || stops_from.unwrap_or(rule.chain != Chain::MustGoOn) {
            let is_last_only = has(Mistake::LastStepOnly) || has(Mistake::LastStepGone);
            let gone = if is_last_only { hop.taken } else { captured };
            let is_back = has(Mistake::NothingGone);
            let back = if is_back { self.start.opponent } else { self.start.opponent - gone };
            // The stone takes the place of one that is back.
            let opponent = back - hop.to;
            let stays = if has(Mistake::StoneStays) { self.start.own } else { PointSet::EMPTY };
            self.turns.push(Candidate {
                origin: self.origin,
                steps: self.steps.clone(),
                captured: gone,
                after: Stones { own: own | stays, opponent },
            });
        }
        for hop in next {
            self.go_on(hop, visited, enemies, captured)?;
        }
        Ok(())
    }

    /// Whether the relay may not take a direction after its last step.
    fn repeats(&self, direction: Direction) -> bool {
        let (variant, directions) = (self.variant, &self.directions);
        let is_free = variant.mistakes.iter().any(|mistake| match mistake {
            Mistake::DirectionFreeFrom(step) => directions.len() + 1 >= usize::from(*step),
            Mistake::DirectionFreeBefore(step) => directions.len() + 1 < usize::from(*step),
            _ => false,
        });
        let forbidden = match self.rule.direction {
            DirectionRule::Free => &[],
            DirectionRule::Strict => &directions[..],
            DirectionRule::NotTwiceRunning if variant.has(Mistake::FirstDirection) => {
                &directions[..1]
            }
            DirectionRule::NotTwiceRunning => &directions[directions.len() - 1..],
        };
        !is_free && forbidden.contains(&direction)
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
            let variant = Variant::new(&rules, &[]);
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
        let variant = Variant::new(&RuleSet::STANDARD, &[]);
        assert_eq!(variant.divide(&position, 9, &mut 1000), Err(TooMuch));
        assert_eq!(variant.turns(&position, &mut 1000).map(|turns| turns.len()), Ok(5));
    }
}
