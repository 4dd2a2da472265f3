//! The subcommands.

mod completions;
mod man;
mod moves;
mod perft;
mod perft_suite;
mod stats;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum Command {
    Moves(moves::Moves),
    Perft(perft::Perft),
    Stats(stats::Stats),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    pub fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Moves(command) => command.run(),
            Self::Perft(command) => command.run(),
            Self::Stats(command) => command.run(),
            Self::Completions(command) => command.run(),
            Self::Man(command) => command.run(),
        }
    }
}
