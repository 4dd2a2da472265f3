//! `analyze`: finds out whether a position is won, drawn or lost.

mod answer;
mod batch;
mod certificate;
mod game;
mod known;
mod line;
mod log;
mod next;
mod opinion;
mod questions;
mod report;
mod step;
pub(super) mod verdict;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use fanorona_core::Position;
use fanorona_engine::inquiry::Inquiry;
use fanorona_knowledge::Knowledge;
use fanorona_proof::CertificateError;
use fanorona_solver::{Analysis, DEFAULT_TIME, End, Limits, NotSaved, SearchReport};
use indicatif::ProgressBar;

use self::game::Order;
use self::known::{Certificates, Known, Sources};
use self::log::Log;
use self::next::Means;
use self::opinion::Adviser;
use self::questions::show;
use self::report::Report;
use crate::destination::{Destination, output_beside};
use crate::failure::{Failure, describe};
use crate::interrupt;
use crate::lines::Lines;
use crate::options::{CommonOptions, PositionOptions, ReadOptions, at_least, seconds};
use crate::output::{self, Output};
use crate::progress::spinner_within;

/// The memory in MiB of a search that is saved or recorded, if none is given: saving costs time.
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
symmetry and with colours swapped. They are believed; check them with fanorona check. If they prove \
only a bound, the search looks for the rest, and --certificate writes what the search proves. \
Positions with few stones may need the tables that the certificates need.

With --game, each turn of the games in files gets the value of the position after it. A turn that \
gives away a win or a draw is a mistake, and in a won position the turns are counted that it wins \
later than the best one. Positions are searched from the last one to the first, because what is \
proved later in a game helps before. A game that is not right is named with its line, the others are \
annotated all the same, and the exit status is 1.

If the search, the log or the certificate cannot be written at the end, the answer is printed \
anyway, and the exit status is 2.

Examples:
  fanorona analyze \"B3B/5/5/5/2W1W w\"
  fanorona analyze 5x5 --json
  fanorona analyze --board 3x3 --time 10 --certificate 3x3.cert
  fanorona analyze --board 3x3 --book 3x3.cert
  fanorona play --board 3x3 --side none --level 2 --save game.txt
  fanorona analyze --game game.txt --time 0.1 --output annotated.txt")]
pub(crate) struct Analyze {
    /// Stop the search after this time. The certificate may take as long again [default: 60; with
    /// --game 1 for each position]
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    time: Option<f64>,

    /// Stop the search after N positions
    #[arg(long, value_name = "N", value_parser = at_least(1u64))]
    nodes: Option<u64>,

    /// Memory of the search, in MiB. It needs 2 KiB more for each turn of the position, of which
    /// made-up ones can have hundreds of thousands [default: as much as helps, up to half of what is
    /// available; 256 with --resume or --log]
    #[arg(long, value_name = "MIB", value_parser = at_least(1usize))]
    memory: Option<usize>,

    /// Print all turns, and the proof numbers of the search
    #[arg(long)]
    verbose: bool,

    /// Write a certificate, which proves the value or its bounds, to this file (- for standard
    /// output)
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,

    /// Save the search in this file at its end, at Ctrl-C and every few minutes; resume it if the
    /// file exists. What it says is believed; a certificate is not
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    /// Append the progress of the search to this file (- for standard output): a line of JSON every
    /// minute and at the end
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// Read one position from each line of this file (- for standard input), or every position of the
    /// games in it, and analyze each within --time and --nodes; --json prints one object for each
    #[arg(long, value_name = "FILE", conflicts_with_all = ["text", "position", "after", "resume", "certificate", "log"])]
    batch: Option<PathBuf>,

    /// Annotate the turns of the games in these files, with their boards and rules
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["text", "position", "after", "resume",
        "certificate", "log", "batch", "book", "board", "rules", "no_turns", "direction", "victor",
        "victor_stones", "must_capture"])]
    game: Vec<PathBuf>,

    /// Write the annotated games to this file (- for standard output)
    #[arg(long, value_name = "FILE", requires = "game")]
    output: Option<PathBuf>,

    /// Answer positions of these certificates from them, without a search, instead of those of the starts
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "resume")]
    book: Vec<PathBuf>,

    /// Do not use the certificates of the starts. Without effect with --book; --certificate, --resume and --log do not use them either
    #[arg(long)]
    no_book: bool,

    #[command(flatten)]
    position: PositionOptions,

    #[command(flatten)]
    tables: ReadOptions,

    #[command(flatten)]
    common: CommonOptions,
}

