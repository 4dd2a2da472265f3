//! `tables --manifest` and `fetch`: what one directory publishes comes into another as it is, and a bad
//! manifest writes nothing.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;

use fanorona_storage::Sha256;
use serde_json::Value;
use tempfile::TempDir;

use crate::{fanorona, json, refused, words};

/// The name of the data set.
const NAME: &str = "3x3_standard";

/// A directory of published tables, and a place to fetch them into.
struct Published {
    dir: TempDir,
    /// The address of the directory.
    address: String,
}

impl Published {
    /// Tables of 3x3 to 4 stones with distances, and to 3 stones without, on a server that sends files
    /// until the test ends.
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let tables = dir.path().join(NAME);
        for args in ["--stones 4", "--stones 3 --metric wdl"] {
            let args = format!("build --board 3x3 {args} --tables");
            fanorona(words(&args)).arg(&tables).assert().success();
        }
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}/", listener.local_addr().expect("an address"));
        let root = dir.path().to_owned();
        thread::spawn(move || {
            for stream in listener.incoming() {
                answer(&root, stream.expect("a connection"));
            }
        });
        Self { dir, address }
    }

    fn tables(&self) -> PathBuf {
        self.dir.path().join(NAME)
    }

    fn publish(&self) -> Value {
        let (dir, address) = (self.tables(), &self.address);
        let options = format!("--manifest --web-seed {address}");
        json(&format!("tables --board 3x3 --tables \"{}\" {options}", dir.display()))
    }

    fn target(&self) -> PathBuf {
        self.dir.path().join("fetched")
    }

    fn args(&self, more: &str) -> String {
        let target = self.target();
        format!("fetch {}{NAME}/{NAME}.json --tables \"{}\" {more}", self.address, target.display())
    }

    /// The names in the place.
    fn fetched(&self) -> Vec<String> {
        let Ok(names) = fs::read_dir(self.target()) else { return Vec::new() };
        let names = names.map(|name| name.expect("it can be listed").file_name());
        names.map(|name| name.into_string().expect("it is UTF-8")).collect()
    }

    /// Changes the manifest.
    fn replace(&self, from: &str, to: &str) {
        let path = self.tables().join(format!("{NAME}.json"));
        let text = fs::read_to_string(&path).expect("it is there");
        assert!(text.contains(from), "{from}");
        fs::write(path, text.replacen(from, to, 1)).expect("it can be written");
    }
}

/// Answers a request for a file.
fn answer(root: &Path, mut stream: TcpStream) {
    let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
    let line = lines.next().unwrap_or_default();
    lines.find(String::is_empty);
    let path = line.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
    let (status, bytes) = match fs::read(root.join(path)) {
        Ok(bytes) => ("200 OK", bytes),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        bytes.len()
    );
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&bytes));
}

#[test]
fn published_tables_are_fetched() {
    let published = Published::new();
    let report = published.publish();
    assert_eq!(report["files"][2], format!("{NAME}.torrent"));
    let manifest = fs::read(published.tables().join(format!("{NAME}.json"))).expect("it is there");
    let listed: Value = serde_json::from_slice(&manifest).expect("it is JSON");
    let files = listed["files"].as_array().expect("a list");
    assert_eq!(files.len(), 6 + 3);
    for file in files {
        let path = published.tables().join(file["name"].as_str().expect("a name"));
        let bytes = fs::read(path).expect("the table is there");
        assert_eq!(file["sha256"], Sha256::of(&bytes).to_string());
        assert_eq!(file["bytes"], bytes.len());
    }
    // As `tables` says it.
    assert_eq!(files[0]["about"]["win"], report["slices"][0]["win"]);
    assert_eq!(files[0]["about"]["checksum"], report["slices"][0]["checksum"]);

    let estimate = json(&published.args("--estimate --metric wdl"));
    assert_eq!(estimate["files"].as_array().map(Vec::len), Some(3));
    assert_eq!(published.fetched(), [""; 0]);

    let few = json(&published.args("--stones 2"));
    let slices = few["slices"].as_array().expect("a list");
    assert!(slices.iter().all(|slice| slice["written"] == true && slice["slice"] == "1v1"));
    let sha256 = Sha256::of(&manifest);
    let all = json(&published.args(&format!("--sha256 {sha256}")));
    let new = all["slices"].as_array().expect("a list").iter();
    assert_eq!(new.filter(|slice| slice["written"] == true).count(), files.len() - slices.len());
    assert_eq!(published.fetched().len(), files.len());
    for name in published.fetched() {
        let read = |dir: PathBuf| fs::read(dir.join(&name)).expect("it can be read");
        assert_eq!(read(published.target()), read(published.tables()), "{name}");
    }

    // The page for people has commands that work.
    let card = fs::read_to_string(published.tables().join(format!("{NAME}.md"))).expect("a card");
    let commands: Vec<_> = card.lines().filter_map(|line| line.strip_prefix("fanorona ")).collect();
    assert_eq!(commands.len(), 1 + 2 + 1, "{card}");
    for command in commands {
        fanorona(words(command)).current_dir(&published.dir).assert().success();
    }
}

#[test]
fn a_bad_manifest_writes_nothing() {
    let published = Published::new();
    published.publish();
    let name = format!("{NAME}_1v1.wdl.fano");
    let wrong = Sha256::of(b"").to_string();
    refused(&published.args(&format!("--sha256 {wrong}")), 1, &["SHA-256", &wrong]);
    refused(&published.args("--stones 2 --slice 1v1"), 2, &["cannot be used with"]);
    refused(&published.args("--slice 4v4"), 2, &["no such tables"]);
    for bad in
        [format!("../{name}"), "README.md".to_owned(), format!("{NAME}_1v1.wdl.unpacked.fano")]
    {
        published.replace(&name, &bad);
        refused(&published.args(""), 2, &[&format!("'{bad}'"), "no table"]);
        published.replace(&bad, &name);
    }
    published.replace("\"format\": 1", "\"format\": 2");
    refused(&published.args(""), 2, &["format 2"]);
    published.replace("\"format\": 2", "");
    refused(&published.args(""), 2, &["is not a manifest"]);
    assert_eq!(published.fetched(), [""; 0]);
    refused("fetch tables.json", 2, &["is not the address"]);
}

#[test]
fn a_wrong_table_is_not_kept() {
    let published = Published::new();
    published.publish();
    let path = published.tables().join(format!("{NAME}_1v1.wdl.fano"));
    let mut bytes = fs::read(&path).expect("it is there");
    bytes[100] ^= 1;
    fs::write(&path, &bytes).expect("it can be written");
    refused(&published.args("--slice 1v1 --metric wdl"), 2, &["wrong bytes", "nothing was kept"]);
    fs::remove_file(path).expect("it can be removed");
    refused(&published.args("--slice 1v1 --metric wdl"), 2, &["status 404"]);
    assert!(published.fetched().iter().all(|name| name.starts_with(".fetch.partial-")));
}
