//! Engine protocols for **Fanorona**: UGI, and UCI where a program says `uci`.
//!
//! | module | holds |
//! |---|---|
//! | [`protocol`] | the words of both protocols: commands and answers, read and printed |
//! | [`server`] | the engine's side: a [`Session`](server::Session) that answers a program |
//!
//! The page `docs/UGI.md` of the crate describes what the engine's side speaks.

#![forbid(unsafe_code)]

pub mod protocol;
pub mod server;
