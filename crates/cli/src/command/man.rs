//! `man`: prints or writes manual pages.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use crate::output;

/// Print the main manual page, or write the pages of all commands
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  fanorona man pages")]
pub(crate) struct Man {
    /// Write the main page and a page for each command into this directory
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self, program: clap::Command) -> anyhow::Result<()> {
        // The subcommand help needs no page.
        let program = program.disable_help_subcommand(true);
        let Some(dir) = self.dir else {
            let mut page = Vec::new();
            clap_mangen::Man::new(program).render(&mut page)?;
            output::print(&page);
            return Ok(());
        };
        fs::create_dir_all(&dir)
            .with_context(|| format!("cannot create the directory '{}'", dir.display()))?;
        clap_mangen::generate_to(program, &dir)
            .with_context(|| format!("cannot write a page into '{}'", dir.display()))
    }
}
