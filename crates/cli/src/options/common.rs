//! The form of the output, and the number of threads.

use std::env;
use std::thread;

use anyhow::Context;
use clap::Args;

use super::values::between;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::Output;

/// More threads are refused, except on machines with more processors.
const MAX_THREADS: usize = 1024;

fn max_threads() -> usize {
    thread::available_parallelism().map_or(MAX_THREADS, |here| MAX_THREADS.max(here.get()))
}

/// The form of the output.
#[derive(Debug, Args)]
pub(crate) struct OutputOptions {
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
}

impl OutputOptions {
    /// Standard output in the form that was asked for.
    pub(crate) fn output(&self) -> Output {
        Output::new(self.json)
    }
}

/// The number of threads, and the form of the output.
#[derive(Debug, Args)]
pub(crate) struct CommonOptions {
    /// Number of threads [default: one for each processor]
    #[arg(
        long, value_name = "N", default_value_t = 0, hide_default_value = true,
        value_parser = between(0, max_threads())
    )]
    pub threads: usize,

    #[command(flatten)]
    pub form: OutputOptions,
}

impl CommonOptions {
    /// Standard output in the form that was asked for.
    pub(crate) fn output(&self) -> Output {
        self.form.output()
    }

    /// Starts the threads of the global pool.
    pub(crate) fn start_threads(&self) -> anyhow::Result<()> {
        const VARIABLE: &str = "RAYON_NUM_THREADS";
        let most = max_threads();
        let by_environment = || env::var(VARIABLE).ok()?.parse().ok();
        if self.threads == 0
            && let Some(number) = by_environment().filter(|number: &usize| *number > most)
        {
            return Err(Failure::input(format!(
                "{VARIABLE} is {number}; use {most} threads at most"
            )));
        }
        // The main thread is one of them: otherwise one more would be there, which waits.
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .use_current_thread()
            .build_global()
            .with_context(|| format!("{} threads cannot be started", self.threads))
    }

    /// Starts the threads, and listens to Ctrl-C from here on.
    pub(crate) fn start_work(&self) -> anyhow::Result<()> {
        self.start_threads()?;
        interrupt::install()
    }
}
