//! Asks a server on this machine for positions, as fast as it answers, and reports how long the
//! answers take.
//!
//! ```sh
//! cargo run --release -p fanorona-benches --example load -- \
//!     --port 7878 --stones 8 --seconds 10 --connections 8
//! ```
//!
//! The positions are random ones of one number of stones, all different, and each answer has all
//! turns and steps. `--one` asks one after the other over one connection instead, for the time of a
//! single answer. The number of requests is limited (`--requests`), and so is the time.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fanorona_core::{Board, Point, PointSet, Position, Side, SplitMix64, Stones};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// The requests to make.
struct Order {
    port: u16,
    stones: u64,
    seed: u64,
    requests: usize,
    seconds: f64,
    connections: usize,
}

/// The most of each, so that a slip of the fingers does no harm.
const MAX_REQUESTS: usize = 1_000_000;
const MAX_SECONDS: f64 = 600.0;
const MAX_CONNECTIONS: usize = 256;

/// How long to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

impl Order {
    fn read() -> Result<Self> {
        let mut order = Self {
            port: 7878,
            stones: 8,
            seed: 1,
            requests: 20_000,
            seconds: 10.0,
            connections: 8,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            if word == "--one" {
                order.connections = 1;
                continue;
            }
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--port" => order.port = value.parse()?,
                "--stones" => order.stones = value.parse()?,
                "--seed" => order.seed = value.parse()?,
                "--requests" => order.requests = value.parse::<usize>()?.min(MAX_REQUESTS),
                "--seconds" => order.seconds = value.parse::<f64>()?.clamp(0.1, MAX_SECONDS),
                "--connections" => {
                    order.connections = value.parse::<usize>()?.clamp(1, MAX_CONNECTIONS);
                }
                _ => return Err(format!("{word} is not an option").into()),
            }
        }
        Ok(order)
    }

    /// The addresses that are asked for.
    fn addresses(&self) -> Result<Vec<String>> {
        let board = Board::tsivy();
        let mut random = SplitMix64::new(self.seed);
        (0..self.requests)
            .map(|_| {
                let mut free: Vec<Point> = board.all_points().iter().collect();
                let mut place = |count: u64| {
                    let mut stones = PointSet::EMPTY;
                    for _ in 0..count {
                        stones |= free.swap_remove(random.below(free.len() as u64) as usize);
                    }
                    stones
                };
                let own = self.stones.div_ceil(2);
                let stones = Stones { own: place(own), opponent: place(self.stones - own) };
                let position = Position::from_mover(board, stones, Side::White)?;
                let position = position.to_string().replace(' ', "%20");
                Ok(format!("/api/v1/position?position={position}"))
            })
            .collect()
    }
}

/// A connection to the server.
struct Client {
    reader: BufReader<TcpStream>,
    body: Vec<u8>,
}

impl Client {
    fn connect(port: u16) -> Result<Self> {
        // Only this machine: nobody else is asked.
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { reader: BufReader::new(stream), body: Vec::new() })
    }

    /// Asks, and returns the status and the length of the answer.
    fn get(&mut self, address: &str) -> Result<(u16, usize)> {
        let head = format!("GET {address} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        self.reader.get_mut().write_all(head.as_bytes())?;
        let mut line = String::new();
        self.reader.read_line(&mut line)?;
        let status = line.split(' ').nth(1).unwrap_or_default().parse()?;
        let mut length = 0;
        loop {
            line.clear();
            self.reader.read_line(&mut line)?;
            if line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse()?;
            }
        }
        self.body.resize(length, 0);
        self.reader.read_exact(&mut self.body)?;
        Ok((status, length))
    }
}

/// The times of a thread's answers.
#[derive(Default)]
struct Measured {
    times: Vec<Duration>,
    bytes: usize,
    errors: usize,
}

fn ask(order: &Order, addresses: &[String], next: &AtomicUsize, end: Instant) -> Measured {
    let mut measured = Measured::default();
    let Ok(mut client) = Client::connect(order.port) else {
        measured.errors += 1;
        return measured;
    };
    while let Some(address) = addresses.get(next.fetch_add(1, Ordering::Relaxed)) {
        let begin = Instant::now();
        if begin >= end {
            break;
        }
        match client.get(address) {
            Ok((200, length)) => {
                measured.times.push(begin.elapsed());
                measured.bytes += length;
            }
            Ok(_) => measured.errors += 1,
            Err(_) => {
                measured.errors += 1;
                match Client::connect(order.port) {
                    Ok(new) => client = new,
                    Err(_) => break,
                }
            }
        }
    }
    measured
}

fn main() -> ExitCode {
    match run() {
        Ok(errors) => ExitCode::from(u8::from(errors > 0)),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<usize> {
    let order = Order::read()?;
    let addresses = order.addresses()?;
    let next = AtomicUsize::new(0);
    let begin = Instant::now();
    let end = begin + Duration::from_secs_f64(order.seconds);
    let measured: Vec<Measured> = thread::scope(|scope| {
        let ask = || scope.spawn(|| ask(&order, &addresses, &next, end));
        let threads: Vec<_> = (0..order.connections).map(|_| ask()).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let elapsed = begin.elapsed().as_secs_f64();
    let mut times: Vec<_> = measured.iter().flat_map(|thread| &thread.times).collect();
    times.sort_unstable();
    let errors = measured.iter().map(|thread| thread.errors).sum();
    let bytes: usize = measured.iter().map(|thread| thread.bytes).sum();
    let part = |part: f64| {
        let at = ((times.len() as f64 * part) as usize).min(times.len().saturating_sub(1));
        times.get(at).map_or(0.0, |time| 1e3 * time.as_secs_f64())
    };
    println!("{} answers in {elapsed:.2} s, {errors} errors", times.len());
    println!(
        "{:.0} answers/s over {} connections",
        times.len() as f64 / elapsed,
        order.connections
    );
    println!(
        "median {:.2} ms, 99 % within {:.2} ms, longest {:.2} ms",
        part(0.5),
        part(0.99),
        part(1.0)
    );
    println!("{:.1} KB an answer", bytes as f64 / 1e3 / times.len().max(1) as f64);
    Ok(errors)
}
