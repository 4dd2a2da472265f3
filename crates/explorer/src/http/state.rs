//! State that all routes share.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;

use axum::extract::State;
use tokio::sync::Semaphore;

use super::compute::compute;
use crate::answer::OpponentAnswer;
use crate::library::{Library, OpenVariant};
#[cfg(not(target_family = "wasm"))]
use crate::page::Page;
use crate::problem::Problem;
use crate::settings::Settings;
use crate::variant::Variant;

/// The server without its socket.
#[derive(Debug)]
pub struct Explorer {
    pub(crate) library: Library,
    pub(crate) settings: Settings,
    #[cfg(not(target_family = "wasm"))]
    pub(crate) page: Page,
    #[cfg(not(target_family = "wasm"))]
    pub(super) hosts: super::hosts::Hosts,
    /// A permit for each answer that is computed at a time.
    workers: Arc<Semaphore>,
    pub(crate) searches: Arc<Semaphore>,
    /// For analyses and reviews, as many as proof searches.
    pub(crate) analyses: Arc<Semaphore>,
    pub(crate) opponents: Arc<Semaphore>,
    /// The turn of an opponent whose answer failed thereafter, and the request for it.
    pub(crate) thought: Mutex<Option<(String, OpponentAnswer)>>,
    /// The stop flags of what is at work, and whether the server ends.
    stops: Mutex<Stops>,
}

/// The stop flags of what is at work.
#[derive(Debug, Default)]
struct Stops {
    is_stopping: bool,
    flags: Vec<Weak<AtomicBool>>,
}

/// Sets a flag when it is dropped: when the client goes away.
#[derive(Debug)]
pub(crate) struct StopOnDrop(pub(crate) Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The server while it computes an answer.
#[derive(Debug)]
pub(crate) struct Work<'a> {
    explorer: &'a Explorer,
    /// Set when nobody waits for the answer any longer.
    pub(super) stop: Arc<AtomicBool>,
}

impl Work<'_> {
    /// The sources of a variant, for this answer.
    ///
    /// # Errors
    /// If the tables cannot be opened.
    pub(crate) fn open(&self, variant: Variant) -> Result<OpenVariant, Problem> {
        Ok(self.library.open(variant)?.with_stop(self.stop.clone()))
    }
}

impl Deref for Work<'_> {
    type Target = Explorer;

    fn deref(&self) -> &Explorer {
        self.explorer
    }
}

/// How the routes get the server.
pub(crate) type App = State<Arc<Explorer>>;

impl Explorer {
    /// A server that answers from a library.
    pub fn new(library: Library, settings: Settings) -> Arc<Self> {
        let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
        Arc::new(Self {
            library,
            #[cfg(not(target_family = "wasm"))]
            page: settings.page.clone().map_or(Page::Embedded, Page::Directory),
            #[cfg(not(target_family = "wasm"))]
            hosts: super::hosts::Hosts::new(&settings.hosts),
            // While one answer waits for the disk, another can be computed.
            workers: Arc::new(Semaphore::new(2 * cores)),
            searches: Arc::new(Semaphore::new(settings.searches)),
            analyses: Arc::new(Semaphore::new(settings.searches)),
            opponents: Arc::new(Semaphore::new(settings.opponents)),
            thought: Mutex::default(),
            stops: Mutex::default(),
            settings,
        })
    }

    /// Ends all searches, so that the server can end.
    pub fn stop(&self) {
        let mut stops = self.stops.lock().unwrap_or_else(PoisonError::into_inner);
        stops.is_stopping = true;
        for stop in stops.flags.drain(..).filter_map(|flag| flag.upgrade()) {
            stop.store(true, Ordering::Relaxed);
        }
    }

    /// A flag for work that takes long. It is set when the server ends.
    pub(crate) fn new_stop(&self) -> Arc<AtomicBool> {
        let mut stops = self.stops.lock().unwrap_or_else(PoisonError::into_inner);
        let stop = Arc::new(AtomicBool::new(stops.is_stopping));
        stops.flags.retain(|flag| flag.strong_count() > 0);
        stops.flags.push(Arc::downgrade(&stop));
        stop
    }

    /// Computes an answer as one of those that are computed at a time.
    ///
    /// # Errors
    /// If it fails, or panics.
    pub(crate) async fn compute<T: Send + 'static>(
        self: &Arc<Self>,
        answer: impl FnOnce(&Work<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = self.workers.clone().acquire_owned().await;
        self.work(permit, Arc::default(), answer).await
    }

    /// Computes an answer on a thread for blocking work, so that others are accepted meanwhile. The
    /// permit is kept until it ends. The flag is set if nobody waits for it any longer.
    ///
    /// # Errors
    /// If it fails, or panics.
    pub(crate) async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        permit: impl Send + 'static,
        stop: Arc<AtomicBool>,
        answer: impl FnOnce(&Work<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let app = self.clone();
        // This future is dropped if the client goes away, or has waited for too long.
        let _stop_on_drop = StopOnDrop(stop.clone());
        let answered = compute(move || {
            let _permit = permit;
            answer(&Work { explorer: &app, stop })
        });
        answered.await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::LibraryOptions;

    #[test]
    fn work_is_stopped_when_the_server_ends() {
        let library = Library::new(LibraryOptions::new(None), Vec::new());
        let explorer = Explorer::new(library, Settings::default());
        let [first, second] = [explorer.new_stop(), explorer.new_stop()];
        drop(explorer.new_stop());
        let is_set = |stop: &AtomicBool| stop.load(Ordering::Relaxed);
        assert!(!is_set(&first) && !is_set(&second));
        explorer.stop();
        assert!(is_set(&first) && is_set(&second));
        // Work that begins meanwhile ends at once.
        assert!(is_set(&explorer.new_stop()));
    }

    #[tokio::test]
    async fn work_is_stopped_when_nobody_waits() {
        let library = Library::new(LibraryOptions::new(None), Vec::new());
        let explorer = Explorer::new(library, Settings::default());
        let (sender, stopped) = std::sync::mpsc::channel();
        let answer = explorer.compute(move |work| {
            let is_stopped = || work.stop.load(Ordering::Relaxed);
            let ended = (0..1000).any(|_| {
                thread::sleep(std::time::Duration::from_millis(10));
                is_stopped()
            });
            sender.send(ended).expect("the test waits");
            Ok(())
        });
        let moment = std::time::Duration::from_millis(10);
        assert!(tokio::time::timeout(moment, answer).await.is_err());
        assert_eq!(stopped.recv(), Ok(true));
    }
}
