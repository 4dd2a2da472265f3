//! The program `fanorona-mpi`: builds endgame tables of Fanorona with many processes, over MPI.
//!
//! The builder is that of `fanorona build`. It asks for one thing: to send bytes to all processes
//! and to receive theirs ([`MpiProcesses`]).

#![deny(unsafe_code)]

mod processes;

use std::process::ExitCode;

use mpi::Threading;

use self::processes::MpiProcesses;

fn main() -> ExitCode {
    // Only the thread that builds calls MPI. It lends its work to other threads.
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Funneled) else {
        eprintln!("error: MPI cannot be initialized");
        return ExitCode::from(2);
    };
    if threading < Threading::Funneled {
        eprintln!("error: this MPI does not allow threads");
        return ExitCode::from(2);
    }
    let status = fanorona_cli::run_together("fanorona-mpi", &MpiProcesses::of(&universe.world()));
    drop(universe);
    status
}
