//! The answers over HTTP.

mod hosts;
mod input;
mod log;
mod metrics;
mod rate;
mod reply;
mod router;
mod routes;
mod server;
mod state;
mod stream;

pub use routes::openapi;
pub use server::{ServeError, serve};
pub use state::Explorer;
