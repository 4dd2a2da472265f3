//! Engine protocols for **Fanorona**: UGI, and UCI where a program says `uci`.

#![forbid(unsafe_code)]

pub mod arena;
pub mod client;
pub mod protocol;
