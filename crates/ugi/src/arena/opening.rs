//! Where the games of a match begin.

use std::sync::atomic::AtomicBool;

use fanorona_core::{ErrorKind, Position, RuleSet, SplitMix64};
use fanorona_engine::Score::Estimate;
use fanorona_engine::{
    DrawRules, Engine, EngineError, Game, Level, Limits, Options, RecordError, Records,
};
use fanorona_knowledge::Knowledge;
use thiserror::Error;

/// Positions that two searches look at to see whether an opening is balanced. Most openings are refused
/// by the first one. On 9x5, the second one leaves 5 % in which a search of a million sees an advantage.
const BALANCE_NODES: [u64; 2] = [20_000, 100_000];

/// An opening is balanced if the estimates of these searches are not larger, for either side.
const BALANCE: i32 = 50;

/// The memory of these searches.
const BALANCE_MEMORY: usize = 16 << 20;

/// The longest line that is read as a position, in bytes. No position is nearly as long, and a
/// message may repeat a part of the line.
const MAX_LINE: usize = 256;

/// The openings that are tried until one is good.
const MAX_ATTEMPTS: u32 = 1000;

/// The openings of a match.
#[derive(Clone, Debug)]
pub enum Openings {
    /// Random turns from a position.
    Random(RandomOpenings),
    /// These games, one after the other, and again from the first one. None is over.
    List(Vec<Game>),
}

/// Openings by random turns, which depend on the seed alone.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct RandomOpenings {
    pub rules: RuleSet,
    /// The position before the random turns.
    pub start: Position,
    /// When games are drawn.
    pub draws: DrawRules,
    pub turns: usize,
    /// The seed: another seed, other openings.
    pub seed: u64,
    /// Leave out openings that give one side an advantage, if there are others: those where a search of
    /// 100,000 positions sees more than 0.50, a win or a loss.
    pub balanced: bool,
}

/// Why there is no opening.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum OpeningError {
    /// The game is over before the random turns.
    #[error("the game is over at '{start}', where the openings begin")]
    Over { start: Box<Position> },
    /// After random turns the game is always over.
    #[error(
        "none of {attempts} attempts at {turns} random turns from '{start}' led to a game that goes \
         on; use other openings"
    )]
    NotFound { attempts: u32, turns: usize, start: Box<Position> },
    /// The list is empty.
    #[error("there are no openings; write one position a line, or games")]
    None,
    /// A line is not a position that can begin a game.
    #[error("line {line}: {problem}")]
    Position { line: usize, problem: String },
    /// A game cannot begin the games of the match.
    #[error("game {number}: {problem}")]
    OtherGame { number: usize, problem: String },
    /// A game cannot be read.
    #[error(transparent)]
    Game(#[from] RecordError),
    /// The engine that looks for an advantage fails.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl OpeningError {
    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Over { .. } | Self::Position { .. } | Self::OtherGame { .. } => {
                ErrorKind::BadPosition
            }
            Self::NotFound { .. } | Self::None => ErrorKind::BadParameter,
            Self::Game(error) => error.kind(),
            Self::Engine(error) => error.kind(),
        }
    }
}

impl Openings {
    /// Reads openings from a text: one position a line, or games in a form of [`Records`], of which the
    /// first `turns` turns are played. Blank lines, and lines that begin with `#`, are left out
    /// between positions. The games must be of this rule set and on this board; the draw rules are
    /// those of the match.
    ///
    /// # Errors
    /// If the text has no opening, or one that cannot be read, or that is over.
    pub fn read(
        text: &str,
        rules: RuleSet,
        start: &Position,
        draws: DrawRules,
        turns: usize,
    ) -> Result<Self, OpeningError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let openings = if Records::are_in(text) {
            read_games(text, rules, start, draws, turns)?
        } else {
            read_positions(text, rules, start, draws)?
        };
        if openings.is_empty() {
            return Err(OpeningError::None);
        }
        Ok(Self::List(openings))
    }

    /// The opening with this number, from 0.
    ///
    /// # Errors
    /// If there is none: random turns lead nowhere, or the list is empty.
    pub fn opening(&self, number: u64) -> Result<Game, OpeningError> {
        match self {
            Self::Random(random) => random.opening(number),
            Self::List(list) => {
                let at = number.checked_rem(list.len() as u64).ok_or(OpeningError::None)?;
                Ok(list[at as usize].clone())
            }
        }
    }
}

