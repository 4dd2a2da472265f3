//! Downloads from servers of this machine that behave badly: nothing wrong is kept, and each fault has
//! its error.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use fanorona_fetch::{Client, FetchError, beside};
use fanorona_storage::Sha256;
use tempfile::TempDir;

/// Longer than what is read at once.
const LENGTH: usize = 300_000;

/// For servers that answer.
const LONG: Duration = Duration::from_secs(60);

/// For those that do not.
const SHORT: Duration = Duration::from_millis(300);

fn content() -> Vec<u8> {
    (0..LENGTH).map(|at| ((at * at) >> 7) as u8).collect()
}

/// A server that answers each request with what `answer` writes, which gets the offset that was asked
/// for.
struct Server {
    address: String,
    /// The offsets of the requests so far.
    asked: Arc<Mutex<Vec<usize>>>,
}

impl Server {
    fn new(mut answer: impl FnMut(usize, &mut TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/tables/a.fano", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<usize>>>::default();
        let log = asked.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let from = offset(&stream);
                log.lock().unwrap().push(from);
                answer(from, &mut stream);
            }
        });
        Self { address, asked }
    }

    fn asked(&self) -> Vec<usize> {
        self.asked.lock().unwrap().clone()
    }
}

/// The offset that a request asks for.
fn offset(stream: &TcpStream) -> usize {
    let lines = BufReader::new(stream).lines().map(Result::unwrap);
    let lines: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
    assert!(lines[0].starts_with("GET /tables/a.fano HTTP/1.1"), "{lines:?}");
    let range = lines
        .iter()
        .find_map(|line| line.to_lowercase().strip_prefix("range: bytes=").map(str::to_owned));
    range.map_or(0, |range| range.strip_suffix('-').unwrap().parse().unwrap())
}

/// Sends `bytes` of a file from an offset on. A client that has gone away is no fault of the server.
fn send(stream: &mut TcpStream, from: usize, bytes: &[u8], length: usize) {
    let head = match from {
        0 => format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"),
        _ => format!(
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {from}-{}/{length}\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            length - 1,
            length - from
        ),
    };
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(bytes));
}

fn whole(from: usize, stream: &mut TcpStream) {
    send(stream, from, &content()[from..], LENGTH);
}

/// A directory to fetch into.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("a.fano")
    }

    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(self.0.path()).unwrap();
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    fn fetch(&self, server: &Server, patience: Duration) -> Result<bool, FetchError> {
        fetch(server, &self.file(), patience, &AtomicBool::new(false))
    }

    fn assert_complete(&self) {
        assert_eq!(self.names(), ["a.fano"]);
        assert!(fs::read(self.file()).unwrap() == content());
    }
}

fn fetch(
    server: &Server,
    to: &Path,
    patience: Duration,
    stop: &AtomicBool,
) -> Result<bool, FetchError> {
    let known = (LENGTH as u64, Sha256::of(&content()));
    Client::new(patience).file(&server.address, to, known, stop, |_| ())
}

#[test]
fn a_file_is_fetched_once() {
    let (place, server) = (Place::new(), Server::new(whole));
    assert!(place.fetch(&server, LONG).unwrap());
    place.assert_complete();
    assert!(!place.fetch(&server, LONG).unwrap());
    assert_eq!(server.asked(), [0]);

    fs::write(place.file(), "mine").unwrap();
    assert!(matches!(place.fetch(&server, LONG), Err(FetchError::OtherFile { .. })));
    assert_eq!(fs::read(place.file()).unwrap(), b"mine");
}

#[test]
fn a_broken_connection_is_resumed() {
    let place = Place::new();
    let server = Server::new(|from, stream| {
        send(stream, from, &content()[from..LENGTH.min(from + LENGTH / 2 - 1)], LENGTH);
    });
    assert!(place.fetch(&server, LONG).unwrap());
    place.assert_complete();
    assert_eq!(server.asked(), [0, LENGTH / 2 - 1, LENGTH - 2]);
}

#[test]
fn a_later_download_goes_on_from_what_arrived() {
    let place = Place::new();
    // It knows no ranges, so a second attempt gets no further.
    let broken = Server::new(|_, stream| send(stream, 0, &content()[..LENGTH / 2], LENGTH));
    let error = place.fetch(&broken, LONG).unwrap_err();
    assert!(matches!(error, FetchError::Connection { .. } | FetchError::Short { .. }), "{error}");
    assert_eq!(broken.asked(), [0, LENGTH / 2]);
    assert!(!place.file().exists());

    let server = Server::new(whole);
    assert!(place.fetch(&server, LONG).unwrap());
    place.assert_complete();
    assert_eq!(server.asked(), [LENGTH / 2]);
}

#[test]
fn an_end_without_a_length_is_too_early() {
    let place = Place::new();
    let server = Server::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc");
    });
    let error = place.fetch(&server, LONG).unwrap_err();
    assert!(matches!(error, FetchError::Short { found: 3, .. }), "{error}");
}

