//! Files that `analyze` and `stats` write: what cannot be written, what is replaced and what is not.

use std::fs;
use std::path::Path;

use crate::{fanorona, refused_in, words};

#[cfg(unix)]
mod unix {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};

    use serde_json::Value;

    use super::*;
    use crate::{json, shell};

    #[test]
    fn the_answer_comes_before_what_was_not_kept() {
        if !Path::new("/dev/full").exists() {
            return;
        }
        let dir = tempfile::tempdir().expect("a directory");
        symlink("/dev/full", dir.path().join("full")).expect("a link");
        for (option, message) in [
            ("--certificate /dev/full", "cannot write /dev/full"),
            ("--certificate full", "cannot write full"),
        ] {
            let analyze = format!("analyze --board 5x3 {option}");
            let output = fanorona(words(&analyze)).current_dir(&dir).output().expect("it runs");
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(output.status.code(), Some(2), "{stderr}");
            assert!(stdout.contains("BW1BW/WWWWW w\nWhite wins.\n"), "{stdout}");
            assert!(stderr.contains(message) && stderr.contains("No space left"), "{stderr}");
            assert_eq!(stderr.matches("No space left").count(), 1, "{stderr}");

            let output = fanorona(words(&analyze))
                .arg("--json")
                .current_dir(&dir)
                .output()
                .expect("it runs");
            assert_eq!(output.status.code(), Some(2));
            let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
            assert_eq!(report["value"], "win");
            let not_kept = report["not_kept"][0].as_str().expect("a text");
            assert!(not_kept.contains(message), "{not_kept}");
        }
    }

    /// A limit for every file does what a full disk does: a write fails in the middle.
    #[test]
    fn the_answer_comes_before_a_search_that_was_not_kept() {
        let dir = tempfile::tempdir().expect("a directory");
        let analyze = "analyze --board 5x3 --book none --resume search --json";
        let script = &format!("trap '' XFSZ; ulimit -f 1; \"$F\" {analyze}");
        let output = shell(dir.path(), script);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("the search was not saved: cannot write search: "), "{stderr}");
        let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        assert_eq!(report["value"], "win");
        assert_eq!(fs::read_dir(&dir).expect("it is there").count(), 0, "nothing is left behind");
    }

    /// A chart that cannot be written is no reason to lose the statistics.
    #[test]
    fn statistics_come_before_a_chart_that_was_not_written() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("chart.svg"), "old").expect("it can be written");
        let script = "trap '' XFSZ; ulimit -f 1; \"$F\" stats --depth 2 --svg chart.svg --json";
        let output = shell(dir.path(), script);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("cannot write the chart 'chart.svg'"), "{stderr}");
        let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        assert_eq!(report["depths"][1]["turns"], 39);
        assert_eq!(fs::read(dir.path().join("chart.svg")).expect("it is there"), b"old");
    }

    #[test]
    fn links_and_devices_stay() {
        let dir = tempfile::tempdir().expect("a directory");
        let elsewhere = tempfile::tempdir().expect("a directory");
        for name in ["cert", "svg", "search"] {
            symlink(elsewhere.path().join(name), dir.path().join(name)).expect("a link");
        }
        symlink("/dev/null", dir.path().join("null")).expect("a link");
        for (command, name) in [
            ("analyze --board 3x3 --certificate", "cert"),
            ("analyze --board 5x3 --book none --resume", "search"),
            ("stats --board 3x3 --depth 1 --svg", "svg"),
        ] {
            let run = |file: &str| {
                let command = format!("{command} {file}");
                fanorona(words(&command)).current_dir(&dir).assert().success();
                fs::symlink_metadata(dir.path().join(file)).expect("it is there")
            };
            assert!(run(name).is_symlink(), "{name}");
            let written = fs::metadata(elsewhere.path().join(name)).expect("it was written");
            assert!(written.is_file() && written.len() > 0, "{name}");
            if name != "search" {
                assert!(run("null").is_symlink(), "{name}");
            }
        }
        assert!(fs::metadata("/dev/null").expect("it is there").file_type().is_char_device());
    }

    /// Of all files that the program writes.
    #[test]
    fn written_files_have_usual_permissions() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("usual"), "").expect("it can be written");
        let analyze = "analyze --board 5x3 --certificate cert --resume search";
        let stats = "stats --board 3x3 --depth 1 --svg svg";
        for command in [analyze, stats] {
            fanorona(words(command)).current_dir(&dir).assert().success();
        }
        let mode = |name: &str| fs::metadata(dir.path().join(name)).expect("it is there").mode();
        for name in ["cert", "search", "svg"] {
            assert_eq!(mode(name), mode("usual"), "{name}");
        }
        // And those of the file that is replaced.
        let private = fs::Permissions::from_mode(0o600);
        for name in ["cert", "search", "svg"] {
            fs::set_permissions(dir.path().join(name), private.clone()).expect("they can be set");
        }
        for command in [analyze, stats] {
            fanorona(words(command)).current_dir(&dir).assert().success();
        }
        for name in ["cert", "search", "svg"] {
            assert_eq!(mode(name) & 0o777, 0o600, "{name}");
        }
    }

    #[test]
    fn two_names_of_one_file_are_refused() {
        let dir = tempfile::tempdir().expect("a directory");
        let analyze = "analyze --board 5x3 --book none --resume search";
        fanorona(words(analyze)).current_dir(&dir).assert().success();
        let kept = fs::read(dir.path().join("search")).expect("it is kept");
        symlink("search", dir.path().join("soft")).expect("a link");
        symlink("new", dir.path().join("dangling")).expect("a link");
        fs::hard_link(dir.path().join("search"), dir.path().join("hard")).expect("a link");
        for other in ["search", "./search", "soft", "hard"] {
            let args = format!("{analyze} --certificate {other}");
            let parts = ["--resume 'search'", "--certificate", other, "the same file"];
            refused_in(dir.path(), &args, 2, &parts);
        }
        // Files that are not there yet.
        let args = "analyze --board 5x3 --book none --resume new --certificate dangling";
        let parts = ["--certificate 'dangling'", "--resume 'new'", "same file"];
        refused_in(dir.path(), args, 2, &parts);
        assert_eq!(fs::read(dir.path().join("search")).expect("it is kept"), kept);
        // A device takes everything.
        let args =
            "match --board 3x3 --games 2 --level 1 --level 2 --log /dev/null --output /dev/null";
        fanorona(words(args)).current_dir(&dir).assert().success();
    }

    /// A certificate that a killed program has left half written belongs to no build.
    #[test]
    fn a_build_leaves_other_partial_files_alone() {
        let dir = tempfile::tempdir().expect("a directory");
        let names = || -> Vec<String> {
            let files = fs::read_dir(&dir).expect("it can be listed");
            files.map(|f| f.expect("it is there").file_name().to_string_lossy().into()).collect()
        };
        // The signal of the limit ends the program while it writes.
        shell(
            dir.path(),
            "ulimit -f 1; exec \"$F\" analyze --board 5x3 --rules free-capture --certificate x.cert",
        );
        let left = names();
        assert_eq!(left.len(), 1, "{left:?}");
        assert_ne!(left[0], "x.cert");
        fanorona(words("build --stones 2 --tables .")).current_dir(&dir).assert().success();
        assert!(names().contains(&left[0]), "{left:?} is not in {:?}", names());
    }

    #[test]
    fn a_name_that_is_not_utf8_is_written_and_reported() {
        let dir = tempfile::tempdir().expect("a directory");
        let name = std::ffi::OsStr::from_bytes(b"re\xffport");
        let args = "analyze --board 3x3 --json --certificate";
        let output = fanorona(words(args)).arg(name).current_dir(&dir).assert().success();
        let report: Value = serde_json::from_slice(&output.get_output().stdout).expect("JSON");
        assert_eq!(report["certificate"]["file"], "re\u{fffd}port");
        assert!(dir.path().join(name).exists());
    }

    /// Where a build saves its checkpoints there may be no room for them.
    #[test]
    fn a_build_without_room_for_checkpoints_goes_on() {
        let dir = tempfile::tempdir().expect("a directory");
        let checkpoint = dir.path().join("9x5_standard_2v1.dtw.checkpoint");
        fs::create_dir(&checkpoint).expect("it can be made");
        let args = "build --stones 3 --checkpoint 0 --tables .";
        let output = fanorona(words(args)).current_dir(&dir).assert().success();
        let stderr = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
        assert!(stderr.contains("2v1+1v2 continues without a checkpoint"), "{stderr}");
        assert_eq!(
            json(&format!("tables --tables \"{}\"", dir.path().display()))["slices"]
                .as_array()
                .map(Vec::len),
            Some(3)
        );
    }
}

#[test]
fn what_cannot_be_written_is_found_before_the_work() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::create_dir(dir.path().join("sub")).expect("it can be made");
    fs::write(dir.path().join("file"), "text").expect("it can be written");
    // Each of these would take minutes.
    let analyze = "analyze --time 600";
    for (command, option, what) in [
        (analyze, "--resume", "the search"),
        (analyze, "--certificate", "the certificate"),
        ("stats --depth 12", "--svg", "the chart"),
    ] {
        for path in ["missing/new", "file/new", "sub", "sub/"] {
            let args = format!("{command} {option} {path}");
            let message = format!("cannot write {what} '{path}': ");
            refused_in(dir.path(), &args, 2, &[&message]);
        }
    }
    let names = fs::read_dir(&dir).expect("it can be listed").count();
    assert_eq!(names, 2, "nothing new is left");
    fanorona(words("stats --board 3x3 --depth 1 --svg new")).current_dir(&dir).assert().success();
    assert!(Path::new(&dir.path().join("new")).exists());
}
