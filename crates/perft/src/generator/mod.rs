//! The counting generator: what lies below a position, without a list of the last turns.
//!
//! It works under rules that have *settled*, so that they are the same for every position to come
//! ([`RuleSet::is_settled`]); before that the listing generator is at work.
//!
//! Which capturing steps a stone can make is a set of bits, read from [`Tables`], and each step
//! leads to another such set. In [`Pile`]s the steps of many stones and many positions wait for
//! their turn, first come, first served: so what is next does not depend on what was last, and the
//! processor is at several steps at once without having to guess. Each ply that is left has a pile.

mod steps;
mod successors;
mod tables;
mod turns;

use std::hint::select_unpredictable;

use fanorona_core::{
    Board, Chain, Direction, DirectionRule, FirstSteps, Paikas, PointSet, RuleSet,
};
use tables::{Steps, Tables};

pub(crate) use steps::steps;
pub use successors::Successors;
pub(crate) use turns::{TurnCounter, turns};

/// A stone in the middle of a capturing turn, or at its beginning.
#[derive(Clone, Copy, Default)]
struct Relay {
    /// The empty points that it has not stood on in this turn.
    free: u64,
    /// The opponent's stones that are left.
    opponent: u64,
    /// The mover's other stones.
    others: u64,
    /// The capturing steps that it can make.
    steps: Steps,
    /// The index of the point where it is.
    at: u8,
    /// The directions that it may not take again in this turn.
    barred: u8,
}

impl Relay {
    /// The mover's stones.
    #[inline]
    fn own(&self) -> PointSet {
        PointSet::from_bits(self.others | 1 << self.at)
    }

    /// The opponent's stones that are left.
    #[inline]
    fn opponent(&self) -> PointSet {
        PointSet::from_bits(self.opponent)
    }
}

/// As many relays as a pile has room for.
const ROOM: usize = 1024;

/// With more relays than this it is time to work through a pile: the rest of the room is for those
/// that come of them.
const ENOUGH: usize = 160;

/// Relays that can go on.
struct Pile {
    relays: Box<[Relay; ROOM]>,
    len: usize,
}

impl Pile {
    fn new() -> Self {
        Self { relays: Box::new([Relay::default(); ROOM]), len: 0 }
    }

    /// Adds a relay; there is room, for a pile with [`ENOUGH`] is worked through before a position
    /// is added to it.
    #[inline]
    fn push(&mut self, relay: Relay) {
        debug_assert!(relay.steps != 0);
        self.relays[self.len] = relay;
        self.len += 1;
    }
}

/// The stones that can play a paika, by direction.
struct Quiet([PointSet; 8]);

impl Quiet {
    /// The number of paikas.
    fn count(&self) -> u64 {
        self.0.iter().map(|stones| u64::from(stones.len())).sum()
    }

    /// The mover's stones after each paika.
    fn ends(&self, board: Board, own: PointSet) -> impl Iterator<Item = PointSet> {
        self.0.into_iter().zip(Direction::ALL).flat_map(move |(stones, direction)| {
            stones.iter().map(move |stone| own - stone | board.shift(stone.into(), direction))
        })
    }
}

/// Makes turns under a settled rule, of which what matters most is known to the compiler: whether a
/// relay must go on, and whether it may take a direction once only.
struct Generator<const MUST_GO_ON: bool, const STRICT: bool> {
    board: Board,
    /// Whether a paika may be played although another step captures.
    free_capture: bool,
    tables: &'static Tables,
}

/// The generator for the settled rule of a rule set.
fn generator(rules: &RuleSet, board: Board) -> Box<dyn Generate> {
    let rule = rules.settled_rule();
    let free_capture = rule.paikas == Paikas::NonCapturingStep;
    let tables = Tables::of(board, rule.direction == DirectionRule::Free);
    match (rule.chain == Chain::MustGoOn, rule.direction == DirectionRule::Strict) {
        (false, false) => Box::new(Generator::<false, false> { board, free_capture, tables }),
        (false, true) => Box::new(Generator::<false, true> { board, free_capture, tables }),
        (true, false) => Box::new(Generator::<true, false> { board, free_capture, tables }),
        (true, true) => Box::new(Generator::<true, true> { board, free_capture, tables }),
    }
}

/// What a [`Generator`] does, whatever its rule.
trait Generate {
    /// Adds a position to the last pile, and works through it if that is enough. Gives the number
    /// of turns of the last ply that were counted by the way.
    fn add(&self, piles: &mut [Pile], own: PointSet, opponent: PointSet) -> u128;

    /// Works through the last pile: counts the turns if they are the last ply, and else adds what
    /// comes of them to the pile below.
    fn drain(&self, piles: &mut [Pile]) -> u128;

    /// Adds to `found` the stones of both sides, the mover's first, after each turn.
    fn successors(
        &self,
        pile: &mut Pile,
        own: PointSet,
        opponent: PointSet,
        found: &mut Vec<(PointSet, PointSet)>,
    );

    /// Counts the sequences of so many steps.
    fn steps(&self, own: PointSet, opponent: PointSet, depth: u32) -> u128;
}

