//! Statistics of play: the turns of each ply of the tree, and games of random play.
//!
//! All of these are sums. Each thread can fill its own, and [`PlyStats::merge`] and
//! [`GameStats::merge`] add them up, in any order.
//!
//! ```
//! use fanorona_core::{Board, RuleSet};
//! use fanorona_perft::stats::{GameStats, PlyStats, survey};
//! let (rules, start) = (RuleSet::STANDARD, Board::tsivy().start());
//! let mut plies = vec![PlyStats::default(); 3];
//! survey(&rules, &start, &mut plies);
//! assert_eq!(plies.iter().map(|ply| ply.turns).collect::<Vec<_>>(), [5, 39, 724]);
//!
//! let mut games = GameStats::default();
//! (0..10).for_each(|number| games.add_random_game(&rules, &start, 1, number, 1000));
//! assert_eq!(games.games(), 10);
//! ```

use std::collections::BTreeMap;

use fanorona_core::{Outcome, Position, RuleSet, Side, SplitMix64, StepKind, Stones};
use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

/// A histogram: how often each number occurred.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Histogram(Vec<u64>);

impl Histogram {
    /// Counts `number` once more.
    pub fn add(&mut self, number: usize) {
        if self.0.len() <= number {
            self.0.resize(number + 1, 0);
        }
        self.0[number] += 1;
    }

    /// Adds another histogram.
    pub fn merge(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own += other);
    }

    /// The numbers that occurred, smallest first, each with how often it did.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, u64)> + '_ {
        self.0.iter().copied().enumerate().filter(|(_, count)| *count > 0)
    }

    /// How often a number occurred.
    pub fn count(&self, number: usize) -> u64 {
        self.0.get(number).copied().unwrap_or(0)
    }

    /// The number of numbers that were added.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The mean of the numbers; `None` if there are none.
    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = self.iter().map(|(number, count)| number as f64 * count as f64).sum();
        let total = self.total();
        (total > 0).then(|| sum / total as f64)
    }

    /// The smallest number and the largest; `None` if there are none.
    pub fn range(&self) -> Option<(usize, usize)> {
        let (first, last) = (self.iter().next()?, self.iter().next_back()?);
        Some((first.0, last.0))
    }
}

/// As the counts by the numbers that occurred.
impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// The numbers of turns of some positions.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Branching {
    /// The number of positions with a turn.
    pub positions: u64,
    /// The number of all their turns.
    pub turns: u64,
    /// The fewest turns of a position, 0 where there is no position.
    pub fewest: u64,
    /// The most turns of a position.
    pub most: u64,
}

impl Branching {
    /// Adds a position with this number of turns.
    pub fn add(&mut self, turns: u64) {
        self.merge(&Self { positions: 1, turns, fewest: turns, most: turns });
    }

    /// Adds the positions of another value.
    pub fn merge(&mut self, other: &Self) {
        self.fewest = match (self.positions, other.positions) {
            (_, 0) => self.fewest,
            (0, _) => other.fewest,
            _ => self.fewest.min(other.fewest),
        };
        self.positions += other.positions;
        self.turns += other.turns;
        self.most = self.most.max(other.most);
    }

    /// The mean number of turns of a position; `None` without positions.
    pub fn mean(&self) -> Option<f64> {
        (self.positions > 0).then(|| self.turns as f64 / self.positions as f64)
    }
}

/// With the mean, if there is one.
impl Serialize for Branching {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Branching", 5)?;
        fields.serialize_field("positions", &self.positions)?;
        fields.serialize_field("turns", &self.turns)?;
        fields.serialize_field("min", &self.fewest)?;
        if let Some(mean) = self.mean() {
            fields.serialize_field("mean", &mean)?;
        }
        fields.serialize_field("max", &self.most)?;
        fields.end()
    }
}

/// The turns of one ply of the tree.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct PlyStats {
    /// The number of turns.
    pub turns: u64,
    /// The turns that capture nothing.
    pub paikas: u64,
    /// The capturing steps by approach.
    pub approaches: u64,
    /// The capturing steps by withdrawal.
    pub withdrawals: u64,
    /// The capturing turns by the number of their steps.
    pub relay_lengths: Histogram,
    /// The capturing turns by the number of stones that they capture.
    pub stones_taken: Histogram,
    /// The turns that end the game.
    pub finished: u64,
    /// The turns that leave the opponent stones but no turn.
    pub without_turn: u64,
    /// The number of turns of the positions before the ply.
    pub branching: Branching,
}

impl PlyStats {
    /// Adds the turns of a position, and calls `after_each` with the position after each.
    pub fn add(
        &mut self,
        rules: &RuleSet,
        position: &Position,
        mut after_each: impl FnMut(Position),
    ) {
        let before = self.turns;
        rules.for_each_turn(position, |turn| {
            self.turns += 1;
            if turn.is_paika() {
                self.paikas += 1;
            } else {
                self.relay_lengths.add(turn.steps().len());
                self.stones_taken.add(turn.captured().len() as usize);
            }
            for step in turn.steps() {
                match step.kind {
                    StepKind::Paika => {}
                    StepKind::Approach => self.approaches += 1,
                    StepKind::Withdrawal => self.withdrawals += 1,
                }
            }
            let after = position.play_unchecked(turn);
            if rules.outcome(&after).is_some() {
                self.finished += 1;
                self.without_turn +=
                    u64::from(!after.own().is_empty() && !after.opponent().is_empty());
            }
            after_each(after);
        });
        if self.turns > before {
            self.branching.add(self.turns - before);
        }
    }