impl Analyze {
    pub(crate) fn run(mut self) -> anyhow::Result<()> {
        self.position.take_back(&mut self.book);
        self.common.start_threads()?;
        if !self.game.is_empty() {
            return self.games();
        }
        let root = self.position.resolve()?;
        let tables = self.tables.open_if_there(root.board, root.rules)?.map(Arc::new);
        let sources = Sources::open(&self.certificates(), &root, tables)?;
        if let Some(file) = &self.batch {
            let lines = Lines::of_positions(file, root.board, root.rules)?;
            interrupt::install()?;
            let mut inquiry = self.inquiry(sources.knowledge())?;
            let mut adviser = Adviser::new(sources.knowledge(), self.common.threads());
            let searching = (&mut inquiry, &sources, &self.limits());
            return batch::run(self.common.output(), lines, searching, |report, analysis| {
                self.complete(report, (&sources, &mut adviser), analysis)
            });
        }
        let sources = sources.with_lines_to_the_end();
        let output = self.check_files()?;
        let log = destination("the log", "--log", &self.log);
        let log = log.map(|log| Log::open(log, &root.position)).transpose()?;
        interrupt::install()?;
        let known = sources.ask(&root.position)?;
        if known.is_answer() && (self.certificate.is_none() || known.rests_on_book()) {
            let mut report = Report::new(known, &sources)?;
            report.next = next::steps(&sources, self.tables.dir_to_build(), &report, None)?;
            output.text(answer::text(&report, self.verbose));
            output.json(&report);
            if self.certificate.is_some() {
                output::message("note: no certificate was written: the book has the answer");
            }
            return Ok(());
        }
        self.one((output, log), (&sources, known))
    }

    /// Annotates the games in files.
    fn games(&self) -> anyhow::Result<()> {
        game::run(&Order {
            files: &self.game,
            output: self.common.output(),
            annotated: destination("the annotated games", "--output", &self.output),
            tables: &self.tables,
            certificates: self.certificates(),
            seconds: self.time,
            nodes: self.nodes,
            memory: self.memory.map(|memory| memory.saturating_mul(1 << 20)),
            threads: self.common.threads(),
        })
    }

