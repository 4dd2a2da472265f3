//! `serve`: it starts, answers, refuses unsafe options, and ends at Ctrl-C.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::ctrl_c::{SOON, end, interrupt};
use crate::tables::{shared, with_shared};
use crate::{json, refused};

/// The program serving on a free port, and the address that it prints.
fn start(more: &[&str]) -> (Child, String) {
    start_with(shared().to_str().expect("it is UTF-8"), more)
}

/// The same with the tables of a directory.
fn start_with(tables: &str, more: &[&str]) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fanorona"))
        .args(["serve", "--port", "0", "--tables", tables])
        .args(more)
        .env_remove("FANORONA_TABLES")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    let stdout = child.stdout.as_mut().expect("it is piped");
    BufReader::new(stdout).read_line(&mut line).expect("it prints its address");
    let address = line.trim().strip_prefix("http://").expect("it is an address");
    (child, address.trim_end_matches('/').to_owned())
}

/// The whole answer to a request.
fn get(address: &str, path: &str, host: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(SOON)).expect("it can be set");
    let head = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("it reads");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("it answers");
    text
}

#[test]
fn it_answers_until_ctrl_c() {
    let (child, address) = start(&[]);
    let page = get(&address, "/", &address);
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(page.contains("<!doctype html>"), "{page}");
    let answer = get(&address, "/api/v1/position?position=9/9/2W1B4/9/9%20w", "localhost");
    let (_, body) = answer.split_once("\r\n\r\n").expect("it has a body");
    let body: Value = serde_json::from_str(body).expect("it is JSON");
    assert_eq!((&body["value"], &body["best"]), (&Value::from("win"), &Value::from("c3-d3A")));
    assert!(get(&address, "/", "evil.example").starts_with("HTTP/1.1 421"));

    // A search and an idle connection do not keep it.
    let mut search = TcpStream::connect(&address).expect("it listens");
    let head = "GET /api/v1/search?seconds=600 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    search.write_all(head.as_bytes()).expect("it reads");
    let mut byte = [0];
    search.read_exact(&mut byte).expect("the stream begins");
    let _idle = TcpStream::connect(&address).expect("it listens");
    interrupt(&child);
    let mut rest = String::new();
    search.read_to_string(&mut rest).expect("the stream ends");
    assert!(rest.contains("event: done"), "{rest}");
    let (status, _, stderr) = end(child);
    assert_eq!(status, Some(0), "{stderr}");
}

/// A word stands in both answers, or in neither: what is not known is left out.
#[test]
fn the_page_and_the_program_use_the_same_words() {
    let words_of_both =
        ["board", "rules", "position", "outcome", "value", "at_least", "at_most", "dtw", "source"];
    let words_of = |answer: &Value| words_of_both.map(|word| answer.get(word).cloned());
    let (child, address) = start(&[]);
    for position in [
        "9/9/2W1B4/9/9 w",
        "9/9/9/9/8B w",
        "9/1B1B5/9/9/W3W4 w",
        "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w",
        "WWWWWWWWW/9/9/9/BBBBBBBBB w",
    ] {
        let path = format!("/api/v1/position?position={}", position.replace(' ', "%20"));
        let answer = get(&address, &path, "localhost");
        let (_, body) = answer.split_once("\r\n\r\n").expect("it has a body");
        let page: Value = serde_json::from_str(body).expect("it is JSON");
        let program = json(&with_shared(&format!("analyze --nodes 1 \"{position}\"")));
        assert_eq!(words_of(&page), words_of(&program), "{position}");
        let turns = |answer: &Value| {
            let turns = answer["turns"].as_array().expect("a list").iter();
            let turns = turns.map(|turn| (turn["turn"].to_string(), words_of(turn)));
            turns.collect::<BTreeMap<_, _>>()
        };
        assert_eq!(turns(&page), turns(&program), "{position}");
    }
    interrupt(&child);
    end(child);
}

/// The signal of a service manager ends it as Ctrl-C does.
#[test]
fn sigterm_ends_it_cleanly() {
    let (child, address) = start(&[]);
    let mut search = TcpStream::connect(&address).expect("it listens");
    let head = "GET /api/v1/search?seconds=600 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    search.write_all(head.as_bytes()).expect("it reads");
    search.read_exact(&mut [0]).expect("the stream begins");
    let kill = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.expect("kill starts").success());
    let mut rest = String::new();
    search.read_to_string(&mut rest).expect("the stream ends");
    assert!(rest.contains("event: done"), "{rest}");
    assert_eq!(end(child).0, Some(0));
}

