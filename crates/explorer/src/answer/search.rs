//! A proof search, reported while it runs.

use std::fs;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fanorona_core::{Position, RuleSet, Side, Turn, Value};
use fanorona_engine::inquiry::{
    Answer, End, Inquiry, Means, QuestionState, SearchReport, TurnState, searched_turns,
    with_search,
};
use fanorona_knowledge::{Assessment, Source, schema};
use fanorona_proof::{Bounds, Certificate, Question};
use serde::Serialize;
use utoipa::ToSchema;

use super::position::PositionAnswer;
use crate::library::OpenVariant;
use crate::problem::{Problem, ProblemKind};

/// The most turns in a report.
const MAX_REPORTED: usize = 20;

/// The largest certificate that is sent, in bytes. The one of the start of 9x5 has 5.8 MB.
const MAX_CERTIFICATE: u64 = 64 << 20;

/// Whether a side can force a win.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchQuestion {
    /// The side that tries to win.
    #[schema(value_type = schema::Side)]
    pub attacker: Side,
    /// Whether it can force a win. Left out if that is not proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub answer: Option<bool>,
    /// The proof number: an estimate of the work for a yes.
    pub proof: u32,
    /// The disproof number: the same for a no.
    pub disproof: u32,
}

/// A turn of the position that is searched.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SearchTurn {
    /// The turn.
    pub turn: String,
    /// The bounds that the search has proved of it.
    #[serde(flatten)]
    pub assessment: Assessment,
    /// The two questions of the position, asked after the turn.
    pub questions: Vec<SearchQuestion>,
    /// The positions that were searched below it.
    pub nodes: u64,
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SearchEnd {
    /// The value is known.
    Proved,
    /// The number of positions was reached.
    Nodes,
    /// The time was over.
    Time,
    /// The client or the server stopped it.
    Stopped,
}

/// How far a search has come: the events `progress` and `done`.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SearchProgress {
    /// The position.
    #[schema(value_type = String)]
    pub position: Position,
    /// The bounds that the search has proved so far.
    #[serde(flatten)]
    pub assessment: Assessment,
    /// The positions that were searched.
    pub nodes: u64,
    /// How many of them a table decided.
    pub table_hits: u64,
    /// The time taken, in seconds.
    pub seconds: f64,
    /// How full the memory is, from 0 to 1.
    pub memory_filled: f64,
    /// Can the side to move force a win, and can its opponent?
    pub questions: Vec<SearchQuestion>,
    /// The turns, best first, at most 20. Of several turns that lead to the same position up to
    /// symmetry, the first. Empty if tables hold the position.
    pub turns: Vec<SearchTurn>,
    /// The best turn, if one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub best: Option<String>,
    /// Best play, if the value is proved.
    pub line: Vec<String>,
    /// Why the search ended. Null while it runs.
    #[schema(required)]
    pub end: Option<SearchEnd>,
}

/// A certificate: the event `certificate`.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CertificateAnswer {
    /// A name for the file.
    pub file_name: String,
    /// Its size.
    pub bytes: u64,
    /// Its bytes, in base64.
    pub base64: String,
    /// The command that checks the file.
    pub check: String,
}

/// The limits of a search.
#[derive(Clone, Copy, Debug)]
pub struct SearchOrder {
    /// The longest time. The certificate may take as long again.
    pub time: Duration,
    /// The most positions.
    pub nodes: Option<u64>,
    /// The memory, in bytes.
    pub memory: usize,
    /// The threads.
    pub threads: usize,
    /// Whether to make a certificate.
    pub certificate: bool,
}

/// A message of a search.
#[derive(Clone, Debug)]
pub enum SearchEvent {
    /// It goes on.
    Progress(SearchProgress),
    /// It has proved something more: the position and its turns with all that is known now.
    Position(Box<PositionAnswer>),
    /// It has ended.
    Done(SearchProgress),
    /// The certificate of what was proved.
    Certificate(CertificateAnswer),
}

