//! Tests of the public interface, as one program: linking is what takes time.

mod certificates;
mod common;
mod examples;
mod fuzz;
mod hostile;
mod repetition;
mod saved;
mod strategies;
mod values;
