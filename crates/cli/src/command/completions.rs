//! `completions`: what a shell completes.

use std::io::{self, Write};

use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print the completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  fanorona completions bash")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        // Into memory first: the generator would panic if the reader went away.
        let mut script = Vec::new();
        clap_complete::generate(
            self.shell,
            &mut crate::Program::command(),
            "fanorona",
            &mut script,
        );
        Ok(io::stdout().write_all(&script)?)
    }
}
