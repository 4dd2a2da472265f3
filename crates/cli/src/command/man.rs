//! `man`: pages for the manual.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use crate::output;

/// Print the manual's main page, or write a page for every command
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  fanorona man --dir man")]
pub(crate) struct Man {
    /// Write the main page and one for each command into this directory
    #[arg(long)]
    dir: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self, program: clap::Command) -> anyhow::Result<()> {
        // A page about the subcommand help would say nothing.
        let program = program.disable_help_subcommand(true);
        let Some(dir) = self.dir else {
            let mut page = Vec::new();
            clap_mangen::Man::new(program).render(&mut page)?;
            output::print(&page);
            return Ok(());
        };
        fs::create_dir_all(&dir)
            .with_context(|| format!("the directory '{}' cannot be created", dir.display()))?;
        clap_mangen::generate_to(program, &dir)
            .with_context(|| format!("no page can be written into '{}'", dir.display()))
    }
}