/// Tables that another program changes or shortens while they are open are errors of their own
/// requests.
#[test]
fn it_survives_tables_that_change_in_place() {
    let dir = tempfile::tempdir().expect("a directory");
    for file in fs::read_dir(shared()).expect("it is there").map(|file| file.expect("a file")) {
        fs::copy(file.path(), dir.path().join(file.file_name())).expect("it can be copied");
    }
    let tables = dir.path().to_str().expect("it is UTF-8");
    let (child, address) = start_with(tables, &["--no-mmap"]);
    let value = |position: &str| {
        let path = format!("/api/v1/position?position={}", position.replace(' ', "%20"));
        get(&address, &path, "localhost")
    };
    // The first of each pair is read before the change, and the second is at another place.
    for (slice, [before, after]) in [
        ("2v2", ["WW7/9/9/9/7BB w", "9/2W4B1/9/1B4W2/9 w"]),
        ("1v3", ["W8/9/9/9/6BBB w", "9/2B4B1/9/1B4W2/9 w"]),
    ] {
        assert!(value(before).starts_with("HTTP/1.1 200"), "{slice}");
        let table = dir.path().join(format!("9x5_standard_{slice}.dtw.fano"));
        let file = File::options().write(true).open(&table).expect("it is there");
        let length = file.metadata().expect("it is there").len();
        if slice == "2v2" {
            file.set_len(4096).expect("it can be shortened");
        } else {
            (&file).write_all(&vec![0; length as usize]).expect("it can be written");
        }
        let answer = value(after);
        assert!(answer.starts_with("HTTP/1.1 500"), "{slice}: {answer}");
        assert!(answer.contains("\"damaged_file\""), "{slice}: {answer}");
        // It is served again once it is replaced, as programs of this project do.
        let new = dir.path().join("new");
        fs::copy(shared().join(table.file_name().expect("it has one")), &new).expect("it is there");
        fs::rename(&new, &table).expect("it can be replaced");
        assert!(value(after).starts_with("HTTP/1.1 200"), "{slice}");
    }
    assert!(value("9/9/2W1B4/9/9 w").starts_with("HTTP/1.1 200"));
    assert!(get(&address, "/healthz", "localhost").ends_with("ok"));
    interrupt(&child);
    assert_eq!(end(child).0, Some(0));
}

/// A command in an answer can be pasted, whatever the directory is called.
#[test]
fn commands_in_answers_are_quoted() {
    let dir = tempfile::tempdir().expect("a directory");
    let tables = dir.path().join("my \"own\" tables");
    fs::create_dir(&tables).expect("a directory");
    let (child, address) = start_with(tables.to_str().expect("it is UTF-8"), &[]);
    let answer = get(&address, "/api/v1/position?position=W8/9/9/9/6BBB%20w", "localhost");
    let (_, body) = answer.split_once("\r\n\r\n").expect("it has a body");
    let body: Value = serde_json::from_str(body).expect("it is JSON");
    let command = body["missing"]["build"]["command"].as_str().expect("it says how to build");
    assert!(command.ends_with(&format!(" --tables '{}'", tables.display())), "{command}");
    interrupt(&child);
    assert_eq!(end(child).0, Some(0));
}

/// The example in the help, with a free port and without the browser.
#[test]
fn the_example_of_the_help_runs() {
    let help = crate::fanorona(["serve", "--help"]).output().expect("it prints its help");
    let help = String::from_utf8(help.stdout).expect("help is UTF-8");
    let example = help.lines().find_map(|line| line.strip_prefix("  fanorona serve "));
    assert_eq!(example, Some("--tables tables --open"));
    let (child, address) = start(&[]);
    assert!(get(&address, "/healthz", "localhost").ends_with("ok"));
    interrupt(&child);
    assert_eq!(end(child).0, Some(0));
}

#[test]
fn unsafe_or_wrong_options_are_refused() {
    let tables = shared();
    let tables = tables.display();
    refused("serve --bind 0.0.0.0", 2, &["--host NAME"]);
    refused("serve --tables none", 2, &["there is no table directory none"]);
    refused("serve --host http://a.example", 2, &["without scheme"]);
    refused("serve --tables Cargo.toml", 2, &["--tables Cargo.toml is not a directory"]);
    for (option, form) in [
        ("--port 99999", "write a whole number, 0 to 65535"),
        ("--port http", "write a whole number, 0 to 65535"),
        ("--bind foo", "write an IP address, as in 127.0.0.1 or ::1"),
    ] {
        let (name, _) = option.split_once(' ').expect("it has a value");
        refused(&format!("serve {option}"), 2, &[name, form]);
    }
    refused(&format!("serve --tables {tables} --book Cargo.toml"), 2, &["Cargo.toml"]);
    // Somebody else has the port.
    let (child, address) = start(&[]);
    let (_, port) = address.rsplit_once(':').expect("it has a port");
    refused(&format!("serve --tables {tables} --port {port}"), 2, &["cannot listen on", "--port"]);
    interrupt(&child);
    assert_eq!(end(child).0, Some(0));
}

/// Strangers learn what to build, but not where.
#[test]
fn a_public_server_keeps_its_directories_to_itself() {
    let address = "/api/v1/position?board=5x5&position=WW3/W4/5/4B/3BB%20w";
    let command = |more: &[&str], host: &str| {
        let (child, server) = start(more);
        let port = server.rsplit_once(':').expect("it has a port").1;
        let answer = get(&format!("127.0.0.1:{port}"), address, host);
        interrupt(&child);
        assert_eq!(end(child).0, Some(0));
        answer
    };
    let own = command(&[], "localhost");
    assert!(own.contains("--stones 6 --metric wdl --tables "), "{own}");
    let public = command(&["--bind", "0.0.0.0", "--host", "fanorona.example"], "fanorona.example");
    assert!(public.contains("--stones 6 --metric wdl\""), "{public}");
}
