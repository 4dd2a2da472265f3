//! Tests of the crate from outside, as one program: linking is what takes time.

mod altered;
mod certificates;
mod files;
mod fixtures;
mod proved;
mod reference;
