//! Asking about all positions of a game.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fanorona_core::{Turn, Value};
use fanorona_knowledge::{Assessment, KnowledgeError, Source};
use fanorona_proof::Bounds;
use web_time::Instant;

use super::answer::Answer;
use super::asking::Inquiry;
use crate::error::EngineError;
use crate::game::Game;

/// The time for a game, of search and engine together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Time {
    /// For each position that rules, tables and certificates do not decide.
    Each(Duration),
    /// For all of these together.
    Whole(Duration),
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

impl Inquiry<'_> {
    /// Asks about all positions of a game, the start first. They are searched from the last one to the
    /// first: what is proved of later ones helps with earlier ones. `report` gets all answers so far with
    /// the index of the newest. Those that are left when `stop` is set are `None`. Answers have no line
    /// of sources and no help.
    ///
    /// # Errors
    /// If a table or a certificate cannot be used, or memory is lacking.
    pub fn game(
        &mut self,
        game: &Game,
        time: Time,
        stop: &AtomicBool,
        mut report: impl FnMut(usize, &[Option<Answer>]),
    ) -> Result<Vec<Option<Answer>>, EngineError> {
        let began = Instant::now();
        let positions: Vec<_> = game.earlier().iter().chain([game.position()]).collect();
        let mut answers: Vec<Option<Answer>> = vec![None; positions.len()];
        let mut of_sources = Vec::with_capacity(positions.len());
        for position in &positions {
            match Answer::of_sources(self.known, position) {
                Err(EngineError::Knowledge(KnowledgeError::Stopped)) => return Ok(answers),
                answer => of_sources.push(answer?),
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(answers);
            }
        }
        let undecided = of_sources.iter().filter(|answer| !answer.is_proved()).count();
        let mut pace =
            Pace { time, began, undecided: u32::try_from(undecided).unwrap_or(u32::MAX) };
        while let Some(mut answer) = of_sources.pop() {
            let i = of_sources.len();
            let after = answers.get(i + 1).and_then(Option::as_ref);
            let played = game.turns().get(i).zip(after);
            let played =
                played.map(|(turn, after)| (turn.clone(), after.assessment().before_turn()));
            let time = if answer.is_proved() { Duration::ZERO } else { pace.next() };
            match self.go_on(&mut answer, played, time, stop) {
                Err(EngineError::Knowledge(KnowledgeError::Stopped)) => break,
                done => done?,
            }
            if stop.load(Ordering::Relaxed) {
                break;
            }
            answers[i] = Some(answer);
            report(i, &answers);
        }
        Ok(answers)
    }

    /// Asks search and engine about a position of a game; `played` is the turn that was played there,
    /// with what is known of it.
    fn go_on(
        &mut self,
        answer: &mut Answer,
        played: Option<(Turn, Assessment)>,
        time: Duration,
        stop: &AtomicBool,
    ) -> Result<(), EngineError> {
        if let Some((turn, found)) = played {
            // The position is worth at least what the turn is worth.
            let at_least = Bounds { at_least: found.bounds.at_least, ..Bounds::UNKNOWN };
            let by_turn = Assessment::new(at_least, found.source.unwrap_or(Source::Search));
            // A turn that is only known to lose is none to advise.
            let best = Some(&turn).filter(|_| at_least.at_least > Value::Loss);
            answer.learn(answer.look.clone().narrowed_by(by_turn, &[(turn.clone(), found)]), best);
        }
        if answer.is_proved() {
            return Ok(());
        }
        let limits = self.means.clone().within(time).limits();
        let given = answer.assessment().bounds;
        self.search(answer, given, &limits, stop, |_| {})?;
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.opinion(answer, stop)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fanorona_builder::{BuildOptions, build};
    use fanorona_core::{Board, Position, RuleSet, Side, SplitMix64};
    use fanorona_knowledge::{Knowledge, RankedTurn};
    use fanorona_solver::DEFAULT_MEMORY;
    use fanorona_tablebase::{Metric, Slice, Tables};

    use super::*;
    use crate::inquiry::{Means, Opinion, Share};

    fn means() -> Means {
        let (memory, opinion) = (Some(DEFAULT_MEMORY / 16), Opinion::Proof);
        Means { threads: 1, memory, opinion, ..Means::default() }
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
        let mut inquiry = Inquiry::new(&known, means());
        let mut order = Vec::new();
        let (time, never) = (Time::Whole(whole), AtomicBool::new(false));
        let judged = inquiry.game(&game, time, &never, |i, _| order.push(i));
        let judged = judged.expect("it is judged");
        // With that time for each position it would be twice this, on a busy machine too.
        let each = whole * (game.turns().len() + 1) as u32;
        assert!(began.elapsed() < each / 2, "{:?}", began.elapsed());
        assert!(order.iter().rev().copied().eq(0..=game.turns().len()));
        for judged in judged {
            let judged = judged.expect("nothing stopped it");
            assert_ne!(judged.assessment().value().is_some(), judged.estimate.is_some());
            assert!(judged.advised().is_some() || judged.assessment().value() == Some(Value::Loss));
        }
    }

    #[test]
    fn a_stopped_review_keeps_what_it_has() {
        let game = Game::new(RuleSet::STANDARD, Board::telo().start());
        let known = Knowledge::of_rules(Board::telo(), RuleSet::STANDARD);
        let mut inquiry = Inquiry::new(&known, means());
        let (time, stop) = (Time::Each(Duration::from_secs(9)), AtomicBool::new(true));
        let judged = inquiry.game(&game, time, &stop, |_, _| panic!("nothing is judged"));
        assert!(judged.expect("it is no error").iter().all(Option::is_none));
    }

    #[test]
    fn the_share_counts_the_turns_that_keep_the_value() {
        let position: Position = "5/5/1W1B1/5/5 w".parse().expect("a position");
        let known = Knowledge::of_rules(position.board(), RuleSet::STANDARD);
        let answer = Answer::of_sources(&known, &position).expect("it is looked at");
        let [first, ..] = answer.look.turns().expect("turns") else { panic!("no turn") };
        assert_eq!(first.assessment.value(), Some(Value::Win));
        let turn = |value| RankedTurn {
            assessment: Assessment::new(Bounds::exact(value), Source::Table),
            ..first.clone()
        };
        let unknown = RankedTurn { assessment: Assessment::UNKNOWN, ..first.clone() };
        let share = |assessment, turns: &[RankedTurn]| {
            let mut answer = answer.clone();
            (answer.look.assessment, answer.look.turns) = (assessment, Some(turns.to_vec()));
            answer.share()
        };
        let won = answer.assessment();
        assert_eq!(share(won, &[turn(Value::Win), unknown]), None);
        let turns = [turn(Value::Win), turn(Value::Draw), turn(Value::Win), turn(Value::Loss)];
        assert_eq!(share(won, &turns), Some(Share { holding: 2, turns: 4 }));
        let lost = Assessment::new(Bounds::exact(Value::Loss), Source::Table);
        assert_eq!(share(lost, &[turn(Value::Loss)]), None);
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
        let means = Means { nodes: Some(1), ..means() };
        let time = Time::Each(Duration::from_millis(20));
        let mut inquiry = Inquiry::new(&known, means);
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
            let found = inquiry.game(&game, time, &never, |_, _| {});
            let found = found.expect("it is judged").remove(0);
            let found = found.expect("nothing stopped it");
            if found.assessment().value().is_some() {
                continue;
            }
            judged += 1;
            let turns = look.turns().expect("they are listed");
            let best = turns.iter().find(|listed| Some(&listed.turn) == found.advised());
            let best = best.expect("it is one of them").assessment.bounds;
            assert_eq!(best.at_least, Value::Draw, "{position}");
            if judged == 20 {
                return;
            }
        }
        panic!("only {judged} positions are open");
    }

    /// The time left is for the undecided positions that are left.
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
