//! An answer of a server as it comes in.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use ureq::Agent;
use ureq::http::header::{CONTENT_RANGE, LOCATION, RANGE};

use crate::error::FetchError;

/// The bytes that are read at once.
const CHUNK: usize = 64 << 10;

/// How many chunks may wait.
const WAITING: usize = 4;

/// How often a stop is looked for.
const TICK: Duration = Duration::from_millis(50);

/// An answer. A thread reads it, so that a silent server or a stop ends the waiting. That thread ends
/// when the server or this value does.
pub(crate) struct Incoming<'a> {
    parts: Receiver<io::Result<Part>>,
    address: &'a str,
    patience: Duration,
    stop: &'a AtomicBool,
}

enum Part {
    Head(Head),
    Bytes(Vec<u8>),
}

/// The beginning of an answer.
struct Head {
    status: u16,
    location: Option<String>,
    range: Option<String>,
}

impl<'a> Incoming<'a> {
    /// Asks for the bytes of a file from an offset on. Returns the offset that the server begins with,
    /// which is this one or 0.
    ///
    /// # Errors
    /// If the server does not send them.
    pub(crate) fn begin(
        agent: &Agent,
        address: &'a str,
        from: u64,
        patience: Duration,
        stop: &'a AtomicBool,
    ) -> Result<(u64, Self), FetchError> {
        let (sender, parts) = sync_channel(WAITING);
        let mut request = agent.get(address);
        if from > 0 {
            request = request.header(RANGE, format!("bytes={from}-"));
        }
        let read = move || {
            if let Err(error) = read(request, &sender) {
                // Nobody may listen any more.
                let _ = sender.send(Err(error));
            }
        };
        let incoming = Self { parts, address, patience, stop };
        let started = thread::Builder::new().name("fetch".to_owned()).spawn(read);
        started.map_err(|source| incoming.connection(source))?;
        let Some(Part::Head(head)) = incoming.next()? else {
            return Err(incoming.connection(io::ErrorKind::UnexpectedEof.into()));
        };
        let address = || address.to_owned();
        match head {
            Head { status: 200, .. } => Ok((0, incoming)),
            Head { status: 206, range: Some(range), .. }
                if range.starts_with(&format!("bytes {from}-")) =>
            {
                Ok((from, incoming))
            }
            Head { status: 300..400, location: Some(to), .. } => {
                Err(FetchError::Elsewhere { address: address(), to })
            }
            Head { status, .. } => Err(FetchError::Status { address: address(), status }),
        }
    }

    /// The next bytes; `None` at the end.
    ///
    /// # Errors
    /// If the connection breaks, if nothing arrives for too long, or if the caller stops.
    pub(crate) fn bytes(&self) -> Result<Option<Vec<u8>>, FetchError> {
        Ok(self.next()?.map(|part| match part {
            Part::Bytes(bytes) => bytes,
            Part::Head(_) => Vec::new(),
        }))
    }

    fn next(&self) -> Result<Option<Part>, FetchError> {
        let began = Instant::now();
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(FetchError::Stopped);
            }
            match self.parts.recv_timeout(TICK) {
                Ok(part) => return part.map(Some).map_err(|source| self.connection(source)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) if began.elapsed() < self.patience => {}
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = self.patience.as_secs();
                    return Err(FetchError::Silent { address: self.address.to_owned(), seconds });
                }
            }
        }
    }

    fn connection(&self, source: io::Error) -> FetchError {
        FetchError::Connection { address: self.address.to_owned(), source }
    }
}

/// Sends an answer to its reader, until the reader goes away.
fn read(
    request: ureq::RequestBuilder<ureq::typestate::WithoutBody>,
    sender: &SyncSender<io::Result<Part>>,
) -> io::Result<()> {
    let answer = request.call().map_err(ureq::Error::into_io)?;
    let header = |name| Some(answer.headers().get(name)?.to_str().ok()?.to_owned());
    let head = Head {
        status: answer.status().as_u16(),
        location: header(LOCATION),
        range: header(CONTENT_RANGE),
    };
    let mut is_read = sender.send(Ok(Part::Head(head))).is_ok();
    let mut body = answer.into_body().into_reader();
    while is_read {
        let mut bytes = vec![0; CHUNK];
        let count = body.read(&mut bytes)?;
        if count == 0 {
            break;
        }
        bytes.truncate(count);
        is_read = sender.send(Ok(Part::Bytes(bytes))).is_ok();
    }
    Ok(())
}
