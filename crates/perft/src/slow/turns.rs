//! The turns of a position.

use fanorona_core::{
    Board, Direction, DirectionRule, NoTurns, Point, PointSet, Position, Preset, RuleSet, StepKind,
    Stones,
};

use super::fault::Fault;
use super::{SlowGenerator, SlowTurn, Taking, TooMuch};

/// The steps that may be made without a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Quiet {
    /// All.
    AnyStep,
    /// Those that cannot capture.
    Paikas,
    /// Those that cannot capture, if no other step can.
    WithoutCaptures,
    /// None.
    Never,
}

/// Everything that the side to move may do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Play {
    quiet: Quiet,
    captures: bool,
    /// Whether only the nearest stone of a line is captured.
    nearest_only: bool,
    /// Whether a capturing turn ends after one step.
    one_step: bool,
    must_go_on: bool,
    direction: DirectionRule,
    /// Whether the game is drawn if it has no turn.
    pub(super) blocked_draws: bool,
}

impl SlowGenerator<'_> {
    /// Reads the rule set, which no other part of the generator does.
    pub(super) fn play(&self, position: &Position) -> Play {
        let RuleSet { preset, direction, no_turns } = self.rules;
        let board = position.board();
        let full = (u32::from(board.width()) * u32::from(board.height()) - 1) / 2;
        let (own, enemies) = (position.own().len(), position.opponent().len());
        let is_first_turn = own + enemies == 2 * full;
        let has_captured = match () {
            () if self.has(Fault::OwnLosses) => own < full,
            () if self.has(Fault::AnyLosses) => !is_first_turn,
            () => enemies < full,
        };
        let begins = match () {
            () if self.has(Fault::FirstTurnFree) => false,
            () if self.has(Fault::FirstTurnsCapture) => enemies == full,
            () => is_first_turn,
        };
        let must_capture = match preset {
            Preset::Standard | Preset::FirstCaptureSingle | Preset::ForcedRelay => true,
            Preset::FreeCapture => begins,
            Preset::Vela(_) => begins || self.has(Fault::PhaseTwoCaptures),
        };
        let base = Play {
            quiet: if must_capture { Quiet::WithoutCaptures } else { Quiet::Paikas },
            captures: true,
            nearest_only: false,
            one_step: preset == Preset::FirstCaptureSingle && !has_captured,
            must_go_on: preset == Preset::ForcedRelay,
            direction,
            blocked_draws: no_turns == NoTurns::Draw,
        };
        let Preset::Vela(vela) = preset else { return base };
        let is_victor = position.to_move() == vela.victor;
        let is_phase_two =
            position.stones(vela.victor).len() <= u32::from(vela.stones.unwrap_or(5));
        if is_phase_two || is_victor && self.has(Fault::VictorCaptures) {
            base
        } else if is_victor {
            let is_shy = self.has(Fault::VictorAvoidsCaptures);
            let quiet = if is_shy { Quiet::Paikas } else { Quiet::AnyStep };
            Play { quiet, captures: false, ..base }
        } else {
            Play {
                quiet: if vela.must_capture { Quiet::Never } else { Quiet::Paikas },
                nearest_only: !self.has(Fault::ChallengerLines),
                one_step: !self.has(Fault::ChallengerRelays),
                blocked_draws: base.blocked_draws && !vela.must_capture,
                ..base
            }
        }
    }
}

/// The change of file and rank by one step.
type Way = (i32, i32);

const WAYS: [(Direction, Way); 8] = [
    (Direction::East, (1, 0)),
    (Direction::NorthEast, (1, 1)),
    (Direction::North, (0, 1)),
    (Direction::NorthWest, (-1, 1)),
    (Direction::West, (-1, 0)),
    (Direction::SouthWest, (-1, -1)),
    (Direction::South, (0, -1)),
    (Direction::SouthEast, (1, -1)),
];

/// A step of one stone.
#[derive(Clone, Copy, Debug)]
struct Hop {
    way: Way,
    to: Point,
    taking: Taking,
    taken: PointSet,
}

impl Hop {
    fn captures(&self) -> bool {
        !self.taken.is_empty()
    }
}

