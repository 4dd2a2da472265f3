//! The integration tests of building and unpacking, in one binary to save link time.

mod building;
mod checkpoints;
#[path = "../../../tablebase/tests/it/common.rs"]
#[expect(dead_code, reason = "the tests of tables use more of it")]
mod common;
mod methods;
mod unpacking;
