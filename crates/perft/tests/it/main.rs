//! Compares counts with a slow generator, and with the suites of counts.

mod check;
mod depth;
mod faults;
mod fuzz;
mod harness;
mod perft;
mod suite;
mod table;
mod wrong;
