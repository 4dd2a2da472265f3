//! `analyze`: finds out whether a position is won, drawn or lost.

mod answer;
mod batch;
mod certificate;
mod game;
mod help;
mod line;
mod sources;
pub(super) mod verdict;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use fanorona_core::Position;
use fanorona_engine::inquiry::{
    Answer, DEFAULT_TIME, End, Inquiry, Means, Opinion, QuestionState, SearchReport,
};
use fanorona_proof::CertificateError;
use indicatif::ProgressBar;
use serde::Serialize;

use self::certificate::Written;
use self::game::Order;
use self::sources::Sources;
use crate::destination::{Destination, output_beside};
use crate::failure::{Failure, describe};
use crate::human::{name, rounded};
use crate::interrupt;
use crate::lines::Lines;
use crate::options::{
    BookOptions, Certificates, CommonOptions, PositionOptions, TableOptions, at_least, seconds,
};
use crate::output::{self, Output};
use crate::progress::spinner_within;

/// The time for a position of a game in seconds, if none is given.
const TIME_IN_GAMES: f64 = 1.0;

/// The longest search for the end of a line, where tables have no distances.
const LINE_TIME: Duration = Duration::from_secs(3);

/// The memory in MiB of a search that is saved, if none is given: saving costs time.
const MEMORY_OF_SAVED: usize = 256;

/// Is a position won, drawn or lost? Also the turns of a whole game
#[derive(Debug, Args)]
#[command(after_help = "\
If the rules, the tables or a certificate have the value, they answer. The certificates of the starts \
of many boards, and of first turns, are a part of this program; others are found as BOARD-RULES.proof and \
BOARD-RULES-TURN.proof in proofs beside the program, and in fanorona/proofs of the data directories, as \
~/.local/share. Otherwise a proof search asks whether the side to move can \
force a win, and whether its opponent can. If neither can, the position is a draw. Without a proof, \
the answer says what is proved, what the engine estimates, and what would help.

With --book, certificates of the same board and rule set answer every position in them, under every \
symmetry and with colours swapped. They are trusted; check them with fanorona check. If they prove \
only a bound, the search looks for the rest, and --certificate writes what the search proves. \
Positions with few stones may need the tables that the certificates need. --certificate uses no \
built-in certificates. With --resume, the search saves itself at its end, at Ctrl-C and every few \
minutes.

With --game, each turn of the games in files gets the value of the position after it. A turn that \
gives away a win or a draw is a mistake, and in a won position the turns are counted that it wins \
later than the best one. Positions are searched from the last one to the first, because what is \
proved later in a game helps before. A game that is not right is named with its line, the others are \
annotated all the same, and the exit status is 1.

If the search or the certificate cannot be written at the end, the answer is printed \
anyway, and the exit status is 2.

Examples:
  fanorona analyze \"B3B/5/5/5/2W1W w\"
  fanorona analyze 5x5 --json
  fanorona analyze --board 3x3 --time 10 --certificate 3x3.cert
  fanorona analyze --board 3x3 --book 3x3.cert
  fanorona play --board 3x3 --side none --level 2 --save game.txt
  fanorona analyze --game game.txt --time 0.1 --output annotated.txt")]
pub(crate) struct Analyze {
    /// Time for each search or turn [default: 60s; with --game 1s]
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    time: Option<f64>,

    /// Positions to search at most
    #[arg(long, value_name = "N", value_parser = at_least(1u64))]
    nodes: Option<u64>,

    /// Memory limit, in MiB [default: half of the available memory; with --resume 256]
    #[arg(long, value_name = "MIB", value_parser = at_least(1usize))]
    memory: Option<usize>,

    /// Write the proof of the value, a certificate, to this file (- for standard output)
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,

    /// Save the search in this file, and resume it if the file exists. The file is trusted
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    /// Read positions from this file, one a line, or games (- for standard input)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["text", "after", "resume", "certificate"])]
    batch: Option<PathBuf>,

