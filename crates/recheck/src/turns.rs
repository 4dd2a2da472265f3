//! The legal turns of a position, in the order by which certificates number them.

use std::ops::ControlFlow;

use crate::board::{Board, points_of};
use crate::position::{Position, Value};
use crate::rules::{Directions, Preset, Rules};

/// A board with its rules.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Game {
    pub board: Board,
    pub rules: Rules,
}

/// A capturing turn, up to a step of it.
#[derive(Clone, Copy)]
struct Relay {
    /// The side's other stones.
    others: u64,
    /// The enemy stones that are left.
    enemies: u64,
    point: u8,
    /// All points of the turn, the starting point too.
    visited: u64,
    /// The direction of the last step, and the set of all directions.
    direction: usize,
    directions: u8,
}

impl Game {
    /// Calls `visit` with the position after each legal turn, until it breaks. Two turns that lead
    /// to the same position are two calls.
    pub fn turns<F>(&self, position: &Position, visit: &mut F) -> ControlFlow<()>
    where
        F: FnMut(Position) -> ControlFlow<()>,
    {
        if position.own == 0 || position.opponent == 0 {
            return ControlFlow::Continue(());
        }
        let Position { own, opponent: enemies, to_move } = *position;
        let first_phase = self.rules.first_phase(position);
        let giving = first_phase && to_move == self.rules.victor;
        let paikas = self.paikas_allowed(position, first_phase);
        let after =
            |own, enemies| Position { own: enemies, opponent: own, to_move: to_move.other() };
        for point in points_of(own) {
            let others = own & !(1 << point);
            for direction in 0..8 {
                let Some(to) = self.board.neighbour(point, direction) else { continue };
                if (own | enemies) >> to & 1 == 1 {
                    continue;
                }
                let moved = others | 1 << to;
                let lines = self.lines(point, to, direction, enemies);
                if giving || (lines == [0, 0] && paikas) {
                    visit(after(moved, enemies))?;
                    continue;
                }
                for line in lines.into_iter().filter(|line| *line != 0) {
                    if first_phase {
                        visit(after(moved, enemies & !self.nearest(to, line)))?;
                        continue;
                    }
                    let relay = Relay {
                        others,
                        enemies: enemies & !line,
                        point: to,
                        visited: 1 << point | 1 << to,
                        direction,
                        directions: 1 << direction,
                    };
                    let may_go_on = self.relay_allowed(position);
                    self.relays(relay, may_go_on, &mut |own, enemies| visit(after(own, enemies)))?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Whether one of the own stones could capture by a step, as the table format defines it.
    #[must_use]
    pub fn can_capture(&self, position: &Position) -> bool {
        let occupied = position.own | position.opponent;
        points_of(position.own).any(|point| {
            (0..8).any(|direction| {
                self.board.neighbour(point, direction).is_some_and(|to| {
                    occupied >> to & 1 == 0
                        && self.lines(point, to, direction, position.opponent) != [0, 0]
                })
            })
        })
    }

    /// The value of a position in which the game is over. `None` if it goes on.
    #[must_use]
    pub fn outcome(&self, position: &Position) -> Option<Value> {
        if position.own == 0 {
            return Some(Value::Loss);
        }
        if position.opponent == 0 {
            return Some(Value::Win);
        }
        if self.turns(position, &mut |_| ControlFlow::Break(())).is_break() {
            return None;
        }
        // A challenger that must capture and cannot has lost under all options.
        let failed = self.rules.must_capture
            && self.rules.first_phase(position)
            && position.to_move != self.rules.victor;
        Some(if self.rules.no_turns_draw && !failed { Value::Draw } else { Value::Loss })
    }

    fn paikas_allowed(&self, position: &Position, first_phase: bool) -> bool {
        if first_phase {
            return !self.rules.must_capture;
        }
        let (own, opponent) = position.stones();
        let first_turn = own + opponent == self.board.points() - 1;
        (self.rules.capturing_is_optional() && !first_turn) || !self.can_capture(position)
    }

    /// Whether the side to move may make turns of more than one step.
    fn relay_allowed(&self, position: &Position) -> bool {
        let has_captured = position.opponent.count_ones() < self.board.half();
        self.rules.preset != Preset::FirstCaptureSingle || has_captured
    }

    /// The stones that a step captures by approach and by withdrawal.
    fn lines(&self, from: u8, to: u8, direction: usize, enemies: u64) -> [u64; 2] {
        let back = (direction + 4) % 8;
        [(to, direction), (from, back)].map(|(mut point, direction)| {
            let mut line = 0;
            while let Some(next) = self.board.neighbour(point, direction)
                && enemies >> next & 1 == 1
            {
                line |= 1 << next;
                point = next;
            }
            line
        })
    }

    /// The stone of a line that is nearest to the point of arrival.
    fn nearest(&self, to: u8, line: u64) -> u64 {
        let width = self.board.width();
        let distance = |point: u8| {
            let files = (point % width).abs_diff(to % width);
            files.max((point / width).abs_diff(to / width))
        };
        points_of(line).min_by_key(|point| distance(*point)).map_or(0, |point| 1 << point)
    }

    /// Ends the turn here, if that is allowed, and then goes on in all ways.
    fn relays<F>(&self, relay: Relay, may_go_on: bool, visit: &mut F) -> ControlFlow<()>
    where
        F: FnMut(u64, u64) -> ControlFlow<()>,
    {
        let forced = self.rules.preset == Preset::ForcedRelay
            && self.next_steps(&relay, &mut |_| ControlFlow::Break(())).is_break();
        if !forced {
            visit(relay.others | 1 << relay.point, relay.enemies)?;
        }
        if may_go_on {
            self.next_steps(&relay, &mut |next| self.relays(next, true, visit))?;
        }
        ControlFlow::Continue(())
    }

    /// The capturing steps with which a relay can go on.
    fn next_steps(
        &self,
        relay: &Relay,
        visit: &mut dyn FnMut(Relay) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for direction in 0..8 {
            let allowed = match self.rules.directions {
                Directions::NotTwiceRunning => direction != relay.direction,
                Directions::NeverTwice => relay.directions >> direction & 1 == 0,
                Directions::Free => true,
            };
            let to = self.board.neighbour(relay.point, direction).filter(|_| allowed);
            let Some(to) = to else { continue };
            if (relay.others | relay.enemies | relay.visited) >> to & 1 == 1 {
                continue;
            }
            for line in self.lines(relay.point, to, direction, relay.enemies) {
                if line != 0 {
                    visit(Relay {
                        enemies: relay.enemies & !line,
                        point: to,
                        visited: relay.visited | 1 << to,
                        direction,
                        directions: relay.directions | 1 << direction,
                        ..*relay
                    })?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}
