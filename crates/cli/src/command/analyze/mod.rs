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
use fanorona_core::{Board, RuleSet};
use fanorona_proof::CertificateError;
use fanorona_solver::{Analysis, End, Limits, NotSaved, SearchReport, Solver};
use fanorona_tablebase::Tables;
use indicatif::ProgressBar;

use self::certificate::Order;
use self::known::{Known, Sources};
use self::log::Log;
use self::questions::show;
use self::report::Report;
use crate::destination::{Destination, check_distinct};
use crate::failure::{Failure, describe};
use crate::interrupt;
use crate::lines::Lines;
use crate::options::{CommonOptions, PositionOptions, ReadOptions, Root, at_least, seconds};
use crate::output;
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
    /// Stop the search after this time
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    time: f64,

    /// Stop the search after N positions
    #[arg(long, value_name = "N", value_parser = at_least(1u64))]
    nodes: Option<u64>,

    /// Memory of the search, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = at_least(1usize))]
    memory: usize,

    /// Write a certificate, which proves the value or its bounds, to this file
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,

    /// Save the search in this file at its end, at Ctrl-C and every few minutes; resume it if the
    /// file exists
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    /// Append the progress of the search to this file: a line of JSON every minute and at the end
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// Read one position from each line of this file (- for standard input), and analyze each within
    /// --time and --nodes; --json prints one object for each line
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
            let lines = Lines::open(file)?;
            interrupt::install()?;
            let mut solver = self.solver(root.rules, root.board, tables)?;
            return batch::run(
                self.common.output(),
                lines,
                (&mut solver, &sources),
                &self.limits(),
            );
        }
        self.check_files()?;
        let log = self.log.as_deref().map(|path| Log::open(path, &root.position)).transpose()?;
        interrupt::install()?;
        let known = sources.ask(&root.position)?;
        if known.is_answer() && (self.certificate.is_none() || known.rests_on_book()) {
            let output = self.common.output();
            let report = Report::known(known);
            output.text(report.describe(None));
            output.json(&report);
            if self.certificate.is_some() {
                output::message("note: no certificate was written: the book has the answer");
            }
            return Ok(());
        }
        self.one(&root, tables, log, (&sources, known))
    }

    /// Refuses files that cannot be written, before a long search.
    fn check_files(&self) -> anyhow::Result<()> {
        let files = [
            ("the search", "--resume", &self.resume),
            ("the certificate", "--certificate", &self.certificate),
            ("the log", "--log", &self.log),
        ];
        let files: Vec<_> = files
            .into_iter()
            .filter_map(|(what, option, path)| {
                Some(Destination { what, option, path: path.as_deref()? })
            })
            .collect();
        check_distinct(&files)?;
        // The log is appended to, not replaced. Opening it shows whether it can be written.
        let replaced = files.iter().filter(|file| file.option != "--log");
        replaced.into_iter().try_for_each(Destination::check)
    }

    fn limits(&self) -> Limits {
        let mut limits = Limits::default().with_threads(self.common.threads());
        limits.time = Some(Duration::from_secs_f64(self.time));
        limits.nodes = self.nodes;
        limits.resume.clone_from(&self.resume);
        limits
    }

    /// The memory of the search, in bytes.
    fn memory(&self) -> usize {
        self.memory.saturating_mul(1 << 20)
    }

    fn solver<'a>(
        &self,
        rules: RuleSet,
        board: Board,
        tables: Option<&'a Tables>,
    ) -> anyhow::Result<Solver<'a>> {
        Ok(Solver::new(rules, board, tables, self.memory())?)
    }

    /// Analyzes one position. The answer is printed even if a file cannot be written.
    fn one(
        &self,
        root: &Root,
        tables: Option<&Tables>,
        mut log: Option<Log<'_>>,
        (sources, known): (&Sources, Known),
    ) -> anyhow::Result<()> {
        let output = self.common.output();
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
        let certified = self.certify(root, tables, &analysis, &mut solver, &mut report);

        output.text(report.describe(Some(&analysis)));
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
        Root { rules, position, .. }: &Root,
        tables: Option<&Tables>,
        analysis: &Analysis,
        solver: &mut Solver<'_>,
        report: &mut Report,
    ) -> Option<Certified> {
        let path = self.certificate.as_deref()?;
        if analysis.end == End::Stopped {
            return Some(Certified::Interrupted);
        }
        let (bounds, memory) = (analysis.bounds(), self.memory());
        let order = Order { path, rules, position, bounds, tables, memory };
        // Without limits: what was proved can be proved again.
        let limits = Limits::default().with_threads(self.common.threads());
        Some(match order.write(solver, &limits) {
            Ok(None) => Certified::NothingProved,
            Ok(written) => {
                report.certificate = written;
                Certified::Done
            }
            Err(CertificateError::Stopped) => Certified::Interrupted,
            Err(error) => {
                report.not_kept.push(describe(&error.into()));
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