    /// Annotate the turns of the games in these files, with their boards and rules
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["text", "after", "resume",
        "certificate", "batch", "board", "rules"])]
    game: Vec<PathBuf>,

    /// Write the result to this file (- for standard output)
    #[arg(long, value_name = "FILE", requires = "game")]
    output: Option<PathBuf>,

    #[command(flatten)]
    book: BookOptions,

    #[command(flatten)]
    position: PositionOptions,

    #[command(flatten)]
    tables: TableOptions,

    #[command(flatten)]
    common: CommonOptions,
}

impl Analyze {
    pub(crate) fn run(mut self) -> anyhow::Result<()> {
        self.position.take_back(&mut self.book.book);
        self.common.start_threads()?;
        if !self.game.is_empty() {
            return self.games();
        }
        let root = self.position.resolve()?;
        let tables = self.tables.open_if_there(root.board, root.rules)?.map(Arc::new);
        let sources = Sources::open(self.certificates(), (root.board, root.rules), tables)?;
        let dir = self.tables.dir_to_build();
        if let Some(file) = &self.batch {
            let lines = Lines::of_positions(file, root.board, root.rules)?;
            interrupt::install()?;
            // What the engine proves depends on the time. The answers of a batch do not.
            let means = Means { opinion: Opinion::Estimate, ..self.means() };
            let mut inquiry = Inquiry::new(&sources.knowledge, means);
            return batch::run(self.common.output(), lines, &mut inquiry, dir);
        }
        let output = self.check_files()?;
        interrupt::install()?;
        self.one(output, &sources, &root.position)
    }

    /// Annotates the games in files.
    fn games(&self) -> anyhow::Result<()> {
        let time = Duration::from_secs_f64(self.time.unwrap_or(TIME_IN_GAMES));
        game::run(&Order {
            files: &self.game,
            output: self.common.output(),
            annotated: Destination::of("the annotated games", "--output", &self.output),
            tables: &self.tables,
            certificates: self.certificates(),
            means: Means { time: Some(time), build_in: None, ..self.means() },
        })
    }