impl SearchOrder {
    /// Searches a position, and reports to `report`. It ends soon after `stop` is set.
    ///
    /// # Errors
    /// If a table is damaged, the memory cannot be had, or the certificate cannot be made.
    pub fn run(
        &self,
        open: &OpenVariant,
        position: &Position,
        stop: &AtomicBool,
        mut report: impl FnMut(SearchEvent),
    ) -> Result<(), Problem> {
        let variant = open.variant();
        // A certificate is to prove all by itself.
        let known = match self.certificate {
            true => open.knowledge().clone().without_book(),
            false => open.knowledge().clone(),
        };
        let means = Means {
            time: Some(self.time),
            nodes: self.nodes,
            memory: Some(self.memory),
            threads: self.threads,
            certify: self.certificate,
            ..Means::default()
        };
        let mut inquiry = Inquiry::new(&known, means);
        let before = open.knowledge().look(position)?;
        let mut shown = before.clone();
        let mut news = |now: &SearchReport| {
            let look = with_search(&before, now);
            let is_new = (look.assessment, &look.turns) != (shown.assessment, &shown.turns);
            shown.clone_from(&look);
            is_new.then(|| PositionAnswer::of_look(open, look).map(Box::new))
        };
        let answer = inquiry.ask(position, stop, |now| {
            // An error of a table will end the search too.
            news(now).into_iter().flatten().for_each(|found| report(SearchEvent::Position(found)));
            report(SearchEvent::Progress(SearchProgress::new(position, now)));
        })?;
        if let Some(found) = answer.search.as_ref().and_then(|analysis| news(&analysis.search)) {
            report(SearchEvent::Position(found?));
        }
        report(SearchEvent::Done(SearchProgress::of_end(&answer)));
        if !self.certificate || answer.end() == End::Stopped {
            return Ok(());
        }
        if cfg!(target_family = "wasm") {
            let message = "certificates are not written in a browser";
            let expected = "'fanorona analyze --certificate FILE' on a machine of your own";
            return Err(Problem::new(ProblemKind::NotOffered, message, expected));
        }
        let Some(maker) = inquiry.certify(&answer, stop, |_| {})? else { return Ok(()) };
        let written = |error: std::io::Error| {
            let message = format!("the certificate cannot be written: {}", error.kind());
            Problem::new(ProblemKind::Internal, message, "room for temporary files on the server")
        };
        let dir = tempfile::tempdir().map_err(written)?;
        let file_name = file_name(&variant.rules, position, answer.assessment().bounds);
        let path = dir.path().join(&file_name);
        let bytes = maker.write(&path, stop)?;
        if bytes > MAX_CERTIFICATE {
            let message = format!("the certificate has {bytes} bytes");
            let expected = "'fanorona analyze --certificate FILE' on a machine of your own";
            return Err(Problem::new(ProblemKind::TooLarge, message, expected));
        }
        let base64 = BASE64.encode(fs::read(&path).map_err(written)?);
        let mut check = format!("fanorona check {file_name}");
        if !Certificate::open(&path)?.tables().is_empty() {
            check += &format!(" {}", open.tables_option());
        }
        report(SearchEvent::Certificate(CertificateAnswer { file_name, bytes, base64, check }));
        Ok(())
    }
}

/// A name for a certificate that says what it proves: `5x5-standard-start-white-wins.proof`.
fn file_name(rules: &RuleSet, position: &Position, bounds: Bounds) -> String {
    let board = position.board();
    let place = match *position == board.start() {
        true => "start".to_owned(),
        false => position.to_string().replace('/', "_").replace(' ', "-"),
    };
    let side = position.to_move();
    let claim = match (bounds.at_least, bounds.at_most) {
        (Value::Win, _) => format!("{side}-wins"),
        (_, Value::Loss) => format!("{}-wins", side.other()),
        (Value::Draw, Value::Draw) => "draw".to_owned(),
        (Value::Draw, _) => format!("{side}-does-not-lose"),
        (..) => format!("{side}-does-not-win"),
    };
    format!("{board}-{rules}-{place}-{claim}.proof")
}

