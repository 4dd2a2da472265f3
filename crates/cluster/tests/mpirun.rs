//! Runs `fanorona-mpi` with several processes on this machine. Needs Linux and `mpirun`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::{Duration, Instant};

use fanorona_builder::{BuildOptions, build};
use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::Metric;

const PROGRAM: &str = env!("CARGO_BIN_EXE_fanorona-mpi");

/// `mpirun` with more processes than this machine may have cores.
fn mpirun() -> Command {
    let mut command = Command::new("mpirun");
    // Containers run as root, which Open MPI allows only with both of these.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.arg("--oversubscribe");
    command
}

fn arguments(dir: &Path, size: &str, rules: &str, stones: u32, metric: Metric) -> Vec<String> {
    let dir = dir.to_str().expect("a path in UTF-8");
    let line = format!("build --board {size} --rules {rules} --stones {stones} --metric {metric}");
    let words = line.split(' ').chain(["--threads", "1", "--tables", dir]);
    words.map(str::to_owned).collect()
}

fn tables(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(dir).expect("a directory").map(|file| file.expect("a file"));
    let name = |file: &fs::DirEntry| file.file_name().into_string().expect("a name");
    files.map(|file| (name(&file), fs::read(file.path()).expect("it can be read"))).collect()
}

fn alone(size: &str, rules: &str, stones: u32, metric: Metric) -> BTreeMap<String, Vec<u8>> {
    let (board, rules): (Board, RuleSet) = (size.parse().unwrap(), rules.parse().unwrap());
    let dir = tempfile::tempdir().expect("a directory");
    let options = BuildOptions::new(dir.path(), board, rules, stones).with_metric(metric);
    build(&options, &(), &AtomicBool::new(false)).expect("it builds");
    tables(dir.path())
}

fn run(mut command: Command) -> Output {
    command.output().expect("mpirun is installed")
}

fn text(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{out}{err}")
}

#[test]
fn tables_are_those_of_one_process() {
    for (size, rules, stones) in [
        ("3x3", "standard", 8),
        ("3x3", "free-capture", 8),
        ("5x3", "forced-relay", 5),
        ("5x3", "first-capture-single", 5),
        ("5x3", "standard+direction-strict+no-turns-draw", 5),
        ("5x5", "standard", 5),
    ] {
        for metric in Metric::ALL {
            let expected = alone(size, rules, stones, metric);
            for processes in ["1", "2", "4"] {
                let dir = tempfile::tempdir().expect("a directory");
                let mut command = mpirun();
                command.args(["-n", processes, PROGRAM]);
                command.args(arguments(dir.path(), size, rules, stones, metric));
                let output = run(command);
                assert!(output.status.success(), "{}", text(&output));
                let same = tables(dir.path()) == expected;
                assert!(same, "{size} {rules} {metric}, {processes} processes");
            }
        }
    }
}

/// Only the first process prints results, with what was exchanged if there is more than one.
#[test]
fn results_are_printed_once() {
    for (processes, exchanged) in [("1", false), ("3", true)] {
        let dir = tempfile::tempdir().expect("a directory");
        let mut command = mpirun();
        command.args(["-n", processes, PROGRAM]);
        command.args(arguments(dir.path(), "3x3", "standard", 4, Metric::Wdl)).arg("--json");
        let output = run(command);
        let text = text(&output);
        assert_eq!(text.matches("\"slices\":").count(), 1, "{text}");
        assert_eq!(text.contains("\"waiting_seconds\":"), exchanged, "{text}");
    }
}

#[test]
fn arguments_that_cannot_be_used_are_refused_once() {
    for bad in [["--stones", "99"], ["--stones", "x"], ["--slice", "9v9"]] {
        let mut command = mpirun();
        command.args(["-n", "3", PROGRAM, "build", "--board", "3x3"]).args(bad);
        let output = run(command);
        assert!(!output.status.success());
        let text = text(&output);
        assert_eq!(text.matches("error: ").count(), 1, "{text}");
    }
}

