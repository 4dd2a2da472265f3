//! The subcommands.

mod analyze;
mod bench;
mod build;
mod check;
mod compare;
mod completions;
mod export;
mod find;
mod man;
mod matches;
mod moves;
mod perft;
mod play;
mod probe;
mod rules;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "serve")]
mod site;
mod slice_report;
mod stats;
mod tables;
mod ugi;
mod unpack;
mod verify;

use clap::Subcommand;
use fanorona_builder::Alone;

pub(crate) use self::build::Build;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Analyze(Box<analyze::Analyze>),
    Moves(moves::Moves),
    Perft(perft::Perft),
    Stats(stats::Stats),
    Build(build::Build),
    Tables(tables::Tables),
    Probe(probe::Probe),
    Find(find::Find),
    Export(export::Export),
    Compare(compare::Compare),
    Unpack(unpack::Unpack),
    Verify(verify::Verify),
    Play(play::Play),
    Match(Box<matches::Match>),
    Ugi(ugi::Ugi),
    Check(check::Check),
    #[cfg(feature = "serve")]
    Serve(serve::Serve),
    #[cfg(feature = "serve")]
    Site(site::Site),
    Bench(bench::Bench),
    Rules(rules::Rules),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    /// Runs the command. `program` returns the arguments of the whole program, which completions and
    /// manual pages are made from.
    pub(crate) fn run(self, program: impl Fn() -> clap::Command) -> anyhow::Result<()> {
        match self {
            Self::Moves(command) => command.run(),
            Self::Perft(command) => command.run(),
            Self::Stats(command) => command.run(),
            Self::Build(command) => command.run(&Alone),
            Self::Tables(command) => command.run(),
            Self::Probe(command) => command.run(),
            Self::Find(command) => command.run(),
            Self::Export(command) => command.run(),
            Self::Compare(command) => command.run(),
            Self::Unpack(command) => command.run(),
            Self::Verify(command) => command.run(),
            Self::Analyze(command) => command.run(),
            Self::Play(command) => command.run(),
            Self::Match(command) => command.run(),
            Self::Ugi(command) => command.run(),
            Self::Check(command) => command.run(),
            #[cfg(feature = "serve")]
            Self::Serve(command) => command.run(),
            #[cfg(feature = "serve")]
            Self::Site(command) => command.run(),
            Self::Bench(command) => command.run(),
            Self::Rules(command) => command.run(),
            Self::Completions(command) => command.run(program()),
            Self::Man(command) => command.run(program()),
        }
    }
}
