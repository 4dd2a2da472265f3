//! Tests of the crate from outside, as one program: linking is what takes time.

mod altered;
mod certificates;
mod examples;
mod files;
mod fixtures;
mod fuzz;
mod harness;
mod hostile;
mod places;
mod proved;
mod reference;
