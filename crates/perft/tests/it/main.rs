//! Counts against an independent reading of the rules, and against the suites of counts.

mod check;
mod depth;
mod examples;
mod fuzz;
mod harness;
mod perft;
mod suite;
mod table;