    /// The certificates to ask. A search that is to be recorded or certified finds all by itself,
    /// unless certificates are named.
    fn certificates(&self) -> Certificates<'_> {
        let is_recorded = self.certificate.is_some() || self.resume.is_some() || self.log.is_some();
        match &self.book[..] {
            [] if self.no_book || is_recorded => Certificates::None,
            [] => Certificates::OfStart,
            files => Certificates::Files(files),
        }
    }

    /// Refuses files that cannot be written, before a long search. Returns where to print.
    fn check_files(&self) -> anyhow::Result<Output> {
        let search = destination("the search", "--resume", &self.resume);
        if search.is_some_and(|search| search.is_standard_output()) {
            return Err(Failure::input("--resume needs a file: the search is read from it again"));
        }
        let certificate = destination("the certificate", "--certificate", &self.certificate);
        let log = destination("the log", "--log", &self.log);
        let files: Vec<_> = [search, certificate, log].into_iter().flatten().collect();
        let output = output_beside(self.common.output(), &files)?;
        // The log is appended to, not replaced. Opening it shows whether it can be written.
        [search, certificate].iter().flatten().try_for_each(Destination::check)?;
        Ok(output)
    }

    fn seconds(&self) -> f64 {
        self.time.unwrap_or(DEFAULT_TIME.as_secs_f64())
    }

    fn limits(&self) -> Limits {
        let mut limits = Limits::default().with_threads(self.common.threads());
        limits.time = Some(Duration::from_secs_f64(self.seconds()));
        limits.nodes = self.nodes;
        limits.resume.clone_from(&self.resume);
        limits
    }

    fn inquiry<'a>(&self, known: &'a Knowledge) -> anyhow::Result<Inquiry<'a>> {
        let is_recorded = self.resume.is_some() || self.log.is_some();
        let memory = self.memory.or(is_recorded.then_some(MEMORY_OF_SAVED));
        let memory = memory.map(|memory| memory.saturating_mul(1 << 20));
        Ok(Inquiry::new(known, memory)?)
    }

    /// Analyzes one position. The answer is printed even if a file cannot be written.
    fn one(
        &self,
        (output, mut log): (Output, Option<Log<'_>>),
        (sources, mut known): (&Sources, Known),
    ) -> anyhow::Result<()> {
        let mut inquiry = self.inquiry(sources.knowledge())?;
        let bar = spinner_within("searching".to_owned(), Some(self.seconds()));
        let mut warned = None;
        let searched = inquiry.search(known.answer, &self.limits(), interrupt::flag(), |now| {
            show(&bar, now, self.verbose);
            warn(&bar, now, &mut warned);
            log.iter_mut().for_each(|log| log.report(now));
        });
        known.answer = searched?;
        let analysis = known.answer.search.clone().expect("there was a search");
        let mut report = Report::new(known, sources)?;
        bar.set_message("asking the engine");
        let mut adviser = Adviser::new(sources.knowledge(), self.common.threads());
        self.complete(&mut report, (sources, &mut adviser), Some(&analysis))?;
        bar.finish_and_clear();
        if let Some(failure) = &analysis.search.not_saved {
            report.not_kept.push(format!("the search was not saved: {failure}"));
        }
        if let Some(Err(error)) = log.map(|log| log.finish(&analysis)) {
            report.not_kept.push(describe(&error));
        }
        let certified =
            self.certify(&report.root.position.clone(), &analysis, &mut inquiry, &mut report);

        output.text(answer::text(&report, self.verbose));
        match (&certified, &report.certificate) {
            (_, Some(written)) => output.text(written),
            (Some(Certified::NothingProved), _) => {
                output.text("no certificate: nothing is proved");
            }
            _ => {}
        }
        output.json(&report);
        self.finish(&analysis, certified, &report)
    }

    /// Adds the engine's view to a report that a search has left open, and the steps that would tell
    /// more.
    fn complete(
        &self,
        report: &mut Report,
        (sources, adviser): (&Sources, &mut Adviser),
        search: Option<&Analysis>,
    ) -> anyhow::Result<()> {
        let is_asked =
            |search: &&Analysis| search.end != End::Stopped && self.certificate.is_none();
        if let Some(search) = search.filter(is_asked)
            && report.assessment.value().is_none()
        {
            let found = adviser.ask(&report.root.position, search.search.elapsed / 10)?;
            // What the engine proves depends on the time. The answers of a batch do not.
            if self.batch.is_none() || found.score.value().is_none() {
                report.add_opinion(&found);
            }
        }
        let means = Means { time: self.seconds(), memory: self.memory };
        let search = search.map(|search| (search, means));
        report.next = next::steps(sources, self.tables.dir_to_build(), report, search)?;
        Ok(())
    }

    /// Writes the certificate, if one was asked for, and records it or the error in the report.
    fn certify(
        &self,
        position: &Position,
        analysis: &Analysis,
        inquiry: &mut Inquiry<'_>,
        report: &mut Report,
    ) -> Option<Certified> {
        let file = destination("the certificate", "--certificate", &self.certificate)?;
        if analysis.end == End::Stopped {
            return Some(Certified::Interrupted);
        }
        let (solver, bounds) = (inquiry.solver(), analysis.bounds());
        Some(match certificate::write(solver, position, bounds, &self.limits(), file) {
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

    fn finish(
        &self,
        analysis: &Analysis,
        certified: Option<Certified>,
        report: &Report,
    ) -> anyhow::Result<()> {
        let is_certificate_missing = certified == Some(Certified::Interrupted);
        if analysis.end != End::Stopped && !is_certificate_missing {
            return match &report.not_kept[..] {
                [] => Ok(()),
                not_kept => Err(Failure::NotKept(not_kept.join("; ")).into()),
            };
        }
        let mut known = format!("the value is {}", report.assessment);
        if let Some(file) = self.resume.as_deref().filter(|_| analysis.search.not_saved.is_none()) {
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

fn destination<'a>(
    what: &'static str,
    option: &'static str,
    path: &'a Option<PathBuf>,
) -> Option<Destination<'a>> {
    Some(Destination { what, option, path: path.as_deref()? })
}

/// The outcome of writing a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Certified {
    /// It was written, or the report says why not.
    Done,
    /// Nothing is proved, so there is nothing to write.
    NothingProved,
    /// Ctrl-C.
    Interrupted,
}

/// Warns that the search could not be saved, once for each failure.
fn warn(bar: &ProgressBar, now: &SearchReport, warned: &mut Option<NotSaved>) {
    if now.not_saved != *warned {
        warned.clone_from(&now.not_saved);
        if let Some(failure) = warned {
            let warning = format!("warning: the search continues, but was not saved: {failure}");
            bar.suspend(|| output::message(warning));
        }
    }
}