    /// The turns that capture.
    pub fn captures(&self) -> u64 {
        self.turns - self.paikas
    }

    /// The share of the turns that capture, from 0 to 1; `None` without turns.
    pub fn capture_share(&self) -> Option<f64> {
        (self.turns > 0).then(|| self.captures() as f64 / self.turns as f64)
    }

    /// Adds the turns of another value.
    pub fn merge(&mut self, other: &Self) {
        self.turns += other.turns;
        self.paikas += other.paikas;
        self.approaches += other.approaches;
        self.withdrawals += other.withdrawals;
        self.relay_lengths.merge(&other.relay_lengths);
        self.stones_taken.merge(&other.stones_taken);
        self.finished += other.finished;
        self.without_turn += other.without_turn;
        self.branching.merge(&other.branching);
    }
}

/// With the turns that capture, and their share if there is one.
impl Serialize for PlyStats {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("PlyStats", 11)?;
        fields.serialize_field("turns", &self.turns)?;
        fields.serialize_field("captures", &self.captures())?;
        if let Some(share) = self.capture_share() {
            fields.serialize_field("capture_share", &share)?;
        }
        fields.serialize_field("paikas", &self.paikas)?;
        fields.serialize_field("approaches", &self.approaches)?;
        fields.serialize_field("withdrawals", &self.withdrawals)?;
        fields.serialize_field("relay_lengths", &self.relay_lengths)?;
        fields.serialize_field("stones_taken", &self.stones_taken)?;
        fields.serialize_field("without_turn", &self.without_turn)?;
        fields.serialize_field("finished", &self.finished)?;
        fields.serialize_field("branching", &self.branching)?;
        fields.end()
    }
}

/// Adds the tree below a position: its turns to the first of `plies`, the turns after them to the
/// next, and so on. It lists every turn, some 20 million a second.
pub fn survey(rules: &RuleSet, position: &Position, plies: &mut [PlyStats]) {
    if let Some((ply, below)) = plies.split_first_mut() {
        ply.add(rules, position, |after| survey(rules, &after, below));
    }
}

/// Games of random play.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize)]
pub struct GameStats {
    /// Their number by result.
    pub results: GameResults,
    /// The finished games by their number of turns.
    #[serde(rename = "length", serialize_with = "with_range_and_mean")]
    pub lengths: Histogram,
    /// The number of turns of each position that was not the end of its game, by the stones on the
    /// board.
    #[serde(serialize_with = "largest_first")]
    branching: BTreeMap<usize, Branching>,
}

/// Numbers of games by result.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize)]
pub struct GameResults {
    /// The games that White won.
    pub white: u64,
    /// The games that Black won.
    pub black: u64,
    /// The games that ended in a draw.
    pub draw: u64,
    /// The games that were cut off.
    pub unfinished: u64,
}

fn with_range_and_mean<S: Serializer>(
    lengths: &Histogram,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut fields = serializer.serialize_struct("Lengths", 4)?;
    if let (Some((min, max)), Some(mean)) = (lengths.range(), lengths.mean()) {
        fields.serialize_field("min", &min)?;
        fields.serialize_field("mean", &mean)?;
        fields.serialize_field("max", &max)?;
    }
    fields.serialize_field("games", lengths)?;
    fields.end()
}

/// As a list in which each also has its number of stones.
fn largest_first<S: Serializer>(
    all: &BTreeMap<usize, Branching>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct OfStones {
        stones: usize,
        #[serde(flatten)]
        branching: Branching,
    }
    let of_stones = |(&stones, &branching): (&usize, &Branching)| OfStones { stones, branching };
    serializer.collect_seq(all.iter().rev().map(of_stones))
}

impl GameStats {
    /// Plays a game in which each legal turn is equally likely, and adds it. A game that is not
    /// over after `max_turns` turns is cut off.
    ///
    /// The same seed and number give the same game on every machine.
    pub fn add_random_game(
        &mut self,
        rules: &RuleSet,
        start: &Position,
        seed: u64,
        number: u64,
        max_turns: usize,
    ) {
        let mut random = SplitMix64::stream(seed, number);
        let mut position = *start;
        for length in 0..=max_turns {
            if let Some(outcome) = rules.outcome(&position) {
                *match outcome {
                    Outcome::Won(Side::White) => &mut self.results.white,
                    Outcome::Won(Side::Black) => &mut self.results.black,
                    Outcome::Drawn => &mut self.results.draw,
                } += 1;
                self.lengths.add(length);
                return;
            }
            if length == max_turns {
                break;
            }
            let turns = rules.turns(&position);
            let stones = Stones::of(&position).count() as usize;
            self.branching.entry(stones).or_default().add(turns.len() as u64);
            position = position.play_unchecked(&turns[random.below(turns.len() as u64) as usize]);
        }
        self.results.unfinished += 1;
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        let GameResults { white, black, draw, unfinished } = self.results;
        white + black + draw + unfinished
    }

