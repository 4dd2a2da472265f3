//! The integration tests of the crate, in one binary to save link time.

mod changes;
mod dialogue;
mod games;
mod hostile;
mod matches;
mod page;
mod programs;
mod session;
mod tables;

/// The other program of some tests is this one, started again.
#[test]
fn scripted_engine() {
    fanorona_tests::scripted::run_if_asked();
}