    /// The certificates to ask. A search that is to be certified finds all by itself, unless
    /// certificates are named.
    fn certificates(&self) -> Certificates<'_> {
        match self.book.certificates() {
            Certificates::OfStart if self.certificate.is_some() => Certificates::None,
            certificates => certificates,
        }
    }

    /// Refuses files that cannot be written, before a long search. Returns where to print.
    fn check_files(&self) -> anyhow::Result<Output> {
        let search = Destination::of("the search", "--resume", &self.resume);
        if search.is_some_and(|search| search.is_standard_output()) {
            return Err(Failure::input("--resume needs a file: the search is read from it again"));
        }
        let certificate = Destination::of("the certificate", "--certificate", &self.certificate);
        let files: Vec<_> = [search, certificate].into_iter().flatten().collect();
        let output = output_beside(self.common.output(), &files)?;
        files.iter().try_for_each(Destination::check)?;
        Ok(output)
    }

    fn means(&self) -> Means {
        let memory = self.memory.or(self.resume.is_some().then_some(MEMORY_OF_SAVED));
        Means {
            time: Some(self.time.map_or(DEFAULT_TIME, Duration::from_secs_f64)),
            nodes: self.nodes,
            memory: memory.map(|memory| memory.saturating_mul(1 << 20)),
            threads: self.common.threads,
            resume: self.resume.clone(),
            opinion: Opinion::Proof,
            line_time: Duration::ZERO,
            certify: self.certificate.is_some(),
            build_in: Some(self.tables.dir_to_build().to_owned()),
        }
    }

    /// Analyzes one position. The answer is printed even if a file cannot be written.
    fn one(&self, output: Output, sources: &Sources, position: &Position) -> anyhow::Result<()> {
        let means = Means { line_time: LINE_TIME, ..self.means() };
        let most = means.time.map(|time| time.as_secs_f64());
        let mut inquiry = Inquiry::new(&sources.knowledge, means);
        // Most answers take no search.
        let (mut bar, mut warned) = (None, None);
        let answer = inquiry.ask(position, interrupt::flag(), |now| {
            let bar = bar.get_or_insert_with(|| spinner_within("searching".to_owned(), most));
            show(bar, now);
            warn(bar, now, &mut warned);
        })?;
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        let mut report = Report { answer, certificate: None, not_kept: Vec::new() };
        let not_saved =
            report.answer.search.as_ref().and_then(|found| found.search.not_saved.as_ref());
        report.not_kept.extend(not_saved.map(|why| format!("the search was not saved: {why}")));
        let certified = self.certify(&mut inquiry, &mut report);

        let dir = self.tables.dir_to_build();
        output.text(answer::text(&report.answer, sources, dir));
        if let Some(written) = &report.certificate {
            output.text(written);
        }
        match certified {
            Some(Certified::NothingProved) => output.text("no certificate: nothing is proved"),
            Some(Certified::ByBook) => {
                output::message("note: no certificate was written: the book has the answer");
            }
            _ => {}
        }
        output.json(&report);
        self.finish(certified, &report)
    }

    /// Writes the certificate, if one was asked for, and records it or the error in the report.
    fn certify(&self, inquiry: &mut Inquiry<'_>, report: &mut Report) -> Option<Certified> {
        let file = Destination::of("the certificate", "--certificate", &self.certificate)?;
        if report.answer.search.is_none() {
            return Some(Certified::ByBook);
        }
        if report.answer.end() == End::Stopped {
            return Some(Certified::Interrupted);
        }
        Some(match certificate::write(inquiry, &report.answer, file) {
            Ok(None) => Certified::NothingProved,
            Ok(written) => {
                report.certificate = written;
                Certified::Done
            }
            Err(CertificateError::Stopped) => Certified::Interrupted,
            Err(error) => {
                let why = describe(&error.into());
                report.not_kept.push(format!("no certificate was written: {why}"));
                Certified::Done
            }
        })
    }

    fn finish(&self, certified: Option<Certified>, report: &Report) -> anyhow::Result<()> {
        let answer = &report.answer;
        let is_certificate_missing = certified == Some(Certified::Interrupted);
        if answer.end() != End::Stopped && !is_certificate_missing {
            return match &report.not_kept[..] {
                [] => Ok(()),
                not_kept => Err(Failure::NotKept(not_kept.join("; ")).into()),
            };
        }
        let mut known = format!("the value is {}", answer.assessment());
        let is_saved = answer.search.as_ref().is_some_and(|found| found.search.not_saved.is_none());
        if let Some(file) = self.resume.as_deref().filter(|_| is_saved) {
            known += &format!("; the search is saved in {}", file.display());
        }
        if is_certificate_missing {
            known += "; no certificate was written";
        }
        for failure in &report.not_kept {
            known += &format!("; {failure}");
        }
        Err(Failure::Interrupted(known).into())
    }
}

/// The question and its answer in words.
fn in_full(state: &QuestionState) -> String {
    let answer = match state.answer {
        Some(true) => "yes",
        Some(false) => "no",
        None => "open",
    };
    format!("Can {} win? {answer}.", name(state.question.attacker))
}

/// Shows how far a search is.
fn show(bar: &ProgressBar, now: &SearchReport) {
    let [own, other] = now.questions.each_ref().map(in_full);
    bar.set_message(format!("{own} {other} {} positions", rounded(now.nodes)));
}

/// Warns that the search could not be saved, once for each failure.
fn warn(bar: &ProgressBar, now: &SearchReport, warned: &mut Option<String>) {
    if now.not_saved != *warned {
        warned.clone_from(&now.not_saved);
        if let Some(failure) = warned {
            let warning = format!("warning: the search continues, but was not saved: {failure}");
            bar.suspend(|| output::message(warning));
        }
    }
}

/// An answer, and what became of the files.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    answer: Answer,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Written>,
    /// Messages about what could not be written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_kept: Vec<String>,
}

/// The outcome of writing a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Certified {
    /// It was written, or the report says why not.
    Done,
    /// Nothing is proved, so there is nothing to write.
    NothingProved,
    /// Certificates have the answer, so nothing was searched.
    ByBook,
    /// Ctrl-C.
    Interrupted,
}
