//! Fetching.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_storage::{FileError, Operation, Sha256, open_regular};
use ureq::Agent;

use crate::error::FetchError;
use crate::incoming::Incoming;
use crate::partial::Partial;

/// Fetches files. It follows no redirections, and asks for nothing but the files.
#[derive(Clone, Debug)]
pub struct Client {
    agent: Agent,
    patience: Duration,
}

impl Default for Client {
    /// A client that gives up after 30 seconds without a byte.
    fn default() -> Self {
        Self::new(Duration::from_secs(30))
    }
}

impl Client {
    /// A client that gives up when nothing has arrived for `patience`.
    pub fn new(patience: Duration) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_connect(Some(patience))
            .user_agent(concat!("fanorona/", env!("CARGO_PKG_VERSION")));
        Self { agent: config.build().into(), patience }
    }

    /// The bytes of a file of unknown length, up to `most`.
    ///
    /// # Errors
    /// If the server does not send it, or sends more, or if the caller stops.
    pub fn bytes(
        &self,
        address: &str,
        most: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<u8>, FetchError> {
        let (_, incoming) = Incoming::begin(&self.agent, address, 0, self.patience, stop)?;
        let mut found = Vec::new();
        while let Some(bytes) = incoming.bytes()? {
            found.extend(bytes);
            if found.len() > most {
                let (address, bytes) = (address.to_owned(), most as u64);
                return Err(FetchError::TooLarge { address, bytes });
            }
        }
        Ok(found)
    }

    /// Fetches a file with this length and hash, unless it is there. `arrived` is told how many of its
    /// bytes are there. If the connection breaks, this goes on as long as each attempt gets further.
    /// Returns whether the file is new.
    ///
    /// # Errors
    /// If the server does not send it, if what it sends is wrong, if there is another file of this
    /// name, or if the caller stops.
    pub fn file(
        &self,
        address: &str,
        to: &Path,
        (bytes, sha256): (u64, Sha256),
        stop: &AtomicBool,
        mut arrived: impl FnMut(u64),
    ) -> Result<bool, FetchError> {
        if to.try_exists().map_err(FileError::io(Operation::Open, to))? {
            let found = open_regular(to).and_then(Sha256::read);
            return match found.map_err(FileError::io(Operation::Read, to))? {
                found if found == sha256 => Ok(false),
                _ => Err(FetchError::OtherFile { path: to.to_owned() }),
            };
        }
        let mut partial = Partial::open(to.parent().unwrap_or(Path::new(".")), sha256)?;
        if partial.length() > bytes {
            partial.restart()?;
        }
        let mut furthest = partial.length();
        while partial.length() < bytes {
            match self.go_on(address, &mut partial, bytes, stop, &mut arrived) {
                Err(error) if error.is_interruption() && partial.length() > furthest => {
                    furthest = partial.length();
                }
                Err(error @ FetchError::TooLarge { .. }) => {
                    partial.remove()?;
                    return Err(error);
                }
                result => result?,
            }
        }
        let found = partial.sha256();
        if found != sha256 {
            partial.remove()?;
            let address = address.to_owned();
            return Err(FetchError::Wrong { address, found, expected: sha256 });
        }
        partial.commit(to)?;
        Ok(true)
    }

    /// Adds what is missing to a part of a file.
    fn go_on(
        &self,
        address: &str,
        partial: &mut Partial,
        bytes: u64,
        stop: &AtomicBool,
        arrived: &mut impl FnMut(u64),
    ) -> Result<(), FetchError> {
        let from = partial.length();
        let (begun, incoming) = Incoming::begin(&self.agent, address, from, self.patience, stop)?;
        if begun != from {
            partial.restart()?;
        }
        while let Some(more) = incoming.bytes()? {
            if partial.length() + more.len() as u64 > bytes {
                return Err(FetchError::TooLarge { address: address.to_owned(), bytes });
            }
            partial.append(&more)?;
            arrived(partial.length());
        }
        let found = partial.length();
        match found < bytes {
            true => Err(FetchError::Short { address: address.to_owned(), found, bytes }),
            false => Ok(()),
        }
    }
}
