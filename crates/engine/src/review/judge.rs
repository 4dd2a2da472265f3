//! Judges the positions of a game by rules, tables, certificates, search and engine.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use fanorona_core::{Position, Turn, Value};
use fanorona_knowledge::{Assessment, Knowledge, KnowledgeError, Look, RankedTurn, Source};
use fanorona_proof::Bounds;
use fanorona_solver::{Limits, Solver};
use serde::Serialize;
use web_time::Instant;

use crate::EngineError;
use crate::analysis;
use crate::engine::Engine;
use crate::game::Game;
use crate::options::Options;
use crate::score::Score;

/// The share of a position's time that the engine gets, if nothing decides the position.
const SHARE_OF_ENGINE: f64 = 0.4;

/// The shortest and the longest time of the engine for a position.
const TIMES_OF_ENGINE: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(2)];

/// The most turns that are kept as the best of a position.
const MOST_BEST: usize = 3;

/// The view of the engine where the value is unknown. It proves nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Estimate {
    /// 100 × the natural logarithm of the odds of winning, for the same side as the value.
    #[serde(rename = "estimate")]
    pub score: i32,
    /// The turns that the engine looked ahead.
    #[serde(rename = "estimate_depth")]
    pub depth: u32,
}

/// How many turns of a position keep its value: the fewer, the harder they are to find.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ReviewShare))]
pub struct Share {
    /// The turns that keep the value.
    pub holding: usize,
    /// All turns.
    pub turns: usize,
}

/// A position with what could be found out about it, for the side to move.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The value, as far as it is known.
    pub assessment: Assessment,
    /// The view of the engine, if the value is unknown.
    pub estimate: Option<Estimate>,
    /// The turn that is known to be the best, or that the engine would play.
    pub best: Option<Turn>,
    /// The first turns of the list of the position, best first, if the sources know its value.
    pub first: Vec<RankedTurn>,
    /// `None` if it is not known, and in lost positions, where nothing can be lost.
    pub share: Option<Share>,
}

/// The time for a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Time {
    /// For each position that rules, tables and certificates do not decide.
    Each(Duration),
    /// For all of these together.
    Whole(Duration),
}

/// The means of a [`Judge`].
#[derive(Clone, Copy, Debug)]
pub struct Means {
    /// The time.
    pub time: Time,
    /// The most positions that the search for proofs visits below each position.
    pub nodes: Option<u64>,
    /// Threads; 0 means one for each processor.
    pub threads: usize,
    /// The bytes of the search for proofs.
    pub memory: usize,
}

/// Finds out about the positions of a game: from the rules, the tables and the certificates, then by a
/// search for proofs, then by the engine's estimate.
pub struct Judge<'a> {
    known: &'a Knowledge,
    solver: Solver<'a>,
    /// Built when it is asked for the first time.
    engine: Option<Engine>,
    means: Means,
}

impl std::fmt::Debug for Judge<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Judge").field("means", &self.means).finish_non_exhaustive()
    }
}

/// The time that is left for the positions that are not decided.
struct Pace {
    time: Time,
    began: Instant,
    undecided: u32,
}

impl Pace {
    /// The time for the next position.
    fn next(&mut self) -> Duration {
        let left = self.undecided.max(1);
        self.undecided = left - 1;
        match self.time {
            Time::Each(time) => time,
            Time::Whole(time) => time.saturating_sub(self.began.elapsed()) / left,
        }
    }
}

impl<'a> Judge<'a> {
    /// A judge of games of one board and rule set.
    ///
    /// # Errors
    /// If the rule set has no reading on the board, a table is damaged, or there is not enough memory.
    pub fn new(known: &'a Knowledge, means: Means) -> Result<Self, EngineError> {
        let tables = known.search_tables().map(AsRef::as_ref);
        let solver = Solver::new(known.rules(), known.board(), tables, means.memory)?;
        Ok(Self { known, solver, engine: None, means })
    }

