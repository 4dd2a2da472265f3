//! Engine protocols for **Fanorona**: UGI, and UCI where a program says `uci`.
//!
//! | module | holds |
//! |---|---|
//! | [`protocol`] | the words of both protocols: commands and answers, read and printed |
//! | [`server`] | the engine's side: a [`Session`](server::Session) that answers a program |
//! | [`client`] | the other side: a [`Program`](client::Program) that is started and asked for turns |
//! | [`arena`] | matches between two players, and what their results mean |
//!
//! The page `docs/UGI.md` of the crate describes what the engine's side speaks, and
//! `docs/MATCHES.md` how to play matches.

#![forbid(unsafe_code)]

pub mod arena;
pub mod client;
pub mod protocol;
pub mod server;

fanorona_core::error_kinds! {
    BadParameter: arena::SprtError, client::ProgramCommandError,
        protocol::CommandProblem, protocol::DeclarationError,
        protocol::OptionValueError, server::SettingError;
}
