//! The integration tests of the crate, in one binary to save link time.

mod altered;
mod book;
mod certificates;
mod examples;
mod files;
mod fixtures;
mod fuzz;
mod harness;
mod hostile;
mod no_table;
mod pages;
mod places;
mod proved;
mod reference;
