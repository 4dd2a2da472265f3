//! Compares counts with an independent implementation of the rules, and with the suites of counts.

mod check;
mod depth;
mod examples;
mod fuzz;
mod harness;
mod perft;
mod suite;
mod table;
mod wrong;
