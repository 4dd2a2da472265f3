//! `analyze`: finds out whether a position is won, drawn or lost.

mod batch;
mod certificate;
mod known;
mod log;
mod questions;
mod report;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use fanorona_core::{Board, Position, RuleSet};
use fanorona_proof::CertificateError;
use fanorona_solver::{Analysis, End, Limits, NotSaved, SearchReport, Solver};
use fanorona_tablebase::Tables;
use indicatif::ProgressBar;

use self::known::{Known, Sources};
use self::log::Log;
use self::questions::show;
use self::report::Report;
use crate::destination::{Destination, output_beside};
use crate::failure::{Failure, describe};
use crate::interrupt;
use crate::lines::Lines;
use crate::options::{CommonOptions, PositionOptions, ReadOptions, Root, at_least, seconds};
use crate::output::{self, Output};
use crate::progress::spinner;

/// Find out whether a position is won, drawn or lost
#[derive(Debug, Args)]
#[command(after_help = "\
If the rules, the tables or the book have the value, they answer, and the turns are listed unless \
there are more than 20,000. Otherwise a proof search asks whether the side to move can force a win, \
and whether its opponent can. If neither can, the position is a draw. Without a proof the value is \
unknown, and the bounds that are proved are printed.

With --book, certificates of the same board and rule set answer every position in them, under every \
symmetry and with colours swapped. They are believed; check them with fanorona check. If they prove \
only a bound, the search looks for the rest, and --certificate writes what the search proves. \
Positions with few stones may need the tables that the certificates need.

If the search, the log or the certificate cannot be written at the end, the answer is printed \
anyway, and the exit status is 2.

Examples:
  fanorona analyze --board 3x3 --time 10 --certificate 3x3.cert
  fanorona analyze --board 3x3 --book 3x3.cert")]
pub(crate) struct Analyze {
    /// Stop the search after this time. The certificate may take as long again
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    time: f64,

    /// Stop the search after N positions
    #[arg(long, value_name = "N", value_parser = at_least(1u64))]
    nodes: Option<u64>,

    /// Memory of the search, in MiB. It needs 2 KiB more for each turn of the position, of which
    /// made-up ones can have hundreds of thousands
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = at_least(1usize))]
    memory: usize,

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
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "after", "resume", "certificate", "log"])]
    batch: Option<PathBuf>,

    /// Answer positions of these certificates from them, without a search
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "resume")]
    book: Vec<PathBuf>,

    #[command(flatten)]
    position: PositionOptions,

    #[command(flatten)]
    tables: ReadOptions,

    #[command(flatten)]
    common: CommonOptions,
}

impl Analyze {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let root = self.position.resolve()?;
        let tables = self.tables.open_if_there(root.board, root.rules)?.map(Arc::new);
        let sources = Sources::open(&self.book, &root, tables.clone())?;
        let tables = tables.as_deref();
        if let Some(file) = &self.batch {
            let lines = Lines::of_positions(file, root.board, root.rules)?;
            interrupt::install()?;
            let mut solver = self.solver(root.rules, root.board, tables)?;
            return batch::run(
                self.common.output(),
                lines,
                (&mut solver, &sources),
                &self.limits(),
            );
        }
        let output = self.check_files()?;
        let log = destination("the log", "--log", &self.log);
        let log = log.map(|log| Log::open(log, &root.position)).transpose()?;
        interrupt::install()?;
        let known = sources.ask(&root.position)?;
        if known.is_answer() && (self.certificate.is_none() || known.rests_on_book()) {
            let report = Report::known(known);
            output.text(report.describe(None));
            output.json(&report);
            if self.certificate.is_some() {
                output::message("note: no certificate was written: the book has the answer");
            }
            return Ok(());
        }
        self.one(&root, tables, (output, log), (&sources, known))
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

    fn limits(&self) -> Limits {
        let mut limits = Limits::default().with_threads(self.common.threads());
        limits.time = Some(Duration::from_secs_f64(self.time));
        limits.nodes = self.nodes;
        limits.resume.clone_from(&self.resume);
        limits
    }

    fn solver<'a>(
        &self,
        rules: RuleSet,
        board: Board,
        tables: Option<&'a Tables>,
    ) -> anyhow::Result<Solver<'a>> {
        Ok(Solver::new(rules, board, tables, self.memory.saturating_mul(1 << 20))?)
    }

    /// Analyzes one position. The answer is printed even if a file cannot be written.
    fn one(
        &self,
        root: &Root,
        tables: Option<&Tables>,
        (output, mut log): (Output, Option<Log<'_>>),
        (sources, known): (&Sources, Known),
    ) -> anyhow::Result<()> {
        let Root { board, rules, position } = root;
        let mut solver = self.solver(*rules, *board, tables)?;
        let bar = spinner("searching".to_owned());
        let mut warned = None;
        let stop = interrupt::flag();
        let analysis = solver.analyze_given(position, known.given(), &self.limits(), stop, |now| {
            show(&bar, now);
            warn(&bar, now, &mut warned);
            log.iter_mut().for_each(|log| log.report(now));
        });
        bar.finish_and_clear();
        let analysis = analysis?;
        let mut report = Report::searched(known, sources, &analysis)?;
        if let Some(failure) = &analysis.search.not_saved {
            report.not_kept.push(format!("the search was not saved: {failure}"));
        }
        if let Some(Err(error)) = log.map(|log| log.finish(&analysis)) {
            report.not_kept.push(describe(&error));
        }
        let certified = self.certify(position, &analysis, &mut solver, &mut report);

        output.text(report.describe(Some(&analysis)));
        if let Some(ways) = ways_to_settle(&analysis, tables) {
            output.text(ways);
        }
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

    /// Writes the certificate, if one was asked for, and records it or the error in the report.
    fn certify(
        &self,
        position: &Position,
        analysis: &Analysis,
        solver: &mut Solver<'_>,
        report: &mut Report,
    ) -> Option<Certified> {
        let file = destination("the certificate", "--certificate", &self.certificate)?;
        if analysis.end == End::Stopped {
            return Some(Certified::Interrupted);
        }
        Some(match certificate::write(solver, position, analysis.bounds(), &self.limits(), file) {
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
        let mut known = format!("the value is {}", report.assessment());
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

/// Tells how an open position may be settled; `None` if the search has no limit to raise.
fn ways_to_settle(analysis: &Analysis, tables: Option<&Tables>) -> Option<String> {
    /// The memory hardly fills further.
    const FULL: f64 = 0.9;
    let limit = match analysis.end {
        End::Time => "more time (--time)",
        End::Nodes => "more positions (--nodes)",
        _ => return None,
    };
    // A table that cannot be opened is no reason to lose the answer.
    let found = tables.and_then(|tables| tables.all().ok());
    let stones = found.iter().flatten().map(|table| table.metadata().slice.stones()).max();
    let tables = match stones {
        None => "endgame tables (fanorona build)".to_owned(),
        Some(stones) => format!("tables of more than {stones} stones (fanorona build)"),
    };
    let memory = match analysis.search.memory_filled {
        filled if filled < FULL => "",
        _ => ", more memory (--memory), which is full,",
    };
    Some(format!("\nWhat may settle it: {tables}{memory} or {limit}."))
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
