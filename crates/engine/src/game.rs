//! A game in play: its positions, and the draws that depend on them.

use std::collections::HashMap;

use fanorona_core::{Outcome, Position, RuleSet, Side, Turn};

use crate::draw_rules::DrawRules;

/// How a game has ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameEnd {
    /// This side has won.
    Won(Side),
    /// The side to move has no turn, and the rule set calls that a draw.
    NoTurn,
    /// The position has occurred three times.
    Threefold,
    /// No stone was taken for as long as the [`DrawRules`] allow.
    WithoutCapture,
}

impl GameEnd {
    /// A name in one word, as in `threefold`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Won(_) => "won",
            Self::NoTurn => "no-turn",
            Self::Threefold => "threefold",
            Self::WithoutCapture => "without-capture",
        }
    }
}

/// A game: the positions from its start to now, and the turns between them.
///
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_engine::Game;
/// let mut game = Game::new(RuleSet::STANDARD, Board::tsivy().start());
/// let turn = game.rules().parse_turn(game.position(), "d3-e3A")?;
/// game.play(turn);
/// assert_eq!(game.earlier().len(), 1);
/// assert!(game.end().is_none());
/// assert!(game.undo());
/// assert_eq!(*game.position(), Board::tsivy().start());
/// # Ok::<(), fanorona_core::ParseTurnError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    rules: RuleSet,
    draws: DrawRules,
    /// Never empty.
    positions: Vec<Position>,
    turns: Vec<Turn>,
    /// How often each position has occurred.
    occurrences: HashMap<Position, u32>,
}

impl Game {
    /// A game that starts from a position, with the default [`DrawRules`].
    pub fn new(rules: RuleSet, start: Position) -> Self {
        Self::with_draws(rules, start, DrawRules::default())
    }

    /// The same with these draw rules.
    pub fn with_draws(rules: RuleSet, start: Position, draws: DrawRules) -> Self {
        let occurrences = HashMap::from([(start, 1)]);
        Self { rules, draws, positions: vec![start], turns: Vec::new(), occurrences }
    }

    /// The rule set.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The draw rules.
    pub fn draws(&self) -> &DrawRules {
        &self.draws
    }

    /// The position at the start.
    pub fn start(&self) -> &Position {
        &self.positions[0]
    }

    /// The position now.
    pub fn position(&self) -> &Position {
        self.positions.last().expect("a game has a position")
    }

    /// The positions before this one, oldest first.
    pub fn earlier(&self) -> &[Position] {
        &self.positions[..self.positions.len() - 1]
    }

    /// The turns played.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// How often the position now has occurred in the game, this time included.
    pub fn occurrences(&self) -> u32 {
        self.occurrences.get(self.position()).copied().unwrap_or(0)
    }

    /// Plays a turn. It must be legal in the position now, as those of [`RuleSet::turns`] and
    /// [`RuleSet::parse_turn`] are; otherwise the game goes on from a position without sense.
    pub fn play(&mut self, turn: Turn) {
        let after = self.position().play_unchecked(&turn);
        *self.occurrences.entry(after).or_default() += 1;
        self.positions.push(after);
        self.turns.push(turn);
    }

    /// Takes back the last turn; `false` if there is none.
    pub fn undo(&mut self) -> bool {
        if self.turns.pop().is_none() {
            return false;
        }
        if let Some(position) = self.positions.pop()
            && let Some(count) = self.occurrences.get_mut(&position)
        {
            *count -= 1;
        }
        true
    }

    /// Whether the rules have ended the game. One that is drawn by its [`DrawRules`] alone may be
    /// played on.
    pub fn is_over(&self) -> bool {
        self.rules.outcome(self.position()).is_some()
    }

    /// How the game has ended, if it has.
    pub fn end(&self) -> Option<GameEnd> {
        if let Some(outcome) = self.rules.outcome(self.position()) {
            return Some(match outcome {
                Outcome::Won(side) => GameEnd::Won(side),
                Outcome::Drawn => GameEnd::NoTurn,
            });
        }
        if self.draws.repetition && self.occurrences() >= 3 {
            return Some(GameEnd::Threefold);
        }
        let quiet = || self.turns.iter().rev().take_while(|turn| turn.is_paika()).count();
        let is_quiet = |most| quiet() as u64 >= u64::from(most);
        self.draws.without_capture.is_some_and(is_quiet).then_some(GameEnd::WithoutCapture)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(game: &mut Game, text: &str) {
        let turn = game.rules().parse_turn(game.position(), text).expect("a turn");
        game.play(turn);
    }

    #[test]
    fn the_third_occurrence_is_a_draw() {
        let start = "B4/5/5/5/4W w".parse().expect("a position");
        let mut game = Game::new(RuleSet::STANDARD, start);
        for _ in 0..2 {
            for turn in ["e1-e2", "a5-a4", "e2-e1", "a4-a5"] {
                assert_eq!(game.end(), None);
                play(&mut game, turn);
            }
        }
        assert_eq!((game.occurrences(), game.end()), (3, Some(GameEnd::Threefold)));
        assert!(game.undo());
        assert_eq!((game.occurrences(), game.end()), (2, None));
        play(&mut game, "a4-a5");
        assert_eq!(game.end(), Some(GameEnd::Threefold));
        while game.undo() {}
        assert_eq!((game.turns().len(), game.occurrences()), (0, 1));
    }

    #[test]
    fn draw_rules_are_settings() {
        let start = "B4/5/5/5/4W w".parse().expect("a position");
        let draws = DrawRules::NONE.without_capture(9);
        let mut game = Game::with_draws(RuleSet::STANDARD, start, draws);
        for turn in ["e1-e2", "a5-a4", "e2-e1", "a4-a5", "e1-e2", "a5-a4", "e2-e1", "a4-a5"] {
            play(&mut game, turn);
        }
        assert_eq!((game.occurrences(), game.end()), (3, None));
        play(&mut game, "e1-e2");
        assert_eq!(game.end(), Some(GameEnd::WithoutCapture));
    }

    #[test]
    fn the_last_stone_ends_the_game() {
        let start = "9/9/2W1B4/9/9 w".parse().expect("a position");
        let mut game = Game::new(RuleSet::STANDARD, start);
        play(&mut game, "c3-d3A");
        assert_eq!(game.end(), Some(GameEnd::Won(Side::White)));
    }
}
