//! The extension module `fanorona._native` of the Python package **fanorona**.
//!
//! Each file has the Python classes and functions of one topic. `classes.rs` defines the classes of
//! the game, and `args.rs` reads arguments. `enums.rs` and `errors.rs` connect to the enums and
//! exceptions, which are Python classes in `python/fanorona`. The documentation comments of the items
//! are the docstrings of Python, so their examples are Python too.

#![deny(unsafe_code)]

mod analyze;
mod args;
mod arrays;
mod attributes;
mod blocks;
mod board;
mod book;
mod build;
mod classes;
mod engine;
mod enums;
mod errors;
mod game;
mod interrupt;
mod perft;
mod pickle;
mod position;
mod probes;
mod rules;
mod search_args;
mod slice;
mod slice_info;
mod stepwise;
mod svg;
mod tables;
mod turn;
mod value;
mod verify;

/// Rules, endgame tables, proofs and an opponent for the board game Fanorona, written in Rust.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::analyze::{
        Analysis, CertificateReport, SearchProgress, analyze, assess, check_certificate,
    };
    #[pymodule_export]
    use crate::blocks::{Block, Blocks};
    #[pymodule_export]
    use crate::book::{Book, BookAnswer};
    #[pymodule_export]
    use crate::build::{BuildReport, Estimate, Progress, build, estimate, unpack};
    #[pymodule_export]
    use crate::classes::{Board, Position, RuleSet, Turn};
    #[pymodule_export]
    use crate::engine::{Engine, PlayResult};
    #[pymodule_export]
    use crate::enums::enum_names;
    #[pymodule_export]
    use crate::game::{Game, read_games};
    #[pymodule_export]
    use crate::perft::{Mismatch, SuiteReport, check_suite, divide, perft};
    #[pymodule_export]
    use crate::pickle::restore;
    #[pymodule_export]
    use crate::probes::{Probes, Ranks};
    #[pymodule_export]
    use crate::rules::Outcome;
    #[pymodule_export]
    use crate::slice::{random_position, random_positions};
    #[pymodule_export]
    use crate::slice_info::SliceInfo;
    #[pymodule_export]
    use crate::stepwise::{Step, TurnInProgress};
    #[pymodule_export]
    use crate::tables::Tables;
    #[pymodule_export]
    use crate::value::{Assessment, RankedTurn, TableValue};
    #[pymodule_export]
    use crate::verify::{SliceCheck, verify};

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