    /// The numbers of stones on the board, largest first, each with the number of turns of the
    /// positions with that many stones that were not the end of their game.
    pub fn branching(&self) -> impl Iterator<Item = (usize, Branching)> + '_ {
        self.branching.iter().rev().map(|(stones, branching)| (*stones, *branching))
    }

    /// Adds the games of another value.
    pub fn merge(&mut self, other: &Self) {
        self.results.white += other.results.white;
        self.results.black += other.results.black;
        self.results.draw += other.results.draw;
        self.results.unfinished += other.results.unfinished;
        self.lengths.merge(&other.lengths);
        for (stones, branching) in &other.branching {
            self.branching.entry(*stones).or_default().merge(branching);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fanorona_core::Board;

    #[test]
    fn parts_of_the_tree_add_up() {
        let (rules, start) = (RuleSet::STANDARD, Board::telo().start());
        let mut whole = vec![PlyStats::default(); 8];
        survey(&rules, &start, &mut whole);
        assert_eq!(whole[7].turns, 1497);
        let ended: u64 = whole.iter().map(|ply| ply.finished).sum();
        assert!(ended > 0);

        let mut parts = vec![PlyStats::default(); 8];
        let (first, below) = parts.split_first_mut().expect("there are eight");
        first.add(&rules, &start, |after| {
            let mut part = vec![PlyStats::default(); 7];
            survey(&rules, &after, &mut part);
            below.iter_mut().zip(&part).for_each(|(own, part)| own.merge(part));
        });
        assert_eq!(parts, whole);
    }

    #[test]
    fn a_blocked_side_is_counted_by_itself() {
        // White's only stone is walled in, unless one of its neighbours goes away.
        let position: Position = "BBB6/WBB6/BB1B5/B8/9 b".parse().expect("it is a position");
        let mut ply = [PlyStats::default()];
        survey(&RuleSet::STANDARD, &position, &mut ply);
        let [ply] = ply;
        assert_eq!((ply.turns, ply.paikas), (ply.branching.most, ply.turns));
        assert_eq!(ply.without_turn, ply.finished);
        let let_out = 2; // a3-b2 and b4-c3
        assert_eq!(ply.finished, ply.turns - let_out);
    }

    #[test]
    fn random_games_do_not_depend_on_their_order() {
        let (rules, start) = (RuleSet::STANDARD, Board::telo().start());
        let mut forwards = GameStats::default();
        (0..50).for_each(|number| forwards.add_random_game(&rules, &start, 7, number, 9));
        let mut backwards = GameStats::default();
        for number in (0..50).rev() {
            let mut one = GameStats::default();
            one.add_random_game(&rules, &start, 7, number, 9);
            backwards.merge(&one);
        }
        assert_eq!(forwards, backwards);
        assert_eq!(forwards.games(), 50);
        assert!(forwards.results.unfinished > 0 && forwards.results.unfinished < 50);
        assert_eq!(forwards.lengths.total(), 50 - forwards.results.unfinished);
        let (stones, first) = forwards.branching().next().expect("games begin");
        assert_eq!((stones, first.positions, first.most), (8, 50, 4));
        let mut other_seed = GameStats::default();
        (0..50).for_each(|number| other_seed.add_random_game(&rules, &start, 8, number, 9));
        assert_ne!(forwards, other_seed);
    }

    /// Parts joined in any way have the numbers of the whole list.
    #[test]
    fn branching_is_that_of_a_list() {
        let mut random = SplitMix64::new(1);
        for length in [0, 1, 2, 7] {
            let turns: Vec<u64> = (0..length).map(|_| 3 + random.below(50)).collect();
            for cut in 0..=turns.len() {
                let part = |turns: &[u64]| {
                    let mut part = Branching::default();
                    turns.iter().for_each(|turns| part.add(*turns));
                    part
                };
                let mut whole = part(&turns[..cut]);
                whole.merge(&part(&turns[cut..]));
                let (fewest, most) = (turns.iter().min(), turns.iter().max());
                let expected = Branching {
                    positions: turns.len() as u64,
                    turns: turns.iter().sum(),
                    fewest: fewest.copied().unwrap_or(0),
                    most: most.copied().unwrap_or(0),
                };
                assert_eq!(whole, expected, "{turns:?} {cut}");
            }
        }
    }

    /// With as many turns as a game has, it is finished; with one less it is not.
    #[test]
    fn a_random_game_may_end_with_its_last_turn() {
        let start = Board::dimy().start();
        for number in 0..20 {
            let play = |most| {
                let mut stats = GameStats::default();
                stats.add_random_game(&RuleSet::STANDARD, &start, 3, number, most);
                stats
            };
            let whole = play(10_000);
            let (length, _) = whole.lengths.iter().next().expect("it ends");
            assert_eq!(play(length), whole);
            let short = play(length - 1);
            assert_eq!((short.results.unfinished, short.lengths.total()), (1, 0));
        }
    }
}
