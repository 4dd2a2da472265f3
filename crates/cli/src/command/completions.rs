//! `completions`: prints a completion script.

use clap::Args;
use clap_complete::Shell;

use crate::output;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  fanorona completions bash")]
pub(crate) struct Completions {
    /// Shell to write the script for
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, mut program: clap::Command) -> anyhow::Result<()> {
        // Into memory first: the generator panics if it cannot write.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, "fanorona", &mut script);
        output::print(&script);
        Ok(())
    }
}