impl RandomOpenings {
    fn opening(&self, number: u64) -> Result<Game, OpeningError> {
        let begin = Game::with_draws(self.rules, self.start, self.draws);
        let start = Box::new(self.start);
        if begin.end().is_some() {
            return Err(OpeningError::Over { start });
        }
        let mut random = SplitMix64::stream(self.seed, number);
        let mut any = None;
        for _ in 0..MAX_ATTEMPTS {
            let mut game = begin.clone();
            while game.turns().len() < self.turns && game.end().is_none() {
                let turns = self.rules.turns(game.position());
                game.play(turns[random.below(turns.len() as u64) as usize].clone());
            }
            if game.end().is_none() {
                if !self.balanced || is_balanced(&game)? {
                    return Ok(game);
                }
                any.get_or_insert(game);
            }
        }
        let (attempts, turns) = (MAX_ATTEMPTS, self.turns);
        any.ok_or(OpeningError::NotFound { attempts, turns, start })
    }
}

/// Whether short searches see no advantage for either side.
fn is_balanced(game: &Game) -> Result<bool, EngineError> {
    let mut options = Options::default();
    options.level = Level::FULL;
    options.memory = BALANCE_MEMORY;
    options.draw_rules = *game.draws();
    let position = game.position();
    let known = Knowledge::of_rules(position.board(), *game.rules());
    let mut engine = Engine::new(known, options)?;
    let stop = AtomicBool::new(false);
    for nodes in BALANCE_NODES {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let found = engine.analyze(position, game.earlier(), &limits, &stop, |_| {})?;
        if !matches!(found.score, Estimate(score) if score.abs() <= BALANCE) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn read_positions(
    text: &str,
    rules: RuleSet,
    start: &Position,
    draws: DrawRules,
) -> Result<Vec<Game>, OpeningError> {
    let mut openings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let words = line.trim();
        if words.is_empty() || words.starts_with('#') {
            continue;
        }
        let wrong = |problem: String| OpeningError::Position { line: number, problem };
        if words.len() > MAX_LINE {
            let found = words.len();
            return Err(wrong(format!("the line has {found} bytes, more than any position")));
        }
        let position: Position = words.parse().map_err(|error| wrong(format!("{error}")))?;
        let game = Game::with_draws(rules, position, draws);
        check(&game, start).map_err(wrong)?;
        openings.push(game);
    }
    Ok(openings)
}

/// Refuses openings that are over, or on another board.
fn check(game: &Game, start: &Position) -> Result<(), String> {
    let (found, expected) = (game.position().board(), start.board());
    if found != expected {
        return Err(format!(
            "the position is on a board of {found}, but the match is on {expected}"
        ));
    }
    match game.end() {
        Some(_) => Err(format!("the game is over at '{}'", game.position())),
        None => Ok(()),
    }
}

fn read_games(
    text: &str,
    rules: RuleSet,
    start: &Position,
    draws: DrawRules,
    turns: usize,
) -> Result<Vec<Game>, OpeningError> {
    let mut openings = Vec::new();
    let records = Records::new(text).with_defaults(start.board(), rules);
    for (number, record) in (1..).zip(records) {
        let record = record?;
        let game = record.game();
        let wrong = |problem: String| OpeningError::OtherGame { number, problem };
        if *game.rules() != rules {
            let found = game.rules();
            return Err(wrong(format!("it has the rules {found}, but the match {rules}")));
        }
        let mut opening = Game::with_draws(rules, *game.start(), draws);
        for turn in game.turns().iter().take(turns) {
            opening.play(turn.clone());
        }
        check(&opening, start).map_err(wrong)?;
        openings.push(opening);
    }
    Ok(openings)
}

#[cfg(test)]
mod tests {
    use fanorona_core::Board;
    use fanorona_engine::Record;

    use super::*;

    fn random(board: Board, turns: usize, balanced: bool) -> Openings {
        let (rules, draws) = (RuleSet::STANDARD, DrawRules::default());
        Openings::Random(RandomOpenings {
            rules,
            start: board.start(),
            draws,
            turns,
            seed: 3,
            balanced,
        })
    }

    fn read(text: &str, turns: usize) -> Result<Vec<Game>, OpeningError> {
        let start = Board::dimy().start();
        match Openings::read(text, RuleSet::STANDARD, &start, DrawRules::default(), turns)? {
            Openings::List(games) => Ok(games),
            Openings::Random(_) => unreachable!("a text has a list"),
        }
    }

    #[test]
    fn random_openings_depend_on_the_seed_and_go_on() {
        let openings = random(Board::dimy(), 4, false);
        let texts: Vec<_> = (0..20)
            .map(|number| {
                let game = openings.opening(number).expect("there is one");
                assert_eq!((game.turns().len(), game.end()), (4, None));
                assert_eq!(
                    openings.opening(number).expect("there is one").turns(),
                    game.turns(),
                    "the number decides"
                );
                game.position().to_string()
            })
            .collect();
        assert!(texts.iter().any(|text| *text != texts[0]));
        let opening = random(Board::telo(), 0, false).opening(0).expect("the game goes on");
        assert_eq!((opening.start(), opening.turns().len()), (&Board::telo().start(), 0));
        // No game of 3x3 lasts for 200 random turns.
        let error = random(Board::telo(), 200, false).opening(0).expect_err("it ends before");
        assert!(error.to_string().contains("a game that goes on"), "{error}");
    }

    #[test]
    fn an_advantage_of_either_side_is_seen() {
        let few = "BBBBBBBBB/BBBBBBBBB/9/9/2WWWWW2";
        for side in ["w", "b"] {
            let position = format!("{few} {side}").parse().expect("a position");
            let game = Game::new(RuleSet::STANDARD, position);
            assert!(!is_balanced(&game).expect("the engine answers"), "Black is ahead: {side}");
        }
        let start = Game::new(RuleSet::STANDARD, Board::tsivy().start());
        assert!(is_balanced(&start).expect("the engine answers"));
    }

    /// Where all openings are decided, any is better than none.
    #[test]
    fn a_decided_opening_is_taken_if_there_is_no_other() {
        let opening = random(Board::telo(), 2, true).opening(0).expect("the game goes on");
        assert_eq!((opening.turns().len(), opening.end()), (2, None));
    }

    #[test]
    fn openings_do_not_begin_at_the_end_of_a_game() {
        for turns in [0, 6] {
            let Openings::Random(openings) = random(Board::dimy(), turns, false) else {
                unreachable!("they are random")
            };
            let start = "5/5/1W3/5/5 b".parse().expect("a position");
            let error = RandomOpenings { start, ..openings }.opening(0).expect_err("White has won");
            let expected = "the game is over at '5/5/1W3/5/5 b', where the openings begin";
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn openings_are_read_from_positions_and_games() {
        let games = read("# two\n\n5/5/1W1B1/5/W4 w\r\n  5/5/1W1B1/5/W4 b \n", 0);
        assert_eq!(games.expect("they are good").len(), 2);
        let game = |number: u64| {
            let game = random(Board::dimy(), 6, false).opening(number).expect("there is one");
            Record::new(game).to_string()
        };
        let text = format!("{}\n{}{}", game(1), game(2), game(3));
        for turns in [0, 3, 100] {
            let found = read(&text, turns).expect("they are good");
            assert_eq!(found.len(), 3);
            assert!(found.iter().all(|game| game.turns().len() == turns.min(6)));
        }
        let expected = random(Board::dimy(), 6, false).opening(2).expect("there is one");
        assert_eq!(read(&text, 6).expect("they are good")[1].position(), expected.position());
    }

    #[test]
    fn wrong_openings_are_named_by_their_lines() {
        let message = |text: &str| read(text, 9).expect_err("it is wrong").to_string();
        assert!(message("").starts_with("there are no openings"));
        assert!(message("\n5/5/1W1B1/5/5 w\nnonsense").starts_with("line 3: "));
        assert!(message("9/9/2W1B4/9/9 w").contains("the match is on 5x5"));
        assert!(message("5/5/1W3/5/5 b").contains("the game is over"));
        let long = "x".repeat(200_000);
        for text in [long.clone(), format!("5/5/1W1B1/5/5 {long}"), format!("[Board \"{long}\"]")] {
            assert!(message(&text).len() < 300, "a message repeats no long text");
        }
        let game = "[Board \"5x5\"]\n[Rules \"standard\"]\n\n*\n";
        assert!(message(&format!("{game}\n{game}x")).starts_with("line 10, column 1: "));
        let other = game.replace("standard", "free-capture");
        assert!(message(&format!("{game}{other}")).starts_with("game 2: it has the rules"));
    }
}