    /// Judges all positions of a game, the start first. They are judged from the last one to the first:
    /// what is proved of later ones helps with earlier ones. `report` gets each with its index, as soon
    /// as it is judged. Those that are left when `stop` is set are `None`.
    ///
    /// # Errors
    /// If a table or a certificate cannot be used, or there is not enough memory.
    pub fn game(
        &mut self,
        game: &Game,
        stop: &AtomicBool,
        mut report: impl FnMut(usize, &[Option<Judged>]),
    ) -> Result<Vec<Option<Judged>>, EngineError> {
        let began = Instant::now();
        let positions: Vec<_> = game.earlier().iter().chain([game.position()]).collect();
        let mut judged: Vec<Option<Judged>> = vec![None; positions.len()];
        let mut looks = Vec::with_capacity(positions.len());
        for position in &positions {
            match self.known.look(position) {
                Err(KnowledgeError::Stopped) => return Ok(judged),
                look => looks.push(Judged::new(&look?)),
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(judged);
            }
        }
        let is_open = |look: &&Judged| look.assessment.value().is_none();
        let undecided = u32::try_from(looks.iter().filter(is_open).count()).unwrap_or(u32::MAX);
        let mut pace = Pace { time: self.means.time, began, undecided };
        for (i, position) in positions.iter().enumerate().rev() {
            let look = looks.pop().expect("each position was looked at");
            let after = judged.get(i + 1).and_then(Option::as_ref);
            let played = game.turns().get(i).zip(after);
            let played = played.map(|(turn, after)| (turn, after.assessment.before_turn()));
            let time = match look.assessment.value() {
                Some(_) => Duration::ZERO,
                None => pace.next(),
            };
            let answer = match self.judge(position, look, played, time, stop) {
                Err(EngineError::Knowledge(KnowledgeError::Stopped)) => break,
                answer => answer?,
            };
            if stop.load(Ordering::Relaxed) {
                break;
            }
            judged[i] = Some(answer);
            report(i, &judged);
        }
        Ok(judged)
    }

    /// Judges a position of which the sources know this; `played` is the turn that was played there,
    /// with what is known of it.
    fn judge(
        &mut self,
        position: &Position,
        mut judged: Judged,
        played: Option<(&Turn, Assessment)>,
        time: Duration,
        stop: &AtomicBool,
    ) -> Result<Judged, EngineError> {
        if let Some((turn, of_turn)) = played {
            // The position is worth at least what the turn is worth.
            let at_least = Bounds { at_least: of_turn.bounds.at_least, ..Bounds::UNKNOWN };
            let by_turn = Assessment::new(at_least, of_turn.source.unwrap_or(Source::Search));
            judged.learn(by_turn, Some(turn));
        }
        if judged.assessment.value().is_some() {
            return Ok(judged);
        }
        let given = judged.assessment.bounds;
        let mut limits = Limits::default().with_threads(self.means.threads);
        limits.time = Some(time.mul_f64(1.0 - SHARE_OF_ENGINE));
        limits.nodes = self.means.nodes;
        let found = self.solver.analyze_given(position, given, &limits, stop, |_| {})?;
        let searched = Assessment::new(found.bounds(), Source::Search);
        judged.learn(searched, found.best.as_ref());
        if judged.assessment.value().is_some() || stop.load(Ordering::Relaxed) {
            return Ok(judged);
        }
        let [least, most] = TIMES_OF_ENGINE;
        let time = time.mul_f64(SHARE_OF_ENGINE).clamp(least, most);
        let limits = analysis::Limits { time: Some(time), ..analysis::Limits::default() };
        let view = self.engine()?.analyze(position, &[], &limits, stop, |_| {})?;
        let proved = Assessment { dtw: None, ..view.assessment() };
        judged.learn(proved, view.turn.as_ref());
        let is_open = judged.assessment.value().is_none();
        if let Score::Estimate(score) = view.score
            && is_open
        {
            judged.estimate = Some(Estimate { score, depth: view.depth });
            // A turn that is only known to lose is none to advise.
            if judged.assessment.bounds.at_least == Value::Loss {
                judged.best = view.turn;
            }
        }
        Ok(judged)
    }

