//! The builder is killed at random moments, again and again, and its files in the end are those of
//! a build that nobody disturbed. `tools/build_test.py kill` does the same with larger tables.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// So often a build is killed, unless it gets ahead of that.
const KILLS: u32 = 12;

/// So often a build is killed in any case.
const SURE_KILLS: u32 = 3;

/// Small numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % n
    }
}

/// The fate of a start.
struct Start {
    /// None if it was killed.
    status: Option<ExitStatus>,
    resumed: bool,
    saved: bool,
}

fn start(args: &[&str], dir: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_fanorona"))
        .args(args)
        .args(["--checkpoint", "0", "--tables", "."])
        .env_remove("FANORONA_TABLES")
        .current_dir(dir)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Starts a build. It is killed some moments after it has saved this number of checkpoints, so that every
/// start comes further than the last, on a machine of any speed.
fn start_and_kill(args: &[&str], dir: &Path, checkpoints: u64, moments: Duration) -> Start {
    let mut child = start(args, dir);
    let stderr = BufReader::new(child.stderr.take().expect("it is piped"));
    let (mut resumed, mut saved) = (false, 0);
    let mut lines = stderr.lines().map_while(Result::ok);
    for line in lines.by_ref() {
        assert!(!line.contains("cannot be used") && !line.contains("panicked"), "{line}");
        resumed |= line.contains("continues from a checkpoint");
        saved += u64::from(line.contains(" checkpoint at ") && !line.contains("continues"));
        if saved == checkpoints {
            thread::sleep(moments);
            child.kill().expect("it can be killed");
            break;
        }
    }
    drop(lines);
    let status = child.wait().expect("it ends");
    // One that ended by itself has a status of its own.
    let status = status.code().is_some().then_some(status);
    Start { status, resumed, saved: saved > 0 }
}

fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(dir).expect("it can be listed");
    files
        .map(|file| {
            let file = file.expect("it is there");
            let bytes = fs::read(file.path()).expect("it can be read");
            (file.file_name().to_string_lossy().into_owned(), bytes)
        })
        .collect()
}

fn killed_builds_come_to_the_same(args: &[&str]) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is later than 1970");
    let seed = now.as_nanos() as u64;
    println!("seed {seed}");
    let mut random = Random(seed);

    let dir = fanorona_tests::directory().expect("a directory");
    crate::fanorona(args.iter().copied()).current_dir(&dir).assert().success();
    let undisturbed = contents(&dir.path().join("tables"));

    let dir = fanorona_tests::directory().expect("a directory");
    let (mut kills, mut within, mut resumed) = (0, 0, 0);
    loop {
        // The first ones come early, so that a fast machine cannot get ahead of them.
        let (most, longest) = if kills < SURE_KILLS { (1, 1) } else { (12, 20_000) };
        let checkpoints = if kills < KILLS { 1 + random.below(most) } else { u64::MAX };
        let moments = Duration::from_micros(random.below(longest));
        let start = start_and_kill(args, dir.path(), checkpoints, moments);
        resumed += u32::from(start.resumed);
        if let Some(status) = start.status {
            assert!(status.success(), "{status}");
            break;
        }
        kills += 1;
        within += u32::from(start.saved);
        for (name, bytes) in contents(dir.path()) {
            let whole = undisturbed.get(&name);
            assert!(!name.ends_with(".fano") || whole == Some(&bytes), "{name} after kill {kills}");
        }
    }
    println!("{kills} kills, {within} within a unit, {resumed} starts went on from a checkpoint");
    assert!(kills >= SURE_KILLS && within >= SURE_KILLS && resumed >= 1);
    let found = contents(dir.path());
    assert_eq!(found.keys().collect::<Vec<_>>(), undisturbed.keys().collect::<Vec<_>>());
    assert!(found == undisturbed);
}

#[test]
fn ctrl_c_within_a_unit_keeps_its_work() {
    let dir = fanorona_tests::directory().expect("a directory");
    for file in fs::read_dir(crate::tables::shared()).expect("tables are there") {
        let file = file.expect("it can be listed");
        fs::copy(file.path(), dir.path().join(file.file_name())).expect("it can be copied");
    }
    let mut child = start(&["build", "--stones", "5"], dir.path());
    let mut stderr = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut line = String::new();
    stderr.read_line(&mut line).expect("it says something");
    assert!(line.starts_with("3v2+2v3 checkpoint at captures, "), "{line}");
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill starts").success());
    let last = stderr.lines().map_while(Result::ok).last().expect("it says what is kept");
    assert_eq!(child.wait().expect("it ends").code(), Some(130), "{last}");
    let kept = "interrupted: 6 tables in . are finished, up to 1v3, and 3v2+2v3 has a checkpoint; \
                the next build resumes from there";
    assert!(last.contains(kept), "{last}");
    let next = start_and_kill(&["build", "--stones", "5"], dir.path(), 1, Duration::ZERO);
    assert!(next.resumed);
}

#[test]
fn with_win_draw_and_loss() {
    killed_builds_come_to_the_same(&["build", "--stones", "4", "--metric", "wdl"]);
}

#[test]
fn with_distances() {
    killed_builds_come_to_the_same(&["build", "--stones", "4", "--metric", "dtw"]);
}

#[test]
fn with_captures_that_need_not_be_done() {
    let args = ["build", "--board", "5x5", "--rules", "free-capture", "--stones", "5"];
    killed_builds_come_to_the_same(&args);
}
