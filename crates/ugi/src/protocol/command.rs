//! Lines from a controller to an engine.

use std::fmt;
use std::time::Duration;

/// One of the two protocols.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Dialect {
    /// Universal Game Interface: the first player is `p1`, and games are started by `uginewgame`.
    #[default]
    Ugi,
    /// Universal Chess Interface: White is `w`, and games are started by `ucinewgame`.
    Uci,
}

/// A line to an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Command {
    /// `ugi` or `uci`: say who you are, and what options you have.
    Hello(Dialect),
    /// `debug on` or `debug off`
    Debug(bool),
    /// `isready`
    IsReady,
    /// `setoption name … value …`
    SetOption {
        name: String,
        /// Its new value; `None` for a button.
        value: Option<String>,
    },
    /// `register …`: for engines that are sold.
    Register,
    /// `uginewgame` or `ucinewgame`
    NewGame,
    /// `position …`
    Position {
        /// Where the game starts.
        start: Start,
        /// The turns played since, as text.
        turns: Vec<String>,
    },
    /// `query …`, of UGI: asks about the rules.
    Query(Query),
    /// `go …`
    Go(Go),
    /// `stop`: end the search and answer.
    Stop,
    /// `quit`
    Quit,
    /// `d`, as Stockfish has it: show the board.
    Show,
}

/// The start of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// `startpos`: the start of the board.
    Board,
    /// `fen …`: a position as text.
    Position(String),
}

/// A question about the position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Query {
    /// Is the game over? `true` or `false`.
    GameOver,
    /// Is the first player to move? `true` or `false`.
    P1Turn,
    /// How has it ended? `p1win`, `p2win`, `draw` or `none`.
    Result,
}

/// A search. Without any limit it ends by `stop`, or when it has found all there is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go {
    /// Only these turns may be played; empty: all.
    pub searchmoves: Vec<String>,
    /// The time left on the clocks.
    pub clock: Clock,
    /// Turns to look ahead.
    pub depth: Option<u32>,
    /// Positions to visit.
    pub nodes: Option<u64>,
    /// Look for a win within this number of own turns.
    pub mate: Option<u32>,
    /// The time to use.
    pub movetime: Option<Duration>,
    /// Do not answer before `stop`.
    pub infinite: bool,
    /// Count the sequences of this number of turns instead, below each turn.
    pub perft: Option<u8>,
}

/// The clocks of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// The first player's: `p1time` and `p1inc`, or `wtime` and `winc`.
    pub white: SideClock,
    /// The second player's: `p2time` and `p2inc`, or `btime` and `binc`.
    pub black: SideClock,
    /// The turns until time is added; `None`: the time is for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// A side's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SideClock {
    /// The time left; `None` if it is not limited.
    pub time: Option<Duration>,
    /// The time that each turn adds.
    pub increment: Duration,
}

impl Query {
    /// All queries.
    pub const ALL: [Self; 3] = [Self::GameOver, Self::P1Turn, Self::Result];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::GameOver => "gameover",
            Self::P1Turn => "p1turn",
            Self::Result => "result",
        }
    }
}

impl Dialect {
    /// The word that names it, as in `uci`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ugi => "ugi",
            Self::Uci => "uci",
        }
    }

    /// The words for the clocks: time and increment of the first player, then of the second.
    fn clock_words(self) -> [&'static str; 4] {
        match self {
            Self::Ugi => ["p1time", "p1inc", "p2time", "p2inc"],
            Self::Uci => ["wtime", "winc", "btime", "binc"],
        }
    }
}

impl Command {
    /// The line, without its end.
    pub fn line(&self, dialect: Dialect) -> impl fmt::Display {
        struct Line<'a>(&'a Command, Dialect);
        impl fmt::Display for Line<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write(self.1, f)
            }
        }
        Line(self, dialect)
    }

    fn write(&self, dialect: Dialect, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hello(dialect) => f.write_str(dialect.word()),
            Self::Debug(true) => f.write_str("debug on"),
            Self::Debug(false) => f.write_str("debug off"),
            Self::IsReady => f.write_str("isready"),
            Self::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Self::SetOption { name, value: Some(value) } => {
                write!(f, "setoption name {name} value {value}")
            }
            Self::Register => f.write_str("register later"),
            Self::NewGame => write!(f, "{}newgame", dialect.word()),
            Self::Position { start, turns } => {
                match start {
                    Start::Board => f.write_str("position startpos")?,
                    Start::Position(text) => write!(f, "position fen {text}")?,
                }
                write_list(f, "moves", turns)
            }
            Self::Query(query) => write!(f, "query {}", query.word()),
            Self::Go(go) => go.write(dialect, f),
            Self::Stop => f.write_str("stop"),
            Self::Quit => f.write_str("quit"),
            Self::Show => f.write_str("d"),
        }
    }
}

impl Go {
    fn write(&self, dialect: Dialect, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Clock { white, black, moves_to_go } = self.clock;
        f.write_str("go")?;
        let has_clock = white.time.or(black.time).is_some();
        let [white_time, white_increment, black_time, black_increment] = dialect.clock_words();
        let increment = |side: SideClock| has_clock.then_some(side.increment.as_millis());
        for (word, number) in [
            (white_time, white.time.map(|time| time.as_millis())),
            (black_time, black.time.map(|time| time.as_millis())),
            (white_increment, increment(white)),
            (black_increment, increment(black)),
            ("movestogo", moves_to_go.map(u128::from)),
            ("depth", self.depth.map(u128::from)),
            ("nodes", self.nodes.map(u128::from)),
            ("mate", self.mate.map(u128::from)),
            ("movetime", self.movetime.map(|time| time.as_millis())),
            ("perft", self.perft.map(u128::from)),
        ] {
            number.map_or(Ok(()), |number| write!(f, " {word} {number}"))?;
        }
        if self.infinite {
            f.write_str(" infinite")?;
        }
        write_list(f, "searchmoves", &self.searchmoves)
    }
}

fn write_list(f: &mut fmt::Formatter<'_>, word: &str, list: &[String]) -> fmt::Result {
    if list.is_empty() {
        return Ok(());
    }
    write!(f, " {word}")?;
    list.iter().try_for_each(|text| write!(f, " {text}"))
}