    fn engine(&mut self) -> Result<&mut Engine, EngineError> {
        if self.engine.is_none() {
            let mut options = Options::default();
            let all = || thread::available_parallelism().map_or(1, usize::from);
            let threads = if self.means.threads == 0 { all() } else { self.means.threads };
            options.threads = threads.min(Options::MAX_THREADS);
            self.engine = Some(Engine::new(self.known.clone(), options)?);
        }
        Ok(self.engine.as_mut().expect("it was just built"))
    }
}

impl Judged {
    /// The judgement of the sources alone.
    fn new(look: &Look) -> Self {
        let turns = look.turns.as_deref().unwrap_or_default();
        let first = match look.assessment.value() {
            Some(_) => turns.iter().take(MOST_BEST).cloned().collect(),
            None => Vec::new(),
        };
        Self {
            assessment: look.assessment,
            estimate: None,
            best: look.best().map(|best| best.turn.clone()),
            first,
            share: Share::new(look.assessment, turns),
        }
    }

    /// Takes what else is known of the position, with the turn that gets the lower bound.
    fn learn(&mut self, found: Assessment, best: Option<&Turn>) {
        let narrowed = self.assessment.narrowed_by(found);
        let is_better = narrowed.bounds.at_least > self.assessment.bounds.at_least;
        if is_better || self.best.is_none() {
            self.best = best.cloned().or(self.best.take());
        }
        self.assessment = narrowed;
    }
}

