//! The integration tests of tables, in one binary to save link time.

mod access;
mod batches;
mod common;
mod entries;
mod examples;
mod files;
mod harness;
mod index;
mod listing;
mod probing;
mod reference;
mod values;
mod zugzwang;
