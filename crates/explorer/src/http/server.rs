//! The socket: accepting connections, and ending.

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use fanorona_core::error_kinds;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use thiserror::Error;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tower::ServiceExt;

use super::state::Explorer;
use crate::variant::Variant;

/// How long a client may take to send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 16 << 10;

/// The most lines of a head.
const MAX_HEADERS: usize = 64;

/// How long the end waits for answers that are being computed.
const END_TIME: Duration = Duration::from_secs(5);

/// How often to ask whether the server has to end.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// Pause after an error of accepting: the system may be out of files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Why a server cannot run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The threads cannot be started.
    #[error("cannot start the threads of the server")]
    Threads(#[source] io::Error),
    /// The socket cannot be used.
    #[error("cannot use the socket of the server")]
    Socket(#[source] io::Error),
}

error_kinds! { Io: ServeError; }

/// Answers requests until `is_stopped` returns true, and then ends what is at work.
///
/// # Errors
/// If the threads or the socket of the server cannot be used.
pub fn serve(
    explorer: &Arc<Explorer>,
    listener: TcpListener,
    is_stopped: impl Fn() -> bool,
) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_io()
        .enable_time()
        .build()
        .map_err(ServeError::Threads)?;
    let result = runtime.block_on(async {
        listener.set_nonblocking(true).map_err(ServeError::Socket)?;
        let listener = tokio::net::TcpListener::from_std(listener).map_err(ServeError::Socket)?;
        // A certificate takes a second to open. The first visitor need not wait for it; an error is
        // told to whoever asks.
        let app = explorer.clone();
        tokio::task::spawn_blocking(move || app.library.open(Variant::default()).map(drop));
        accept(explorer, &listener, is_stopped).await;
        Ok(())
    });
    // Computing threads notice the end by themselves, or are not waited for.
    runtime.shutdown_timeout(END_TIME);
    result
}

async fn accept(
    explorer: &Arc<Explorer>,
    listener: &tokio::net::TcpListener,
    is_stopped: impl Fn() -> bool,
) {
    let router = explorer.router();
    let connections = Arc::new(Semaphore::new(explorer.settings.connections));
    let graceful = GracefulShutdown::new();
    let stopped = async {
        while !is_stopped() {
            tokio::time::sleep(STOP_INTERVAL).await;
        }
    };
    tokio::pin!(stopped);
    loop {
        // Further connections wait in the queue of the system.
        let permit = tokio::select! {
            permit = connections.clone().acquire_owned() => permit,
            () = &mut stopped => break,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stopped => break,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        // Answers are written whole, so waiting for more of them gains nothing.
        let _ = stream.set_nodelay(true);
        let connection = connection(stream, &router);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            let _permit = permit;
            // A client that breaks off is no error of the server.
            let _ = connection.await;
        });
    }
    explorer.stop();
    // Who has not got an answer by now does not get one.
    let _ = tokio::time::timeout(END_TIME, graceful.shutdown()).await;
}

fn connection(
    stream: TcpStream,
    router: &Router,
) -> impl hyper_util::server::graceful::GracefulConnection<Error: Send> + Send + 'static {
    let router = router.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let answered = router.clone().oneshot(request.map(Body::new));
        async move { Ok::<_, Infallible>(answered.await.unwrap_or_else(|e| match e {})) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(stream), service)
}
