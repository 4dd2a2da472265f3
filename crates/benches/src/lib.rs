//! Benchmarks of the other crates: `cargo bench -p fanorona-benches`. They are a package of their
//! own, so that the tests do not compile what only benchmarks need.
