//! Benchmarks of the other crates, `cargo bench -p fanorona-benches`, and in `examples` programs that
//! measure them. They are a package of their own, so that the tests do not compile what only these
//! need.
