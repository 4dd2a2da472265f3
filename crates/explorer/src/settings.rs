//! Settings of the server.

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

/// The limits of the server, and the clients that may ask it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// Names besides those of a loopback address that the server may be asked by.
    pub hosts: Vec<String>,
    /// Read the files of the page from this directory instead of the program.
    pub page: Option<PathBuf>,
    /// The files of a page that needs no server, by their paths below `/static/`; none if it is not
    /// offered.
    pub static_files: Vec<(String, Cow<'static, [u8]>)>,
    /// The longest search.
    pub search_time: Duration,
    /// The number of searches at a time; 0 if the server offers no searches.
    pub searches: usize,
    /// The memory of a search, in MiB.
    pub search_memory_mib: usize,
    /// The longest thought of the opponent.
    pub opponent_time: Duration,
    /// The number of turns of the opponent that are computed at a time; 0 if the server offers no
    /// opponent.
    pub opponents: usize,
    /// The time for every answer except the stream of a search.
    pub request_time: Duration,
    /// The number of connections at a time.
    pub connections: usize,
    /// Takes the events of streams.
    #[cfg(target_family = "wasm")]
    pub events: EventSink,
}

impl Settings {
    /// The settings of a page that answers itself: with little memory for a search.
    pub fn in_browser() -> Self {
        Self { search_memory_mib: 128, ..Self::default() }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hosts: Vec::new(),
            page: None,
            static_files: Vec::new(),
            search_time: Duration::from_secs(600),
            searches: 2,
            search_memory_mib: 256,
            opponent_time: Duration::from_secs(10),
            opponents: 2,
            request_time: Duration::from_secs(20),
            connections: 1024,
            #[cfg(target_family = "wasm")]
            events: EventSink(|_, _| {}),
        }
    }
}

/// Takes the events of streams when they happen: a name and an object as JSON.
#[cfg(target_family = "wasm")]
#[derive(Clone, Copy)]
pub struct EventSink(pub fn(name: &str, data: &str));

#[cfg(target_family = "wasm")]
impl std::fmt::Debug for EventSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad("EventSink")
    }
}
