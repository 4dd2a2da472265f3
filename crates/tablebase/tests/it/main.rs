//! The integration tests of tables, in one binary to save link time.

mod access;
mod batches;
mod building;
mod checkpoints;
mod common;
mod entries;
mod examples;
mod files;
mod harness;
mod index;
mod listing;
mod methods;
mod probing;
mod reference;
mod unpacking;
mod values;
mod zugzwang;
