//! The answers over HTTP.

mod app;
mod hosts;
mod input;
mod log;
mod metrics;
mod rate;
mod reply;
mod routes;
mod server;

pub use app::Explorer;
pub use server::{ServeError, serve};
