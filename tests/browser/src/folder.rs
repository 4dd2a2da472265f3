//! A folder of static files behind a web server that can fail.

use std::collections::HashMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// How the host fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Failure {
    /// It does not.
    #[default]
    None,
    /// It ends every connection without an answer.
    Gone,
    /// Shards arrive with other bytes.
    ShardsDamaged,
    /// There are no shards.
    ShardsMissing,
    /// There is a page in the place of each shard, as some hosts have it.
    ShardsArePages,
}

/// The headers that isolate a page.
const ISOLATION: &str = "cross-origin-opener-policy: same-origin\r\n\
                         cross-origin-embedder-policy: require-corp\r\n";

#[derive(Debug, Default)]
struct Host {
    failure: Failure,
    /// Whether all files have the headers that isolate a page from those of other hosts.
    isolates: bool,
    /// Files in the place of those of the folder.
    replaced: HashMap<String, Vec<u8>>,
    /// The paths that were asked for.
    asked: Vec<String>,
}

/// A server of a folder, below `PREFIX`, on a free port of this machine.
#[derive(Debug)]
pub struct Folder {
    dir: PathBuf,
    port: u16,
    host: Arc<Mutex<Host>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Folder {
    /// The folder is not at the top of its host.
    const PREFIX: &str = "/some/where/";

    /// Serves a directory.
    pub fn serve(dir: &Path) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let (host, stop) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let thread = thread::spawn({
            let (dir, host, stop) = (dir.to_owned(), Arc::clone(&host), Arc::clone(&stop));
            move || {
                for stream in listener.incoming() {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let (dir, host) = (dir.clone(), Arc::clone(&host));
                    // A browser that goes away in the midst of an answer is no failure.
                    thread::spawn(move || stream.and_then(|stream| answer(stream, &dir, &host)));
                }
            }
        });
        Self { dir: dir.to_owned(), port, host, stop, thread: Some(thread) }
    }

    /// The address of a page with this fragment.
    pub fn page(&self, fragment: &str) -> String {
        self.page_of("127.0.0.1", fragment)
    }

    /// The same by a name for which browsers ask for encryption, so that they keep nothing.
    pub fn unsafe_page(&self, fragment: &str) -> String {
        self.page_of("fanorona.test", fragment)
    }

    fn page_of(&self, host: &str, fragment: &str) -> String {
        format!("http://{host}:{}{}#{fragment}", self.port, Self::PREFIX)
    }

    /// Lets the host fail from now on.
    pub fn fail(&self, failure: Failure) {
        lock(&self.host).failure = failure;
    }

    /// Lets the host isolate the page from now on, as threads with shared memory need it.
    pub fn isolate(&self) {
        lock(&self.host).isolates = true;
    }

    /// The file at a path, as the host has it now.
    pub fn file(&self, path: &str) -> Vec<u8> {
        let replaced = lock(&self.host).replaced.get(path).cloned();
        replaced.unwrap_or_else(|| fs::read(self.dir.join(path)).expect("the file is there"))
    }

    /// Puts another file in the place of one.
    pub fn replace(&self, path: &str, bytes: Vec<u8>) {
        lock(&self.host).replaced.insert(path.to_owned(), bytes);
    }

    /// The paths that were asked for since the last call.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.host).asked)
    }
}

fn lock(host: &Mutex<Host>) -> std::sync::MutexGuard<'_, Host> {
    host.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // The server waits for a connection.
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || thread::panicking(), "the server failed");
        }
    }
}

/// Answers the requests of a connection.
fn answer(mut stream: TcpStream, dir: &Path, host: &Mutex<Host>) -> io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    while let Some(first) = lines.next().transpose()? {
        for line in lines.by_ref() {
            if line?.is_empty() {
                break;
            }
        }
        let path = first.split(' ').nth(1).and_then(|path| path.strip_prefix(Folder::PREFIX));
        let path = path.map_or("?", |path| path.split('?').next().unwrap_or(path));
        let path = if path.is_empty() { "index.html" } else { path };
        let (failure, isolates, replaced) = {
            let mut host = lock(host);
            host.asked.push(path.to_owned());
            (host.failure, host.isolates, host.replaced.get(path).cloned())
        };
        let is_shard = path.starts_with("shards/");
        let is_safe = path.split('/').all(|part| !part.is_empty() && part != "..");
        let file = replaced.or_else(|| fs::read(dir.join(path)).ok().filter(|_| is_safe));
        let (status, kind, bytes) = match failure {
            Failure::Gone => return Ok(()),
            Failure::ShardsDamaged if is_shard => {
                (200, "application/octet-stream", b"damaged".to_vec())
            }
            Failure::ShardsMissing if is_shard => (404, "text/plain", b"none".to_vec()),
            Failure::ShardsArePages if is_shard => (200, "text/html", b"<html>".to_vec()),
            _ => match file {
                Some(bytes) => (200, media_type(path), bytes),
                None => (404, "text/plain", b"none".to_vec()),
            },
        };
        let length = bytes.len();
        let more = if isolates { ISOLATION } else { "" };
        let head = format!(
            "HTTP/1.1 {status} -\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n{more}\r\n"
        );
        // In one piece, so that nothing waits for the client's acknowledgement.
        stream.write_all(&[head.into_bytes(), bytes].concat())?;
    }
    Ok(())
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
