//! Counts against an independent reading of the rules, and against the suites of counts.

mod check;
mod depth;
mod perft;
mod suite;
mod table;
