//! `man`: the manual's pages.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, CommandFactory};

/// Print the manual's main page, or write a page for every command
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  fanorona man --dir man")]
pub(crate) struct Man {
    /// Write the main page and one for each command into this directory
    #[arg(long)]
    dir: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        // A page about the subcommand help would say nothing.
        let program = crate::Program::command().disable_help_subcommand(true);
        let Some(dir) = self.dir else {
            // Into memory first, so that a reader that goes away is an error of ours.
            let mut page = Vec::new();
            clap_mangen::Man::new(program).render(&mut page)?;
            return Ok(io::stdout().write_all(&page)?);
        };
        fs::create_dir_all(&dir)
            .with_context(|| format!("the directory '{}' cannot be made", dir.display()))?;
        clap_mangen::generate_to(program, &dir)
            .with_context(|| format!("no page can be written into '{}'", dir.display()))
    }
}
