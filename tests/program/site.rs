//! `site`: the folder has what its manifest says and nothing else, a second run changes nothing, and
//! directories of others are left alone.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use fanorona_storage::checksum;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::{fanorona, json, refused, words};

/// The first bytes of a module, which the command does not run.
const MODULE: &[u8] = b"\x1f\x8b\x08\0";

/// Tables of two boards, of one with both metrics.
fn tables() -> &'static Path {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("site-tables");
        // Tables of an earlier run may be of another version.
        let _ = fs::remove_dir_all(&dir);
        for args in [
            "--board 3x3 --stones 5",
            "--board 5x5 --stones 3",
            "--board 5x5 --stones 4 --metric wdl",
        ] {
            let args = format!("build {args} --tables");
            fanorona(words(&args)).arg(&dir).assert().success();
        }
        dir
    })
}

/// A place for a folder, with a module beside it.
struct Place(TempDir);

/// Writes a module that does nothing.
pub(crate) fn write_module(dir: &Path) {
    fs::create_dir_all(dir).expect("it can be made");
    fs::write(dir.join("fanorona.js"), "export {};\n").expect("it can be written");
    fs::write(dir.join("fanorona_bg.packed"), MODULE).expect("it can be written");
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let module = dir.path().join("module");
        write_module(&module);
        Self(dir)
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("deep/folder")
    }

    /// The arguments for the folder with these tables.
    fn args(&self, tables: &Path, more: &str) -> String {
        format!(
            "site \"{}\" --tables \"{}\" --module \"{}\" {more}",
            self.folder().display(),
            tables.display(),
            self.0.path().join("module").display()
        )
    }

    fn write(&self, more: &str) -> Value {
        json(&self.args(tables(), more))
    }

    fn read(&self, path: &str) -> Vec<u8> {
        fs::read(self.folder().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn manifest(&self) -> Value {
        serde_json::from_slice(&self.read("manifest.json")).expect("it is JSON")
    }

    /// The paths of all files, with their times.
    fn files(&self) -> BTreeMap<String, SystemTime> {
        let mut found = BTreeMap::new();
        let mut dirs = vec![PathBuf::new()];
        while let Some(dir) = dirs.pop() {
            for entry in fs::read_dir(self.folder().join(&dir)).expect("it can be listed") {
                let entry = entry.expect("it is there");
                let path = dir.join(entry.file_name());
                let metadata = entry.metadata().expect("it is there");
                match metadata.is_dir() {
                    true => dirs.push(path),
                    false => {
                        let time = metadata.modified().expect("it has a time");
                        found.insert(path.to_str().expect("it is UTF-8").to_owned(), time);
                    }
                }
            }
        }
        found
    }
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The shards of a file by their paths, and the last one's checksum: level by level, each as a whole.
fn shards(file: &[u8], size: usize) -> (HashMap<String, Vec<u8>>, String) {
    let path = |bytes: &[u8]| {
        let digits = format!("{:016x}", checksum(bytes));
        format!("shards/{}/{}", &digits[..2], &digits[2..])
    };
    let (mut found, mut level) = (HashMap::new(), file.to_vec());
    while level.len() > size {
        let mut above = Vec::new();
        for shard in level.chunks(size) {
            found.insert(path(shard), shard.to_vec());
            above.extend(checksum(shard).to_le_bytes());
        }
        level = above;
    }
    let root = format!("{:016x}", checksum(&level));
    found.insert(path(&level), level);
    (found, root)
}

#[test]
fn everything_in_the_folder_is_named_and_right() {
    let place = Place::new();
    let written = place.write("");
    let manifest = place.manifest();
    assert_eq!(manifest["format"], 1);
    assert_eq!(written["version"], manifest["version"]);
    assert_eq!(written["files"], manifest["assets"]);
    let size = manifest["shard"].as_u64().expect("a number") as usize;

    let mut named = BTreeSet::from(["manifest.json".to_owned()]);
    for asset in list(&manifest["assets"]) {
        let path = asset["path"].as_str().expect("a text");
        let bytes = place.read(path);
        assert_eq!(asset["bytes"], bytes.len(), "{path}");
        assert_eq!(asset["sha256"], sha256(&bytes), "{path}");
        assert!(named.insert(path.to_owned()), "{path} is there twice");
    }
    // The service worker is not in the list, because it has the version of the list in it.
    if let Ok(script) = fs::read_to_string(place.folder().join("sw.js")) {
        assert!(script.contains(manifest["version"].as_str().expect("a text")));
        named.insert("sw.js".to_owned());
    }
    // The first bytes and the metadata of all tables are in a file of their own too.
    let mut heads = Vec::new();
    for table in list(&manifest["tables"]) {
        let file = fs::read(tables().join(table["name"].as_str().expect("a text")));
        let file = file.expect("it is there");
        heads.extend(&file[..64]);
        heads.extend(&file[table["metadata"].as_u64().expect("a number") as usize..]);
    }
    let (cut, root) = shards(&heads, size);
    assert_eq!(
        (&manifest["heads"]["root"], &manifest["heads"]["bytes"]),
        (&root.into(), &heads.len().into())
    );
    named.extend(cut.into_keys());

    let proofs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs");
    let mut names = BTreeSet::new();
    let openings = proofs.join("openings");
    for (key, dirs) in [("tables", [tables(); 2]), ("proofs", [&*proofs, &*openings])] {
        for (entry, reported) in list(&manifest[key]).iter().zip(list(&written[key])) {
            let name = entry["name"].as_str().expect("a text");
            let file = dirs.iter().find_map(|dir| fs::read(dir.join(name)).ok());
            let file = file.expect("it is there");
            let (shards, root) = shards(&file, size);
            assert_eq!(entry["bytes"], file.len(), "{name}");
            assert_eq!(entry["root"], root, "{name}");
            assert_eq!(entry["sha256"], sha256(&file), "{name}");
            assert_eq!((&reported["name"], &reported["bytes"]), (&entry["name"], &entry["bytes"]));
            for (path, bytes) in shards {
                assert_eq!(place.read(&path), bytes, "{path} of {name}");
                named.insert(path);
            }
            names.insert(name.to_owned());
        }
    }
    assert_eq!(place.files().into_keys().collect::<BTreeSet<_>>(), named);

    let there = fs::read_dir(tables()).expect("it can be listed").map(|file| {
        file.expect("it is there").file_name().to_str().expect("it is UTF-8").to_owned()
    });
    let mut expected: BTreeSet<_> = there.filter(|name| name.ends_with(".fano")).collect();
    if cfg!(feature = "starts") {
        expected.extend(["3x3-standard.proof", "5x5-standard.proof"].map(str::to_owned));
        let of_turns = ["b2-c3A", "b3-c3A", "b3-c3W", "c2-c3A", "d2-c3A"];
        expected.extend(of_turns.map(|turn| format!("5x5-standard-{turn}.proof")));
    }
    assert_eq!(names, expected);
}

/// The page asks for its first answers before the module is there.
#[test]
fn the_first_answers_are_files() {
    let place = Place::new();
    place.write("--board 5x5");
    let manifest = place.manifest();
    let answer = |request: &str| -> Value {
        let entry = list(&manifest["answers"]).iter().find(|entry| entry["request"] == request);
        let path = entry.unwrap_or_else(|| panic!("{request}"))["path"].as_str().expect("a text");
        serde_json::from_slice(&place.read(path)).expect("it is JSON")
    };
    assert_eq!(list(&manifest["answers"]).len(), 3);
    let about = answer("api/v1/about");
    // Of 5x5 alone: the answers are those of the folder, not of the directory of the tables.
    let tables: Vec<_> = list(&about["tables"])
        .iter()
        .map(|entry| {
            (entry["board"].as_str(), entry["metric"].as_str(), entry["max_stones"].as_u64())
        })
        .collect();
    assert_eq!(tables, [(Some("5x5"), Some("wdl"), Some(4)), (Some("5x5"), Some("dtw"), Some(3))]);
    assert_eq!(answer("api/v1/board?board=5x5&rules=standard")["board"], "5x5");
    let start = "BBBBB%2FBBBBB%2FBW1BW%2FWWWWW%2FWWWWW+w";
    let start = format!("api/v1/position?board=5x5&rules=standard&position={start}&detail=tree");
    assert!(!list(&answer(&start)["steps"]).is_empty());
}

/// All addresses are relative, so the folder works below the top of a host, and there is no script in
/// the page itself, which the policy forbids.
#[test]
fn the_page_asks_for_nothing_elsewhere() {
    let place = Place::new();
    place.write("--board 3x3");
    let text = |path: &str| String::from_utf8(place.read(path)).expect("it is text");
    let page = text("index.html");
    assert!(page.contains("data-backend=\"worker\"") && page.contains("<noscript>\n<h1>Fanorona"));
    let mut asked = 0;
    for attribute in ["href=\"", "src=\""] {
        for part in page.split(attribute).skip(1) {
            let (path, _) = part.split_once('"').expect("it ends");
            assert!(!path.starts_with('/') && !path.contains(':'), "{path}");
            place.read(path);
            asked += 1;
        }
    }
    assert!(asked > 4, "{page}");
    for part in page.split("<script").skip(1) {
        assert!(
            part.split_once("></script>").is_some_and(|(tag, _)| tag.contains("src=\"")),
            "{part}"
        );
    }
    assert!(!page.contains("<style") && !page.contains(" style=\"") && !page.contains(" onload="));
    for path in place.files().into_keys().filter(|path| path.ends_with(".css")) {
        assert!(!text(&path).contains("url(/") && !text(&path).contains("@import"), "{path}");
    }
}

#[test]
fn a_second_run_writes_nothing_new() {
    let place = Place::new();
    let first = place.write("");
    let files = place.files();
    assert_eq!((&first["unchanged"], &first["removed"]), (&0.into(), &0.into()));
    let second = place.write("");
    assert_eq!((&second["written"], &second["removed"]), (&0.into(), &0.into()));
    assert_eq!(place.files(), files);
    assert_eq!(second["version"], first["version"]);
}

#[test]
fn a_folder_is_brought_up_to_date() {
    let place = Place::new();
    let first = place.write("--board 5x5,3x3");
    let (before, manifest) = (place.files(), place.manifest());
    let folder = place.folder();
    // Damage, something of an earlier version, and things of others.
    let shard = before.keys().find(|path| path.starts_with("shards/")).expect("there is one");
    let right = place.read(shard);
    fs::write(folder.join(shard), vec![0; right.len()]).expect("it can be written");
    fs::write(folder.join("robots.txt"), "mine").expect("it can be written");
    fs::write(folder.join("assets/mine.js"), "mine").expect("it can be written");
    fs::write(folder.join("shards/note"), "mine").expect("it can be written");
    let mut older = manifest.clone();
    for path in ["assets/old.js", "robots.txt", "../module/fanorona.js", "/etc/hosts"] {
        let entry = serde_json::json!({ "path": path, "bytes": 1, "sha256": "" });
        older["assets"].as_array_mut().expect("a list").push(entry);
    }
    fs::write(folder.join("assets/old.js"), "old").expect("it can be written");
    fs::write(folder.join("manifest.json"), older.to_string()).expect("it can be written");

    let second = place.write("--board 5x5,3x3");
    assert_eq!((&second["written"], &second["removed"]), (&2.into(), &1.into()));
    assert_eq!(place.read(shard), right);
    assert_eq!(place.manifest(), manifest);
    let mut expected: BTreeSet<_> = before.keys().cloned().collect();
    expected.extend(["robots.txt", "assets/mine.js", "shards/note"].map(str::to_owned));
    assert_eq!(place.files().into_keys().collect::<BTreeSet<_>>(), expected);

    // With fewer tables, their shards go.
    let third = place.write("--board 3x3");
    assert_ne!(third["version"], first["version"]);
    let of_5x5 = |manifest: &Value| manifest.to_string().contains("5x5_standard");
    assert!(of_5x5(&manifest) && !of_5x5(&place.manifest()));
    assert!(third["removed"].as_u64() > Some(5), "{third}");
    // The heads of fewer tables are a new file, in one shard.
    assert_eq!(third["removed"], expected.len() + 1 - place.files().len());
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_command_goes_on_later() {
    use crate::ctrl_c::{end, interrupt, start, wait_for_handler};
    let place = Place::new();
    let child = start(place.0.path(), &place.args(tables(), "--json"));
    wait_for_handler(&child);
    interrupt(&child);
    let (status, stdout, stderr) = end(child);
    assert_eq!(status, Some(130), "{stderr}");
    assert!(stderr.contains("of the folder are there; the same command goes on"), "{stderr}");
    let answer: Value = serde_json::from_str(&stdout).expect("it is JSON");
    assert_eq!(answer["error"]["code"], "interrupted");
    assert!(!place.folder().join("manifest.json").exists());
    let other = Place::new();
    assert_eq!(place.write("")["version"], other.write("")["version"]);
    assert!(place.files().keys().eq(other.files().keys()));
}

/// A command that was killed before its manifest goes on where it was.
#[test]
fn an_unfinished_folder_is_finished() {
    let place = Place::new();
    place.write("--board 3x3");
    let files = place.files();
    let folder = place.folder();
    fs::remove_file(folder.join("manifest.json")).expect("it can be removed");
    refused(&place.args(tables(), "--board 3x3"), 2, &["other files"]);
    fs::write(folder.join(".fanorona-site"), "").expect("it can be written");
    let again = place.write("--board 3x3");
    assert_eq!((&again["written"], &again["removed"]), (&1.into(), &0.into()));
    assert_eq!(place.files().keys().collect::<Vec<_>>(), files.keys().collect::<Vec<_>>());
}

#[test]
fn directories_of_others_are_refused() {
    let place = Place::new();
    let folder = place.folder();
    fs::create_dir_all(&folder).expect("it can be made");
    let args = place.args(tables(), "--board 3x3");
    for (name, text) in [
        ("index.html", "<p>mine</p>"),
        ("manifest.json", "{\"name\": \"an application\"}"),
        ("manifest.json", "{\"program\": \"other 1\", \"assets\": []}"),
        ("manifest.json", "{\"program\": \"fanorona 1\", \"assets\": [1]}"),
        ("manifest.json", "[["),
    ] {
        fs::write(folder.join(name), text).expect("it can be written");
        refused(&args, 2, &["--output", "other files in it"]);
        assert_eq!(place.files().len(), 1, "{name}");
        fs::remove_file(folder.join(name)).expect("it can be removed");
    }
    // An empty one will do.
    place.write("--board 3x3");
    let file = folder.join("index.html");
    let args = format!("site --tables \"{}\" \"{}\"", tables().display(), file.display());
    refused(&args, 2, &["is not a directory"]);
}

#[test]
fn what_cannot_be_in_the_folder_is_refused() {
    let place = Place::new();
    let refused = |more: &str, parts: &[&str]| refused(&place.args(tables(), more), 2, parts);
    refused("--board 5x5 --stones 5", &["missing: 3v2, 2v3, 4v1, 1v4", "--stones 5 --tables"]);
    refused("--board 3x3 --rules free-capture", &["no tables of 3x3 under free-capture"]);
    refused("--board 3x3 --stones 9", &["--stones 9 is too large: 3x3 has 8 stones"]);
    refused("--board 4x4", &["4x4"]);
    refused("--board 3x3 --rules standerd", &["standerd"]);
    refused("--board 3x3 --rules vela", &["9x5"]);
    assert!(!place.folder().exists(), "nothing is written before all is known");

    // Without tables there are rules, engine and certificates.
    let bare = place.write("--board 3x3 --rules standard,free-capture --stones 0");
    assert_eq!(bare["tables"].as_array().map(Vec::len), Some(0));
    assert_eq!(list(&place.manifest()["answers"]).len(), 5);

    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("3x3_standard_1v1.dtw.fano"), "damage").expect("it can be written");
    let args = place.args(dir.path(), "--board 3x3");
    crate::refused(&args, 2, &["3x3_standard_1v1.dtw.fano"]);
    crate::refused("site x --tables /dev/null/tables --module .", 2, &["fanorona.js"]);
    assert!(!Path::new("x").exists());
}

#[test]
fn a_module_is_needed() {
    let place = Place::new();
    let module = place.0.path().join("module");
    let args = place.args(tables(), "--board 3x3");
    fs::write(module.join("fanorona_bg.packed"), "text").expect("it can be written");
    refused(&args, 2, &["fanorona_bg.packed", "not a packed WebAssembly module"]);
    fs::remove_file(module.join("fanorona_bg.packed")).expect("it can be removed");
    refused(&args, 2, &["fanorona_bg.packed", "--module"]);
    if cfg!(not(feature = "wasm")) {
        let args = format!("site \"{}\"", place.folder().display());
        refused(&args, 2, &["tools/wasm", "--module"]);
    }
    assert!(!place.folder().exists());
}
