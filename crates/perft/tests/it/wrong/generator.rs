//! A generator with mistakes. It shares no code with the one that tells mistakes apart.

use std::collections::HashSet;

use fanorona_core::{Board, Direction, Point, PointSet, Position, Side};

/// Lists turns of the standard rules, with mistakes.
#[derive(Clone, Copy)]
pub(super) struct Generator(pub &'static str);

/// Stones on a board.
#[derive(Clone, Copy)]
struct Game {
    board: Board,
    own: PointSet,
    enemy: PointSet,
    is_white: bool,
}

/// A turn, or the beginning of one.
#[derive(Clone)]
struct Played {
    text: String,
    path: Vec<Point>,
    ways: Vec<Direction>,
    /// For each step, whether it captures by approach, and the stones.
    taken: Vec<(bool, PointSet)>,
    own: PointSet,
    enemy: PointSet,
}

impl Generator {
    fn is(self, mistake: &str) -> bool {
        self.0.split(" + ").any(|own| own == mistake)
    }

    /// The turns with the count below each.
    pub(super) fn divide(self, position: &Position, depth: u8) -> Vec<(String, u64)> {
        let (own, enemy) = (position.own(), position.opponent());
        let is_white = position.to_move() == Side::White;
        let game = Game { board: position.board(), own, enemy, is_white };
        let below =
            |turn: Played| (turn.text.clone(), self.count(&self.after(&game, &turn), depth - 1));
        self.turns(&game).into_iter().map(below).collect()
    }

    fn count(self, game: &Game, depth: u8) -> u64 {
        if depth == 0 {
            return 1;
        }
        let turns = self.turns(game);
        turns.iter().map(|turn| self.count(&self.after(game, turn), depth - 1)).sum()
    }

    fn after(self, game: &Game, turn: &Played) -> Game {
        let taken: PointSet = match &turn.taken[..] {
            _ if self.is("nothing is gone after the turn") => PointSet::EMPTY,
            [.., last] if self.is("the last step's stones are gone after the turn") => last.1,
            [first, ..] if self.is("the first step's stones are gone after the turn") => first.1,
            all => all.iter().flat_map(|(_, taken)| taken.iter()).collect(),
        };
        let mut own = (game.own - turn.path[0]) | turn.path[turn.path.len() - 1];
        if self.is("the stone stays at the start, too") {
            own |= turn.path[0];
        }
        let enemy = game.enemy - taken - turn.end();
        Game { own: enemy, enemy: own, is_white: !game.is_white, ..*game }
    }

    fn turns(self, game: &Game) -> Vec<Played> {
        let mut turns = Vec::new();
        if game.enemy.is_empty() {
            return turns;
        }
        for stone in game.own.iter() {
            if self.is("stones in a corner stay") && game.is_corner(stone) {
                continue;
            }
            let text = game.board.coordinates(stone).to_string();
            let (own, enemy) = (game.own, game.enemy);
            let (ways, taken) = (Vec::new(), Vec::new());
            let begun = Played { text, path: vec![stone], ways, taken, own, enemy };
            self.capture(game, &begun, &mut turns);
        }
        let captures = turns.len();
        let obliges = |turn: &Played| turn.taken[0].0 || !self.is("approaches oblige");
        let must = turns.iter().any(obliges) && !self.is("paikas beside captures");
        for stone in game.own.iter() {
            let can_capture = turns[..captures].iter().any(|turn| turn.path[0] == stone);
            let may_move = if self.is("paikas of stones that cannot capture") {
                !can_capture
            } else {
                !must || self.is("paikas of stones that can capture") && can_capture
            };
            if may_move && !(self.is("stones in a corner stay") && game.is_corner(stone)) {
                self.paikas(game, stone, &mut turns);
            }
        }
        if self.is("the most stones") {
            let stones =
                |turn: &Played| turn.taken.iter().map(|(_, taken)| taken.len()).sum::<u32>();
            let most = turns.iter().map(stones).max();
            turns.retain(|turn| Some(stones(turn)) == most);
        }
        let mut seen = HashSet::new();
        if self.is("one turn for each result") {
            turns.retain(|turn| {
                let after = self.after(game, turn);
                seen.insert((after.own.bits(), after.enemy.bits()))
            });
        }
        if self.is("one turn for each start and end") {
            turns.retain(|turn| {
                seen.insert((turn.path[0].index() as u64, turn.end().index() as u64))
            });
        }
        if self.is("room for 100 turns") {
            turns.truncate(100);
        }
        turns
    }

    fn paikas(self, game: &Game, stone: Point, turns: &mut Vec<Played>) {
        for way in Direction::ALL {
            let Some(to) = self.step(game, stone, way) else { continue };
            let is_back = (way.delta().1 < 0) == game.is_white && way.delta().1 != 0;
            let takes = |from, way| !self.line(game, game.own, game.enemy, from, way).is_empty();
            let captures = takes(to, way) || takes(stone, way.opposite());
            let captures = captures && self.captures_along(way);
            if (game.own | game.enemy).contains(to)
                || captures
                || is_back && self.is("paikas go forward")
            {
                continue;
            }
            let name = |point| game.board.coordinates(point);
            turns.push(Played {
                text: format!("{}-{}", name(stone), name(to)),
                path: vec![stone, to],
                ways: vec![way],
                taken: Vec::new(),
                own: game.own,
                enemy: game.enemy,
            });
        }
    }

    /// Lists the turns that go on from here by a capture.
    fn capture(self, game: &Game, begun: &Played, turns: &mut Vec<Played>) {
        let mut next = Vec::new();
        for way in Direction::ALL {
            next.extend(self.captures(game, begun, way));
        }
        for turn in next {
            let is_over = self.is_over(game, &turn);
            let mut longer = Vec::new();
            if !is_over {
                self.capture(game, &turn, &mut longer);
            }
            if longer.is_empty() || !self.is("relays go on while they can") {
                turns.push(turn);
            }
            turns.extend(longer);
        }
    }

    fn is_over(self, game: &Game, turn: &Played) -> bool {
        let steps = turn.ways.len();
        let end = game.board.coordinates(turn.end());
        let is_edge = Direction::ALL
            .iter()
            .filter(|way| way.delta().0 == 0 || way.delta().1 == 0)
            .any(|way| game.board.neighbour(turn.end(), *way).is_none());
        self.is("relays end after five steps") && steps >= 5
            || self.is("relays end after three steps if they begin by withdrawal")
                && steps >= 3
                && !turn.taken[0].0
            || self.is("relays end on weak points") && (end.file() + end.rank()) % 2 == 1
            || self.is("relays end at the edge") && is_edge
            || self.is("relays need a capture of two stones to go on")
                && turn.taken[steps - 1].1.len() < 2
            || self.is("Black has no relays") && !game.is_white
            || self.is("relays go on after approach") && !turn.taken[steps - 1].0
    }

    fn captures(self, game: &Game, begun: &Played, way: Direction) -> Vec<Played> {
        let from = begun.end();
        let step = begun.ways.len() + 1;
        let Some(to) = self.step(game, from, way) else { return Vec::new() };
        let is_free = !(begun.own | begun.enemy).contains(to) || to == begun.path[0] && step > 1;
        if !is_free || self.has_been(begun, to, step) {
            return Vec::new();
        }
        let forward = self.line(game, begun.own, begun.enemy, to, way);
        let back = self.line(game, begun.own, begun.enemy, from, way.opposite());
        let is_rank = way.delta().1 == 0;
        let mut kinds = vec![(true, forward), (false, back)];
        if self.is("no withdrawal") || self.is("Black has no withdrawal") && !game.is_white {
            kinds.pop();
        }
        if self.is("no captures by approach along ranks") && is_rank {
            kinds.remove(0);
        }
        kinds.retain(|(_, taken)| !taken.is_empty() && self.captures_along(way));
        let first_only = self.is("approach goes before withdrawal")
            || self.is("approach goes before withdrawal in relays") && step > 1;
        if kinds.len() == 2 {
            let (forward, back) = (kinds[0].1.len(), kinds[1].1.len());
            if first_only || self.is("the longer line goes first") && forward > back {
                kinds.pop();
            } else if self.is("the longer line goes first") && back > forward {
                kinds.remove(0);
            } else if self.is("both lines at once") {
                kinds = vec![(true, kinds[0].1 | kinds[1].1)];
            }
        }
        kinds.retain(|(is_approach, taken)| {
            let last = begun.taken.last();
            (step == 1
                || !(self.is("relays go on by approach") && !is_approach
                    || self.is("relays go on by withdrawal") && *is_approach
                    || self.is("relays keep their kind of capture")
                        && last.is_some_and(|last| last.0 != *is_approach)))
                && !self.repeats(game, begun, way)
                && !(self.is("back to the start by withdrawal")
                    && to == begun.path[0]
                    && *is_approach)
                && !(self.is("the last stone is safe") && *taken == begun.enemy)
        });
        kinds
            .into_iter()
            .map(|(is_approach, taken)| {
                let mut turn = begun.clone();
                let letter = match () {
                    () if self.is("both lines at once")
                        && !forward.is_empty()
                        && !back.is_empty() =>
                    {
                        "AW"
                    }
                    () if is_approach => "A",
                    () => "W",
                };
                turn.text += &format!("-{}{letter}", game.board.coordinates(to));
                turn.own = (turn.own - from) | to;
                let stands = self.is("captured stones stand during the turn")
                    || self.is("the first step's stones stand during the turn") && step == 1;
                if !stands {
                    turn.enemy -= taken;
                }
                turn.path.push(to);
                turn.ways.push(way);
                turn.taken.push((is_approach, taken));
                turn
            })
            .collect()
    }

    fn captures_along(self, way: Direction) -> bool {
        let is_straight = way.delta().0 == 0 || way.delta().1 == 0;
        is_straight || !self.is("no captures along diagonals")
    }

    fn has_been(self, begun: &Played, to: Point, step: usize) -> bool {
        let (start, way) = (begun.path[0], &begun.path[1..]);
        let entered = if self.is("not into a captured point") {
            begun.taken.iter().any(|(_, taken)| taken.contains(to))
        } else if self.is("not into points of the first capture") {
            begun.taken.first().is_some_and(|(_, taken)| taken.contains(to))
        } else {
            false
        };
        entered
            || if self.is("back to any point") {
                false
            } else if self.is("back to all but the point just left") {
                step > 1 && begun.path[begun.path.len() - 2] == to
            } else if self.is("back to all but the start") {
                to == start
            } else if self.is("back to the start often") {
                to != start && way.contains(&to)
            } else if self.is("back to the start once")
                || self.is("back to the start by withdrawal")
            {
                way.contains(&to)
            } else if self.is("back to the start from the fourth step on") {
                way.contains(&to) || to == start && step < 4
            } else {
                to == start || way.contains(&to)
            }
    }

    fn repeats(self, game: &Game, begun: &Played, way: Direction) -> bool {
        let Some(last) = begun.ways.last() else { return false };
        let step = begun.ways.len() + 1;
        let was_approach = begun.taken.last().is_some_and(|last| last.0);
        let is_diagonal = way.delta().0 != 0 && way.delta().1 != 0;
        let is_free = self.is("no direction rule")
            || self.is("no direction rule from the third step on") && step >= 3
            || self.is("no direction rule from the fourth step on") && step >= 4
            || self.is("no direction rule before the third step") && step < 3
            || self.is("no direction rule at every third step") && step.is_multiple_of(3)
            || self.is("no direction rule along diagonals") && is_diagonal
            || self.is("no direction rule after a withdrawal") && !was_approach
            || self.is("no direction rule for Black") && !game.is_white;
        let forbidden = if self.is("the direction of the first step counts") {
            begun.ways[0] == way
        } else if self.is("no direction twice in a turn") {
            begun.ways.contains(&way)
        } else {
            *last == way
        };
        forbidden && !is_free
    }

    /// The point that a step leads to.
    fn step(self, game: &Game, from: Point, way: Direction) -> Option<Point> {
        if self.is("no step to the north-east") && way == Direction::NorthEast {
            return None;
        }
        self.neighbour(game, from, way)
    }

    fn neighbour(self, game: &Game, from: Point, way: Direction) -> Option<Point> {
        if self.is("diagonals everywhere") {
            let (files, ranks) = way.delta();
            let at = |at: u8, by: i32| u8::try_from(i32::from(at) + by).ok();
            let from = game.board.coordinates(from);
            return game.board.point_at(at(from.file(), files)?, at(from.rank(), ranks)?);
        }
        game.board.neighbour(from, way)
    }

    /// The enemies in a line that begins next to a point.
    fn line(
        self,
        game: &Game,
        own: PointSet,
        enemy: PointSet,
        from: Point,
        way: Direction,
    ) -> PointSet {
        let mut line = PointSet::EMPTY;
        let mut at = from;
        let mut gaps = 0;
        let is_approach = !own.contains(from);
        let at_most = match () {
            () if self.is("three stones of a line") => 3,
            () if self.is("one stone of a line") => 1,
            () if self.is("two stones of a line by withdrawal") && !is_approach => 2,
            () => u32::MAX,
        };
        while let Some(next) = self.neighbour(game, at, way) {
            at = next;
            if enemy.contains(at) {
                let is_safe = self.is("lines end before the edge")
                    && self.neighbour(game, at, way).is_none()
                    || self.is("stones in a corner are safe") && game.is_corner(at);
                if is_safe || line.len() == at_most {
                    break;
                }
                line |= at;
                continue;
            }
            gaps += 1;
            let goes_on = match own.contains(at) {
                true => self.is("lines go on behind own stones"),
                false => {
                    self.is("lines go on behind a gap")
                        || self.is("lines go on behind a gap by approach") && is_approach
                        || self.is("lines go on behind one gap") && gaps == 1
                }
            };
            if line.is_empty() || !goes_on {
                break;
            }
        }
        line
    }
}

impl Played {
    fn end(&self) -> Point {
        self.path[self.path.len() - 1]
    }
}

impl Game {
    fn is_corner(&self, point: Point) -> bool {
        let at = self.board.coordinates(point);
        [0, self.board.width() - 1].contains(&at.file())
            && [0, self.board.height() - 1].contains(&at.rank())
    }
}