/// The turns of one stone.
struct Walk<'a> {
    slow: SlowGenerator<'a>,
    board: Board,
    play: Play,
    start: Stones,
    origin: Point,
    path: Vec<Hop>,
    /// The steps that may still be made in all.
    budget: &'a mut u64,
    turns: &'a mut Vec<SlowTurn>,
}

impl SlowGenerator<'_> {
    /// The turns of a position, each step of which takes one from the budget.
    ///
    /// # Errors
    /// If the budget is too small, or a relay has no end because of two faults.
    pub fn turns(&self, position: &Position, budget: &mut u64) -> Result<Vec<SlowTurn>, TooMuch> {
        let mut turns = Vec::new();
        let (board, start) = (position.board(), Stones::of(position));
        let play = self.play(position);
        if start.opponent.is_empty() && !self.has(Fault::GoesOn) {
            return Ok(turns);
        }
        let hops_of = |stone| (stone, self.hops(board, &play, start, stone));
        let all: Vec<(Point, Vec<Hop>)> = start.own.iter().map(hops_of).collect();
        let obliges = |hop: &Hop| {
            let kind = number!(self, Fault::ObligedBy(kind) => *kind);
            hop.captures() && kind.is_none_or(|kind| hop.taking == Taking::One(kind))
        };
        let can_capture = all.iter().flat_map(|(_, hops)| hops).any(obliges);
        let takes_nothing = play.quiet == Quiet::AnyStep || self.has(Fault::QuietCapture);
        for (stone, hops) in all {
            let may_be_quiet = match play.quiet {
                Quiet::Never => false,
                _ if self.has(Fault::CapturerStays) => !hops.iter().any(Hop::captures),
                Quiet::WithoutCaptures => !can_capture,
                Quiet::AnyStep | Quiet::Paikas => true,
            };
            let mut walk = Walk {
                slow: *self,
                board,
                play,
                start,
                origin: stone,
                path: Vec::new(),
                budget,
                turns: &mut turns,
            };
            let mut quiet_to = PointSet::EMPTY;
            for hop in hops {
                if hop.captures() && play.captures {
                    walk.go_on(hop)?;
                }
                // A step that could capture both ways is still one step.
                let is_quiet = (!hop.captures() || takes_nothing) && !quiet_to.contains(hop.to);
                if may_be_quiet && is_quiet {
                    quiet_to |= hop.to;
                    walk.push_quiet(hop.to)?;
                }
            }
        }
        if self.has(Fault::Pass) && turns.is_empty() && !start.opponent.is_empty() {
            let (steps, captured) = (Vec::new(), PointSet::EMPTY);
            let pass = |origin| SlowTurn { origin, steps, captured, after: start };
            turns.extend(start.own.first().map(pass));
        }
        let mut keep_most = |fault, size: fn(&SlowTurn) -> usize| {
            if self.has(fault) {
                let most = turns.iter().map(size).max();
                turns.retain(|turn| Some(size(turn)) == most);
            }
        };
        keep_most(Fault::MostStones, |turn| turn.captured.len() as usize);
        keep_most(Fault::MostSteps, |turn| turn.steps.len());
        Ok(turns)
    }

    /// The steps of a stone to empty points. One that could capture both ways comes twice.
    fn hops(&self, board: Board, play: &Play, stones: Stones, stone: Point) -> Vec<Hop> {
        use StepKind::{Approach, Paika, Withdrawal};
        let mut hops = Vec::new();
        for (direction, way) in WAYS {
            let Some(to) = self.neighbour(board, stone, way) else { continue };
            if stones.occupied().contains(to) || self.has(Fault::Lacks(direction)) {
                continue;
            }
            let captures = !self.has(Fault::StraightCaptures) || way.0 == 0 || way.1 == 0;
            let line = |kind, other, from, way| {
                let is_known = captures && !self.has(Fault::Only(other));
                let line = self.line(board, play, stones, from, way);
                (kind, if is_known { line } else { PointSet::EMPTY })
            };
            let mut lines = vec![
                line(Approach, Withdrawal, to, way),
                line(Withdrawal, Approach, stone, (-way.0, -way.1)),
            ];
            lines.retain(|(_, taken)| !taken.is_empty());
            if let [(_, approach), (_, withdrawal)] = lines[..] {
                let longest = approach.len().max(withdrawal.len());
                if self.has(Fault::BothLines) {
                    let taken = approach | withdrawal;
                    hops.push(Hop { way, to, taking: Taking::Both, taken });
                    continue;
                }
                lines.retain(|(kind, taken)| {
                    let other = if *kind == Approach { Withdrawal } else { Approach };
                    let is_shorter = self.has(Fault::PrefersLonger) && taken.len() < longest;
                    !self.has(Fault::Prefers(other)) && !is_shorter
                });
            }
            if lines.is_empty() {
                lines.push((Paika, PointSet::EMPTY));
            }
            lines.retain(|(kind, _)| !self.has(Fault::Omits(*kind)));
            let hop = |(kind, taken)| Hop { way, to, taking: Taking::One(kind), taken };
            hops.extend(lines.into_iter().map(hop));
        }
        hops
    }

    /// The point at the other end of a link.
    fn neighbour(&self, board: Board, point: Point, way: Way) -> Option<Point> {
        let at = board.coordinates(point);
        let (width, height) = (i32::from(board.width()), i32::from(board.height()));
        let (mut file, mut rank) = (i32::from(at.file()) + way.0, i32::from(at.rank()) + way.1);
        let is_strong = (at.file() + at.rank()).is_multiple_of(2);
        let has_diagonals = match () {
            () if self.has(Fault::AllDiagonals) => true,
            () if self.has(Fault::WeakDiagonals) => !is_strong,
            () => is_strong && !self.has(Fault::NoDiagonals),
        };
        let is_linked = way.0 == 0 || way.1 == 0 || has_diagonals;
        if self.has(Fault::Wraps) {
            (file, rank) = (file.rem_euclid(width), rank + file.div_euclid(width));
        }
        let is_on_board = (0..width).contains(&file) && (0..height).contains(&rank);
        if is_linked && is_on_board { board.point_at(file as u8, rank as u8) } else { None }
    }

    /// The stones that are captured in a line.
    fn line(&self, board: Board, play: &Play, stones: Stones, from: Point, way: Way) -> PointSet {
        let most = number!(self, Fault::LineEnds(most) => u32::from(*most));
        let most = if play.nearest_only { Some(1) } else { most };
        let mut line = PointSet::EMPTY;
        let mut at = from;
        // A line that goes on at the other edge could come back.
        for _ in 0..board.num_points() {
            let Some(next) = self.neighbour(board, at, way) else { break };
            at = next;
            if stones.opponent.contains(at) {
                if self.has(Fault::EdgeSafe) && self.neighbour(board, at, way).is_none() {
                    break;
                }
                line |= at;
            } else {
                let is_own = stones.own.contains(at);
                let goes_on =
                    number!(self, Fault::Beyond { gaps, own } => if is_own { *own } else { *gaps });
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

impl Walk<'_> {
    fn spend(&mut self) -> Result<(), TooMuch> {
        *self.budget = self.budget.checked_sub(1).ok_or(TooMuch)?;
        Ok(())
    }

    /// Adds a turn with these steps after which the enemies are left.
    fn push(&mut self, to: Point, steps: Vec<(Point, Taking)>, captured: PointSet, left: PointSet) {
        let stays = self.slow.has(Fault::StoneStays);
        let own = if stays { self.start.own } else { self.start.own - self.origin };
        // The stone takes the place of one that is back.
        let after = Stones { own: own | to, opponent: left - to };
        self.turns.push(SlowTurn { origin: self.origin, steps, captured, after });
    }

    fn push_quiet(&mut self, to: Point) -> Result<(), TooMuch> {
        self.spend()?;
        let steps = vec![(to, Taking::One(StepKind::Paika))];
        self.push(to, steps, PointSet::EMPTY, self.start.opponent);
        Ok(())
    }

    /// The stones that the steps have captured.
    fn captured(&self) -> PointSet {
        self.path.iter().fold(PointSet::EMPTY, |captured, hop| captured | hop.taken)
    }

    /// Makes a capturing step, and lists the turns that end or go on there.
    fn go_on(&mut self, hop: Hop) -> Result<(), TooMuch> {
        self.spend()?;
        // Two faults together can make a relay without end.
        if self.path.len() > self.board.num_points() as usize {
            return Err(TooMuch);
        }
        self.path.push(hop);
        let next = self.next_hops(hop);
        let stops_from = number!(self.slow, Fault::StopsFrom(step) => usize::from(*step));
        let may_stop = stops_from.map_or(!self.play.must_go_on, |step| self.path.len() >= step);
        if next.is_empty() || may_stop {
            let is_last_only = [Fault::LastStepOnly, Fault::LastStepGone];
            let is_last_only = is_last_only.into_iter().any(|fault| self.slow.has(fault));
            let gone = if is_last_only { hop.taken } else { self.captured() };
            let is_back = self.slow.has(Fault::NothingGone);
            let left = if is_back { self.start.opponent } else { self.start.opponent - gone };
            let steps = self.path.iter().map(|hop| (hop.to, hop.taking)).collect();
            self.push(hop.to, steps, gone, left);
        }
        for hop in next {
            self.go_on(hop)?;
        }
        self.path.pop();
        Ok(())
    }

    /// The steps that can follow the last one.
    fn next_hops(&self, hop: Hop) -> Vec<Hop> {
        let slow = self.slow;
        let ends = |fault: &Fault| matches!(fault, Fault::RelayEnds(most) if self.path.len() >= usize::from(*most));
        if self.play.one_step || slow.faults.iter().any(ends) {
            return Vec::new();
        }
        let captured = self.captured();
        let enemies = match () {
            () if slow.has(Fault::CapturedStand) => self.start.opponent,
            () if slow.has(Fault::LastStepOnly) => self.start.opponent - hop.taken,
            () => self.start.opponent - captured,
        };
        let left = self.path.iter().nth_back(1).map_or(self.origin, |hop| hop.to);
        let origin = [self.origin].into_iter().filter(|_| !slow.has(Fault::BackToStart));
        let visited: PointSet = origin.chain(self.path.iter().map(|hop| hop.to)).collect();
        let closed = match () {
            () if slow.has(Fault::Back) => PointSet::EMPTY,
            () if slow.has(Fault::BackLater) => PointSet::from(left),
            () if slow.has(Fault::BackToWay) => PointSet::from(self.origin),
            () if slow.has(Fault::OftenToStart) => visited - self.origin,
            () => visited,
        };
        let own = (self.start.own - self.origin) | hop.to;
        let stones = Stones { own, opponent: enemies };
        let mut hops = slow.hops(self.board, &self.play, stones, hop.to);
        hops.retain(|next| {
            next.captures()
                && !closed.contains(next.to)
                && !self.repeats(next.way)
                && slow.faults.iter().all(|fault| match fault {
                    Fault::NotIntoCaptured => !captured.contains(next.to),
                    Fault::RelayBy(kind) => next.taking == Taking::One(*kind),
                    Fault::RelayAfter(kind) => hop.taking == Taking::One(*kind),
                    Fault::RelaySameKind => next.taking == hop.taking,
                    Fault::RelayOtherKind => next.taking != hop.taking,
                    _ => true,
                })
        });
        hops
    }

    /// Whether the relay may not take a direction after its last step.
    fn repeats(&self, way: Way) -> bool {
        let path = &self.path;
        let is_free = |fault: &Fault| match fault {
            Fault::DirectionFreeFrom(step) => path.len() + 1 >= usize::from(*step),
            Fault::DirectionFreeBefore(step) => path.len() + 1 < usize::from(*step),
            _ => false,
        };
        let forbidden = match self.play.direction {
            _ if self.slow.faults.iter().any(is_free) => &[],
            DirectionRule::Free => &[],
            DirectionRule::Strict => &path[..],
            DirectionRule::NotTwiceRunning if self.slow.has(Fault::FirstDirection) => &path[..1],
            DirectionRule::NotTwiceRunning => &path[path.len() - 1..],
        };
        forbidden.iter().any(|hop| hop.way == way)
    }
}
