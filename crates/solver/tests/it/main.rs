//! Tests of the public interface.

mod common;
mod repetition;
mod saved;
mod strategies;
mod values;
