//! The client side of the protocol, and matches.

mod matches;
mod programs;

/// The other program of these tests is this one, started again.
#[test]
fn scripted_engine() {
    fanorona_tests::scripted::run_if_asked();
}