/// An error of one process has its message, and ends all.
#[test]
fn an_error_of_one_process_ends_all() {
    let dir = tempfile::tempdir().expect("a directory");
    let [own, other] = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
    let arguments = |dir: &Path| arguments(dir, "5x3", "standard", 6, Metric::Dtw);
    let of_two = |first: &[String], second: &[String]| {
        let mut command = mpirun();
        command.args(["-n", "1"]).args(first).arg(":").args(["-n", "1"]).args(second);
        let output = run(command);
        assert!(!output.status.success());
        text(&output)
    };
    let program =
        |arguments: Vec<String>| -> Vec<String> { [vec![PROGRAM.to_owned()], arguments].concat() };
    // Files of more than a block, of 512 or 1,024 bytes, fail. The first process writes the tables.
    let limited = format!("trap '' XFSZ; ulimit -f 1; exec {PROGRAM} \"$@\"");
    let shell = ["sh", "-c", &limited, "sh"].map(str::to_owned).to_vec();
    let limited = [shell, arguments(dir.path())].concat();
    let found = of_two(&limited, &program(arguments(dir.path())));
    assert!(found.contains("error: process 0 has failed: "), "{found}");
    assert!(found.contains("too large"), "{found}");

    let found = of_two(&program(arguments(own.path())), &program(arguments(other.path())));
    assert!(found.contains("do not share"), "{found}");
    let memory = [arguments(dir.path()), vec!["--memory".to_owned(), "1".to_owned()]].concat();
    let found = of_two(&program(arguments(dir.path())), &program(memory));
    assert!(found.contains("process 1 has failed: "), "{found}");
    assert!(found.contains("MiB of memory"), "{found}");
    let others = self::arguments(dir.path(), "5x3", "standard", 5, Metric::Dtw);
    let found = of_two(&program(arguments(dir.path())), &program(others));
    assert!(found.contains("other options"), "{found}");
}

/// The processes that `mpirun` has started.
fn children(parent: u32) -> Vec<String> {
    let is_child = |pid: &String| {
        // The state and the parent follow the name, which is in brackets.
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let Some((name, rest)) = stat.rsplit_once(") ") else { return false };
        name.contains("(fanorona") && rest.split(' ').nth(1) == Some(&parent.to_string())
    };
    let entries = fs::read_dir("/proc").expect("Linux").map(|entry| entry.expect("an entry"));
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(is_child).collect()
}

fn signal(name: &str, pid: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill {name} {pid}")]).status();
    assert!(status.expect("there is a shell").success());
}

/// A process that stands still for some time delays the others. One that is killed ends them, and the
/// next build resumes from a checkpoint, with another number of processes.
#[test]
fn processes_can_stop_and_die() {
    let expected = alone("5x5", "standard", 7, Metric::Wdl);
    let dir = tempfile::tempdir().expect("a directory");
    let command = |processes: &str| {
        let mut command = mpirun();
        command.args(["-n", processes, PROGRAM]);
        command.args(arguments(dir.path(), "5x5", "standard", 7, Metric::Wdl));
        command.args(["--checkpoint", "0"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let has_checkpoint = || {
        fs::read_dir(dir.path()).is_ok_and(|mut files| {
            files.any(|file| {
                let name = file.expect("a file").file_name();
                name.to_string_lossy().starts_with("5x5_standard_4v3")
                    && name.to_string_lossy().ends_with(".checkpoint")
            })
        })
    };
    let started = Instant::now();
    let mut running = command("3").spawn().expect("mpirun is installed");
    while !has_checkpoint() {
        assert!(started.elapsed() < Duration::from_secs(120), "no checkpoint");
        assert!(running.try_wait().expect("it runs").is_none(), "it is too fast");
        sleep(Duration::from_millis(5));
    }
    let all = children(running.id());
    assert_eq!(all.len(), 3);
    signal("-STOP", &all[1]);
    sleep(Duration::from_secs(2));
    assert!(running.try_wait().expect("it runs").is_none(), "the others wait");
    signal("-CONT", &all[1]);
    signal("-KILL", &all[2]);
    let output = running.wait_with_output().expect("it ends");
    assert!(!output.status.success());
    assert!(has_checkpoint());

    let output = run(command("2"));
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("continues from a checkpoint"), "{}", text(&output));
    assert!(tables(dir.path()) == expected);
}
