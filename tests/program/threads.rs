//! `--threads`: where it stands it holds, and where threads make no difference it is not there.

use crate::refused;

#[test]
fn commands_without_work_for_threads_have_no_option_for_them() {
    for command in ["moves", "tables", "probe", "site"] {
        refused(&format!("{command} --threads 1"), 2, &["unexpected argument '--threads'"]);
    }
}

/// The most threads of the program at a time, with the main thread and the one for Ctrl-C.
#[cfg(target_os = "linux")]
fn most_threads(args: &str) -> usize {
    use std::process::{Command, Stdio};
    use std::{fs, thread, time::Duration};
    let mut program = Command::new(env!("CARGO_BIN_EXE_fanorona"));
    program.args(crate::words(args)).env_remove("FANORONA_TABLES").env_remove("RAYON_NUM_THREADS");
    program.stdout(Stdio::null()).stderr(Stdio::null());
    let mut program = program.spawn().expect("it starts");
    let tasks = format!("/proc/{}/task", program.id());
    let mut most = 0;
    while program.try_wait().expect("it runs").is_none() {
        // The directory is empty, or not there, when the program has ended.
        most = most.max(fs::read_dir(&tasks).map_or(0, Iterator::count));
        thread::sleep(Duration::from_millis(1));
    }
    most
}

/// Work of many kinds. With the proofs of the starts, a line is followed through a certificate, and for
/// that the points of the tables are numbered.
#[cfg(target_os = "linux")]
#[test]
fn as_many_threads_work_as_were_asked_for() {
    let dir = tempfile::tempdir().expect("a directory");
    let build = format!("build --board 5x5 --stones 5 --tables \"{}\"", dir.path().display());
    let mut commands = vec![
        "perft 5 --count unique".to_owned(),
        "stats --board 5x5 --games 20000".to_owned(),
        build,
    ];
    if cfg!(feature = "starts") {
        commands.push("9x5".to_owned());
    }
    for command in commands {
        let [one, four] = [1, 4].map(|n| {
            let most = most_threads(&format!("{command} --threads {n}"));
            for table in std::fs::read_dir(dir.path()).expect("it is there").flatten() {
                std::fs::remove_file(table.path()).expect("it can be removed");
            }
            most
        });
        assert_eq!(four - one, 3, "{command}");
        if command == "9x5" {
            assert!(one <= 2, "the main thread, and the one for Ctrl-C: {one}");
        }
    }
}