#[test]
fn a_wrong_byte_is_not_kept() {
    let place = Place::new();
    let server = Server::new(|_, stream| {
        let mut bytes = content();
        bytes[LENGTH / 3] ^= 1;
        send(stream, 0, &bytes, LENGTH);
    });
    let error = place.fetch(&server, LONG).unwrap_err();
    assert!(matches!(error, FetchError::Wrong { .. }), "{error}");
    assert_eq!(place.names(), [""; 0]);
}

#[test]
fn more_bytes_than_said_are_not_kept() {
    let place = Place::new();
    let server = Server::new(|_, stream| {
        let bytes = [content(), vec![0]].concat();
        send(stream, 0, &bytes, bytes.len());
    });
    let error = place.fetch(&server, LONG).unwrap_err();
    assert!(matches!(error, FetchError::TooLarge { .. }), "{error}");
    assert_eq!(place.names(), [""; 0]);

    let stop = AtomicBool::new(false);
    let bytes = |most| Client::new(LONG).bytes(&server.address, most, &stop);
    assert!(matches!(bytes(LENGTH), Err(FetchError::TooLarge { .. })));
    assert_eq!(bytes(LENGTH + 1).unwrap().len(), LENGTH + 1);
}

#[test]
fn a_silent_server_is_given_up() {
    let (done, wait) = mpsc::channel::<()>();
    let server = Server::new(move |_, stream| {
        send(stream, 0, &content()[..10], LENGTH);
        let _ = wait.recv();
    });
    let place = Place::new();
    let error = place.fetch(&server, SHORT).unwrap_err();
    assert!(matches!(error, FetchError::Silent { .. }), "{error}");
    assert!(!place.file().exists());
    drop(done);
}

#[test]
fn other_addresses_are_not_followed() {
    let other = Server::new(whole);
    let to = other.address.clone();
    let server = Server::new(move |_, stream| {
        let _ = write!(stream, "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
    });
    let place = Place::new();
    let error = place.fetch(&server, LONG).unwrap_err();
    assert!(matches!(&error, FetchError::Elsewhere { to, .. } if *to == other.address), "{error}");
    assert_eq!(other.asked(), [0; 0]);
}

#[test]
fn other_answers_are_errors() {
    for (head, expected) in [
        ("404 Not Found", 404),
        ("500 Internal Server Error", 500),
        ("206 Partial Content\r\nContent-Range: bytes 7-9/10", 206),
    ] {
        let server = Server::new(move |_, stream| {
            let _ =
                write!(stream, "HTTP/1.1 {head}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        });
        let error = Place::new().fetch(&server, LONG).unwrap_err();
        assert!(
            matches!(error, FetchError::Status { status, .. } if status == expected),
            "{error}"
        );
    }
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server =
        Server { address: format!("http://{closed}/tables/a.fano"), asked: Arc::default() };
    let error = Place::new().fetch(&server, LONG).unwrap_err();
    assert!(matches!(error, FetchError::Connection { .. }), "{error}");
}

#[test]
fn two_do_not_fetch_one_file_and_a_stop_ends_the_waiting() {
    let (done, wait) = mpsc::channel::<()>();
    let (begun, has_begun) = mpsc::channel();
    let slow = Server::new(move |_, stream| {
        send(stream, 0, &content()[..10], LENGTH);
        let _ = begun.send(());
        let _ = wait.recv();
    });
    let place = Place::new();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let first = scope.spawn(|| fetch(&slow, &place.file(), LONG, &stop));
        has_begun.recv_timeout(LONG).unwrap();
        let second = place.fetch(&Server::new(whole), LONG);
        assert!(matches!(second, Err(FetchError::Busy { .. })), "{second:?}");
        stop.store(true, Ordering::Relaxed);
        let stopped = first.join().unwrap();
        assert!(matches!(stopped, Err(FetchError::Stopped)), "{stopped:?}");
    });
    drop(done);
    assert!(place.fetch(&Server::new(whole), LONG).unwrap());
    place.assert_complete();
}

#[test]
fn a_damaged_part_is_thrown_away() {
    let (place, server) = (Place::new(), Server::new(whole));
    let part = place.0.path().join(format!(".fetch.partial-{}", Sha256::of(&content())));
    fs::write(&part, vec![0; LENGTH + 1]).unwrap();
    assert!(place.fetch(&server, LONG).unwrap());
    place.assert_complete();

    fs::remove_file(place.file()).unwrap();
    fs::write(&part, vec![0; 100]).unwrap();
    assert!(matches!(place.fetch(&server, LONG), Err(FetchError::Wrong { .. })));
    assert!(place.fetch(&server, LONG).unwrap());
    place.assert_complete();
}

#[test]
fn names_are_beside_the_list() {
    for (list, file) in [
        ("http://h/t.json", Some("http://h/a")),
        ("https://h:8/x/t.json?q=1/2#f/g", Some("https://h:8/x/a")),
        ("https://h/x/", Some("https://h/x/a")),
        ("https://h", None),
        ("https:///t.json", None),
        ("ftp://h/t.json", None),
        ("t.json", None),
    ] {
        assert_eq!(beside(list, "a").ok().as_deref(), file, "{list}");
    }
}