impl<const MUST_GO_ON: bool, const STRICT: bool> Generate for Generator<MUST_GO_ON, STRICT> {
    fn add(&self, piles: &mut [Pile], own: PointSet, opponent: PointSet) -> u128 {
        let (pile, below) = piles.split_last_mut().expect("a ply is left");
        let quiet = self.begin(own, opponent, |relay| pile.push(relay));
        let mut count = match quiet {
            None => 0,
            Some(quiet) if below.is_empty() => quiet.count().into(),
            Some(quiet) => {
                quiet.ends(self.board, own).map(|own| self.add(below, opponent, own)).sum()
            }
        };
        if pile.len > ENOUGH {
            count += self.drain(piles);
        }
        count
    }

    fn drain(&self, piles: &mut [Pile]) -> u128 {
        let (pile, below) = piles.split_last_mut().expect("a ply is left");
        if below.is_empty() {
            return self.finish_all(pile, |_| {}).into();
        }
        let mut count = 0;
        self.finish_all(pile, |end| count += self.add(below, end.opponent(), end.own()));
        count
    }

    fn successors(
        &self,
        pile: &mut Pile,
        own: PointSet,
        opponent: PointSet,
        found: &mut Vec<(PointSet, PointSet)>,
    ) {
        if let Some(quiet) = self.begin(own, opponent, |relay| pile.push(relay)) {
            found.extend(quiet.ends(self.board, own).map(|own| (own, opponent)));
        }
        self.finish_all(pile, |end| found.push((end.own(), end.opponent())));
    }

    fn steps(&self, own: PointSet, opponent: PointSet, depth: u32) -> u128 {
        self.count_steps(own, opponent, depth)
    }
}

impl<const MUST_GO_ON: bool, const STRICT: bool> Generator<MUST_GO_ON, STRICT> {
    /// Hands out the stones that can begin a turn with a capture, and gives the paikas, if any may
    /// be played. It is `FirstSteps::all`, but for what a stone can capture, which the tables tell.
    #[inline]
    fn begin(
        &self,
        own: PointSet,
        opponent: PointSet,
        mut relay: impl FnMut(Relay),
    ) -> Option<Quiet> {
        if opponent.is_empty() {
            return None;
        }
        let board = self.board;
        let mut capturing = PointSet::EMPTY;
        let mut quiet = [PointSet::EMPTY; 8];
        // A loop, because the compiler does not inline a closure given to `map` here.
        for direction in Direction::ALL {
            let steps = FirstSteps::in_direction(board, own, opponent, direction);
            capturing |= steps.capturing();
            quiet[direction as usize] = steps.quiet;
        }
        let free = (board.all_points() - (own | opponent)).bits();
        for stone in capturing {
            let at = stone.index() as u8;
            let (others, opponent) = ((own - stone).bits(), opponent.bits());
            let steps = self.tables.first_steps(at, free, opponent);
            relay(Relay { free, opponent, others, steps, at, barred: 0 });
        }
        (capturing.is_empty() || self.free_capture).then_some(Quiet(quiet))
    }

    /// Takes every relay of a pile to all its ends; gives their number.
    fn finish_all(&self, pile: &mut Pile, mut end: impl FnMut(&Relay)) -> u64 {
        let relays = &mut pile.relays;
        let (mut first, mut len) = (0, pile.len);
        let mut steps = relays[0].steps;
        let mut count = 0;
        while first < len {
            let next = self.after(&relays[first % ROOM], steps.trailing_zeros());
            if !MUST_GO_ON || next.steps == 0 {
                count += 1;
                end(&next);
            }
            if len < ROOM {
                // It is dropped by the next one if it cannot go on: that is faster than to ask.
                relays[len] = next;
                len += usize::from(next.steps != 0);
            } else {
                count += self.finish(next, &mut end);
            }
            steps &= steps.wrapping_sub(1);
            let done = steps == 0;
            steps = select_unpredictable(done, relays[(first + 1) % ROOM].steps, steps);
            first += usize::from(done);
        }
        pile.len = 0;
        count
    }

    /// Takes one relay to all its ends, when a pile has no room for what comes of it.
    #[cold]
    fn finish(&self, relay: Relay, end: &mut impl FnMut(&Relay)) -> u64 {
        let mut count = 0;
        for step in numbers(relay.steps) {
            let next = self.after(&relay, step);
            if !MUST_GO_ON || next.steps == 0 {
                count += 1;
                end(&next);
            }
            count += self.finish(next, end);
        }
        count
    }

    /// A relay after one of its steps.
    #[inline(always)]
    fn after(&self, relay: &Relay, step: u32) -> Relay {
        let stepped = self.tables.step(relay.at, step, relay.opponent);
        let at = stepped.to();
        let opponent = relay.opponent ^ stepped.captured;
        let free = relay.free ^ 1 << at | stepped.captured;
        let mut steps = stepped.next_steps(free, opponent);
        let mut barred = 0;
        if STRICT {
            barred = relay.barred | tables::directions(step);
            steps &= !(Steps::from(barred) * 0x101);
        }
        Relay { free, opponent, others: relay.others, steps, at, barred }
    }
}

/// The numbers of the steps of a set.
fn numbers(mut steps: Steps) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (steps != 0).then(|| {
            let step = steps.trailing_zeros();
            steps &= steps - 1;
            step
        })
    })
}