impl SearchQuestion {
    fn new(state: &QuestionState) -> Self {
        Self {
            attacker: state.question.attacker,
            answer: state.answer,
            proof: state.proof,
            disproof: state.disproof,
        }
    }
}

impl SearchProgress {
    fn new(position: &Position, now: &SearchReport) -> Self {
        let board = position.board();
        let turns = searched_turns(now);
        let best = turns.first().filter(|(_, found)| found.bounds.at_least > Value::Loss);
        let best = best.map(|(state, _)| state.turn.text(board).to_string());
        let turn = |(state, found): &(&TurnState, Assessment)| SearchTurn {
            assessment: *found,
            turn: state.turn.text(board).to_string(),
            questions: state.questions.iter().map(SearchQuestion::new).collect(),
            nodes: state.nodes.iter().sum(),
        };
        Self {
            position: *position,
            assessment: Assessment::new(now.bounds, Source::Search),
            nodes: now.nodes,
            table_hits: now.table_hits,
            seconds: now.elapsed.as_secs_f64(),
            memory_filled: now.memory_filled,
            questions: now.questions.iter().map(SearchQuestion::new).collect(),
            turns: turns.iter().take(MAX_REPORTED).map(turn).collect(),
            best,
            line: Vec::new(),
            end: None,
        }
    }

    fn of_end(answer: &Answer) -> Self {
        let position = &answer.look.position;
        let text = |turn: &Turn| turn.text(position.board()).to_string();
        let end = match answer.end() {
            End::Proved => SearchEnd::Proved,
            End::Nodes => SearchEnd::Nodes,
            End::Time => SearchEnd::Time,
            // `End` is non-exhaustive.
            _ => SearchEnd::Stopped,
        };
        let now = answer.search.as_ref().map(|analysis| Self::new(position, &analysis.search));
        Self {
            assessment: answer.assessment(),
            best: answer.best.as_ref().map(text),
            line: answer.line.line.iter().map(|turn| text(&turn.turn)).collect(),
            end: Some(end),
            ..now.unwrap_or_else(|| Self::unsearched(answer))
        }
    }

    /// No search: the sources have the value.
    fn unsearched(answer: &Answer) -> Self {
        let (position, assessment) = (answer.look.position, answer.assessment());
        let question = |question: Question| SearchQuestion {
            attacker: question.attacker,
            answer: question.answer(assessment.bounds, position.to_move()),
            proof: 1,
            disproof: 1,
        };
        Self {
            position,
            assessment,
            nodes: 0,
            table_hits: 0,
            seconds: answer.elapsed.as_secs_f64(),
            memory_filled: 0.0,
            questions: Question::both(position.to_move()).map(question).into(),
            turns: Vec::new(),
            best: None,
            line: Vec::new(),
            end: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::Board;

    use super::*;

    #[test]
    fn a_certificate_has_a_telling_name() {
        let (start, rules) = (Board::dimy().start(), RuleSet::STANDARD);
        let exact = Bounds::exact;
        let name = |position: &Position, bounds| file_name(&rules, position, bounds);
        assert_eq!(name(&start, exact(Value::Win)), "5x5-standard-start-white-wins.proof");
        assert_eq!(name(&start, exact(Value::Draw)), "5x5-standard-start-draw.proof");
        let least = Bounds { at_least: Value::Draw, at_most: Value::Win };
        assert_eq!(name(&start, least), "5x5-standard-start-white-does-not-lose.proof");
        let other: Position = "W4/5/2B2/5/5 b".parse().expect("a position");
        let expected = "5x5-standard-W4_5_2B2_5_5-b-white-wins.proof";
        assert_eq!(name(&other, exact(Value::Loss)), expected);
        let most = Bounds { at_least: Value::Loss, at_most: Value::Draw };
        assert!(name(&other, most).ends_with("-b-black-does-not-win.proof"));
    }
}
