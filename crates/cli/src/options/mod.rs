//! Arguments that several commands take.

mod book;
mod common;
mod game;
mod player;
mod slices;
mod tables;
mod values;

pub(crate) use book::{BookOptions, Certificates};
pub(crate) use common::{CommonOptions, OutputOptions};
#[cfg(feature = "serve")]
pub(crate) use game::VariantsOptions;
pub(crate) use game::{GameOptions, PositionOptions, Root};
pub(crate) use player::{PlayOptions, check_level, player};
pub(crate) use slices::SlicesOptions;
pub(crate) use tables::{TableOptions, check_size, mapped};
pub(crate) use values::{
    ADVANCED_OPTIONS, at_least, between, duration, one_of, program_option, seconds,
};

/// The names of the arguments that choose a position or its rules.
pub(crate) const ROOT_ARGUMENTS: [&str; 4] = ["text", "after", "board", "rules"];
