//! An explorer in the test's own process.

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use fanorona_builder::{BuildOptions, build};
use fanorona_core::{Board, RuleSet};
use fanorona_explorer::{Explorer, Library, LibraryOptions, Settings, serve};
use fanorona_proof::Certificate;
use fanorona_tablebase::{Metric, TableError};
use tempfile::TempDir;

/// An explorer with tables of 3x3 to the last stone, and of 5x5 and 9x5 to three stones, and a
/// certificate of 3x5.
#[derive(Debug)]
pub struct Server {
    address: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    _tables: TempDir,
}

impl Server {
    /// Builds the tables and starts the server on a free port of this machine.
    pub fn start() -> Self {
        Self::start_with(Settings::default(), Metric::Dtw)
    }

    /// A server whose tables say who wins, and not when.
    pub fn start_without_distances() -> Self {
        Self::start_with(Settings::default(), Metric::Wdl)
    }

    /// A server whose page is not joined, so that a test can ask for a module.
    pub fn start_with_modules() -> Self {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/explorer/web");
        let mut settings = Settings::default();
        settings.page = Some(web);
        Self::start_with(settings, Metric::Dtw)
    }

    fn start_with(settings: Settings, metric: Metric) -> Self {
        let tables = tempfile::tempdir().expect("a directory for the tables");
        for (board, stones) in [(Board::telo(), 8), (Board::dimy(), 3), (Board::tsivy(), 3)] {
            let options = BuildOptions::new(tables.path(), board, RuleSet::STANDARD, stones)
                .with_metric(metric);
            // A browser that another test starts at this moment holds the lock until it runs.
            let mut built = build(&options, &(), &AtomicBool::new(false));
            while let Err(TableError::Busy { .. }) = built {
                thread::sleep(Duration::from_millis(20));
                built = build(&options, &(), &AtomicBool::new(false));
            }
            built.expect("the tables are built");
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let stop = Arc::new(AtomicBool::new(false));
        let thread = thread::spawn({
            let (explorer, stop) = (explorer(tables.path(), settings), Arc::clone(&stop));
            move || {
                serve(&explorer, listener, || stop.load(Ordering::Relaxed)).expect("it serves");
            }
        });
        Self { address, stop, thread: Some(thread), _tables: tables }
    }

    /// The address of a page with this fragment.
    pub fn page(&self, fragment: &str) -> String {
        format!("{}/#{fragment}", self.address)
    }
}

fn explorer(tables: &Path, settings: Settings) -> Arc<Explorer> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let book = Certificate::open(root.join("data/proofs/3x5-standard.proof"));
    let book = book.expect("the certificate is there");
    let library = Library::new(LibraryOptions::new(Some(tables.to_owned())), vec![book]);
    Explorer::new(library, settings)
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
            && !thread::panicking()
        {
            panic!("the server failed");
        }
    }
}