impl Share {
    /// The share of a position's turns; `None` if some may keep the value or not.
    fn new(position: Assessment, turns: &[RankedTurn]) -> Option<Self> {
        let value = position.value().filter(|value| *value != Value::Loss)?;
        let keeps = |turn: &RankedTurn| turn.assessment.bounds.at_least >= value;
        let gives = |turn: &RankedTurn| turn.assessment.bounds.at_most < value;
        let holding = turns.iter().filter(|turn| keeps(turn)).count();
        let is_known = holding > 0 && turns.iter().all(|turn| keeps(turn) || gives(turn));
        is_known.then_some(Self { holding, turns: turns.len() })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fanorona_core::{Board, RuleSet, Side, SplitMix64};
    use fanorona_solver::DEFAULT_MEMORY;
    use fanorona_tablebase::{BuildOptions, Metric, Slice, Tables, build};

    use super::*;

    fn means(time: Time) -> Means {
        Means { time, nodes: None, threads: 1, memory: DEFAULT_MEMORY / 16 }
    }

    /// A game of 5x5 from the start: the search proves the last positions, and where nothing does, there
    /// is an estimate. The time is that of the whole game.
    #[test]
    fn all_positions_of_a_game_are_judged_in_time() {
        let start = Board::dimy().start();
        let mut game = Game::new(RuleSet::STANDARD, start);
        while game.end().is_none() && game.turns().len() < 12 {
            let turn = game.rules().turns(game.position()).remove(0);
            game.play(turn);
        }
        let known = Knowledge::of_rules(start.board(), *game.rules());
        let whole = Duration::from_secs(2);
        let began = Instant::now();
        let mut judge = Judge::new(&known, means(Time::Whole(whole))).expect("there is memory");
        let mut order = Vec::new();
        let judged = judge.game(&game, &AtomicBool::new(false), |i, _| order.push(i));
        let judged = judged.expect("it is judged");
        // With that time for each position it would be twice this, on a busy machine too.
        let each = whole * (game.turns().len() + 1) as u32;
        assert!(began.elapsed() < each / 2, "{:?}", began.elapsed());
        assert!(order.iter().rev().copied().eq(0..=game.turns().len()));
        for judged in judged {
            let judged = judged.expect("nothing stopped it");
            assert_ne!(judged.assessment.value().is_some(), judged.estimate.is_some());
            assert!(judged.best.is_some() || judged.assessment.value() == Some(Value::Loss));
        }
    }

    #[test]
    fn a_stopped_review_keeps_what_it_has() {
        let game = Game::new(RuleSet::STANDARD, Board::telo().start());
        let known = Knowledge::of_rules(Board::telo(), RuleSet::STANDARD);
        let mut judge =
            Judge::new(&known, means(Time::Each(Duration::from_secs(9)))).expect("memory");
        let judged = judge.game(&game, &AtomicBool::new(true), |_, _| panic!("nothing is judged"));
        assert!(judged.expect("it is no error").iter().all(Option::is_none));
    }

    #[test]
    fn the_share_counts_the_turns_that_keep_the_value() {
        let position: Position = "5/5/1W1B1/5/5 w".parse().expect("a position");
        let known = Knowledge::of_rules(position.board(), RuleSet::STANDARD);
        let look = known.look(&position).expect("it is looked at");
        let [first, ..] = look.turns().expect("turns") else { panic!("no turn") };
        assert_eq!(first.assessment.value(), Some(Value::Win));
        let turn = |value| RankedTurn {
            assessment: Assessment::new(Bounds::exact(value), Source::Table),
            ..first.clone()
        };
        let unknown = RankedTurn { assessment: Assessment::UNKNOWN, ..first.clone() };
        assert_eq!(Share::new(look.assessment, &[turn(Value::Win), unknown]), None);
        let turns = [turn(Value::Win), turn(Value::Draw), turn(Value::Win), turn(Value::Loss)];
        let share = Share::new(look.assessment, &turns);
        assert_eq!(share, Some(Share { holding: 2, turns: 4 }));
        let lost = Assessment::new(Bounds::exact(Value::Loss), Source::Table);
        assert_eq!(Share::new(lost, &[turn(Value::Loss)]), None);
    }

    /// In open positions with a turn that is known to hold, the turn that is named holds, whatever the
    /// engine would play.
    #[test]
    fn a_turn_that_is_proved_stays_the_best() {
        let dir = fanorona_tests::directory().expect("a directory");
        let (board, rules) = (Board::tsivy(), RuleSet::FREE_CAPTURE);
        let never = AtomicBool::new(false);
        let options = BuildOptions::new(dir.path(), board, rules, 3).with_metric(Metric::Wdl);
        build(&options, &(), &never).expect("they can be built");
        let tables = Arc::new(Tables::open(dir.path(), board, rules).expect("they are there"));
        let known = Knowledge::new(board, rules, Some(tables), None).expect("one game");
        let means = Means { nodes: Some(1), ..means(Time::Each(Duration::from_millis(20))) };
        let mut judge = Judge::new(&known, means).expect("there is memory");
        let mut random = SplitMix64::new(1);
        let mut judged = 0;
        for _ in 0..2000 {
            let position = Slice::new(2, 2).random_position(board, Side::White, &mut random);
            let position = position.expect("it is on the board");
            let look = known.look(&position).expect("it is looked at");
            let Bounds { at_least, at_most } = look.assessment.bounds;
            if (at_least, at_most) != (Value::Draw, Value::Win) || look.turns().is_err() {
                continue;
            }
            let game = Game::new(rules, position);
            let found = judge.game(&game, &never, |_, _| {}).expect("it is judged").remove(0);
            let found = found.expect("nothing stopped it");
            if found.assessment.value().is_some() {
                continue;
            }
            judged += 1;
            let turns = look.turns().expect("they are listed");
            let best = turns.iter().find(|listed| Some(&listed.turn) == found.best.as_ref());
            let best = best.expect("it is one of them").assessment.bounds;
            assert_eq!(best.at_least, Value::Draw, "{position}");
            if judged == 20 {
                return;
            }
        }
        panic!("only {judged} positions are open");
    }

    /// What is left of the time is for the undecided positions that are left.
    #[test]
    fn the_time_left_is_divided() {
        let whole = Duration::from_secs(60);
        // Not begun yet, so none of it is gone.
        let began = Instant::now() + Duration::from_secs(3600);
        let mut pace = Pace { time: Time::Whole(whole), began, undecided: 4 };
        let times: Vec<_> = (0..6).map(|_| pace.next().as_secs()).collect();
        assert_eq!(times, [15, 20, 30, 60, 60, 60]);
        let mut pace = Pace { time: Time::Each(whole), began, undecided: 4 };
        assert!((0..6).all(|_| pace.next() == whole));
    }
}
