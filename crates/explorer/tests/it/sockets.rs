//! Through a socket: connections, clients that go away, and the end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use fanorona_explorer::{Explorer, Settings, serve};
use serde_json::Value;

use crate::common::explorer_with;

/// A generous limit for what should take a moment.
const SOON: Duration = Duration::from_secs(60);

/// A server on a free port.
struct Server {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn start(settings: Settings) -> Self {
        let explorer: Arc<Explorer> = explorer_with(settings);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let thread = thread::spawn(move || {
            serve(&explorer, listener, || flag.load(Ordering::Relaxed)).unwrap();
        });
        Self { address, stop, thread: Some(thread) }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        stream
    }

    /// The status and the body of an answer, over a connection of its own.
    fn get(&self, address: &str) -> (u16, String) {
        let mut stream = self.connect();
        let head =
            format!("GET {address} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let status = text.split(' ').nth(1).unwrap().parse().unwrap();
        let (_, body) = text.split_once("\r\n\r\n").unwrap();
        (status, body.to_owned())
    }

    fn end(mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().expect("it ends without a panic");
    }
}

/// Begins a long search as soon as there is room for it, and reads until its first event.
fn begin_search(server: &Server) -> BufReader<TcpStream> {
    let begin = Instant::now();
    loop {
        let mut stream = server.connect();
        let head = "GET /api/v1/search?seconds=600 HTTP/1.1\r\nHost: localhost\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.starts_with("HTTP/1.1 503") {
            assert!(begin.elapsed() < SOON, "there is no room");
            thread::sleep(Duration::from_millis(10));
            continue;
        }
        while !line.starts_with("event: progress") {
            line.clear();
            assert!(reader.read_line(&mut line).unwrap() > 0, "the stream has ended");
        }
        return reader;
    }
}

#[test]
fn one_connection_has_many_answers() {
    let server = Server::start(Settings::default());
    let (status, body) = server.get("/api/v1/position?board=5x5&position=5/5/1W1B1/5/5%20w");
    let answer: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &answer["value"]), (200, &Value::from("win")));

    let mut stream = server.connect();
    for _ in 0..3 {
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut bytes = [0; 4096];
        let mut text = String::new();
        while !text.ends_with("ok") {
            let read = stream.read(&mut bytes).unwrap();
            assert!(read > 0, "{text}");
            text += std::str::from_utf8(&bytes[..read]).unwrap();
        }
        assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    }
    // A connection that asks nothing does not keep the server.
    let _idle = server.connect();
    server.end();
}

#[test]
fn heads_and_bodies_have_limits() {
    let server = Server::start(Settings::default());
    let (status, _) = server.get(&format!("/api/v1/position?position={}", "W".repeat(1 << 20)));
    assert!([413, 414, 431].contains(&status), "{status}");
    let (status, _) = server.get(&format!("/api/v1/position?position={}", "W".repeat(8 << 10)));
    assert_eq!(status, 413);
    let mut stream = server.connect();
    let body = "x".repeat(100 << 10);
    let head = format!(
        "POST /api/v1/game HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // The server may close before it has read all.
    let _ = stream.write_all(body.as_bytes());
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    assert!(text.starts_with(b"HTTP/1.1 413"), "{}", String::from_utf8_lossy(&text));
    // Chunks that are too long, and some that are none.
    let chunked = |chunk: &[u8]| {
        let mut stream = server.connect();
        let head = "POST /api/v1/game HTTP/1.1\r\nHost: localhost\r\n\
                    Content-Type: application/json\r\nConnection: close\r\n\
                    Transfer-Encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        let _ = stream.write_all(chunk);
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    };
    let long = chunked(format!("20000\r\n{}\r\n0\r\n\r\n", " ".repeat(0x20000)).as_bytes());
    assert!(long.starts_with("HTTP/1.1 413"), "{long}");
    for malformed in ["xyz\r\n{}\r\n0\r\n\r\n", "2\r\n{}{}{}\r\n0\r\n\r\n"] {
        let text = chunked(malformed.as_bytes());
        assert!(text.starts_with("HTTP/1.1 400"), "{text}");
        assert!(text.contains("\"bad_body\"") && text.contains("cannot be read"), "{text}");
    }
    for nonsense in ["nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\0\0\0\0\r\n\r\n"] {
        let mut stream = server.connect();
        stream.write_all(nonsense.as_bytes()).unwrap();
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        assert!(!text.starts_with(b"HTTP/1.1 200"));
    }
    assert_eq!(server.get("/healthz").0, 200, "it is still there");
    server.end();
}

#[test]
fn a_search_ends_when_its_client_goes_away() {
    let mut settings = Settings::default();
    settings.searches = 1;
    let server = Server::start(settings);
    let client = begin_search(&server);
    // There is room for one.
    assert_eq!(server.get("/api/v1/search?seconds=1").0, 503);
    // Other requests are answered meanwhile.
    assert_eq!(server.get("/api/v1/about").0, 200);
    drop(client);
    let client = begin_search(&server);
    drop(client);
    server.end();
}

#[test]
fn the_end_of_the_server_ends_searches() {
    let server = Server::start(Settings::default());
    let mut client = begin_search(&server);
    let begin = Instant::now();
    let stop = server.stop.clone();
    stop.store(true, Ordering::Relaxed);
    let mut rest = String::new();
    client.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("event: done"), "{rest}");
    assert!(rest.contains("\"end\":\"stopped\""), "{rest}");
    server.end();
    assert!(begin.elapsed() < SOON);
}
