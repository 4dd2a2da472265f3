//! A program that speaks UGI or UCI as a script says, to test those who start programs.
//!
//! The program is the test itself, started again: so it is there on every system, whatever tests are
//! built. A crate that uses it has a test `scripted_engine` in the root of its test binary, which does
//! nothing but call [`run_if_asked`].
//!
//! A script has one thing to do on each line:
//!
//! | line | does |
//! |---|---|
//! | `> TEXT` | waits for this line; a `*` at the end stands for any rest |
//! | `< TEXT` | sends this line |
//! | `sleep MS` | waits |
//! | `exit N` | ends with this exit status |
//! | `hang` | reads nothing and sends nothing until it is killed |
//! | `flood N` | sends this number of long lines; 0 stands for lines without end |
//! | `binary` | sends bytes that are not text, and a long line |
//! | `play MODE` | answers as an engine from here on, see [`Mode`] |
//!
//! A line that is not as expected is written to the file `script.wrong` beside the script, and the
//! program ends. At the end of the script, and when its input ends while it plays, it writes
//! `script.done`.

use std::fs;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::str::FromStr;
use std::thread;
use std::time::Duration;

use fanorona_core::{Position, RuleSet, Turn};

/// The test that is the program.
const TEST: &str = "scripted_engine";

/// Marks the argument with the path of the script.
const MARK: &str = "--scripted-engine=";

/// How an engine plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The first legal turn.
    First,
    /// The last legal turn.
    Last,
    /// The first legal turn, and an illegal one from the third question on.
    Illegal,
    /// The first legal turn, and it ends at the third question.
    Crash,
    /// The first legal turn, and from the third question on half a second late.
    Late,
    /// The first legal turn, and nothing from the third question on.
    Silent,
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "first" => Self::First,
            "last" => Self::Last,
            "illegal" => Self::Illegal,
            "crash" => Self::Crash,
            "late" => Self::Late,
            "silent" => Self::Silent,
            _ => return Err(format!("no mode: {text}")),
        })
    }
}

/// A script in a directory of its own.
#[derive(Debug)]
pub struct Script {
    dir: tempfile::TempDir,
}

impl Script {
    /// Writes a script.
    pub fn new(text: &str) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("script"), text).expect("it can be written");
        Self { dir }
    }

    /// A program that greets by UGI, and then plays.
    pub fn player(mode: &str) -> Self {
        Self::new(&format!("> ugi\n< id name {mode}\n< ugiok\nplay {mode}\n"))
    }

    /// The program of the command.
    pub fn program(&self) -> String {
        std::env::current_exe().expect("it is known").to_string_lossy().into_owned()
    }

    /// The arguments of the command.
    pub fn arguments(&self) -> Vec<String> {
        let path = self.dir.path().join("script");
        // The last one is a filter to the test harness, and matches no test.
        let script = format!("{MARK}{}", path.display());
        [TEST, "--exact", "--nocapture", "--test-threads=1", "--", &script].map(Into::into).into()
    }

    /// The first line that was not as expected; `None` if there was none.
    pub fn wrong(&self) -> Option<String> {
        fs::read_to_string(self.dir.path().join("script.wrong")).ok()
    }

    /// Waits until the script is done, which has to come soon.
    ///
    /// # Panics
    /// If something was not as expected, or it is not done in time.
    pub fn assert_done(&self) {
        for _ in 0..500 {
            assert_eq!(self.wrong(), None, "what came, and what was expected");
            if self.dir.path().join("script.done").exists() {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("the script is not done");
    }
}

/// Is the program if this process was started as one, and does not return then.
pub fn run_if_asked() {
    let script = std::env::args().find_map(|arg| arg.strip_prefix(MARK).map(PathBuf::from));
    if let Some(script) = script {
        // The test harness may have begun a line.
        let status = run(&script).unwrap_or(1);
        process::exit(status);
    }
}

fn run(script: &Path) -> io::Result<i32> {
    let mut input = io::stdin().lock().lines();
    let mut output = io::stdout().lock();
    writeln!(output)?;
    for line in fs::read_to_string(script)?.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let number = || rest.parse::<u64>().unwrap_or(0);
        match word {
            ">" => {
                let found = input.next().transpose()?.unwrap_or_else(|| "the end".to_owned());
                let is_right = match rest.strip_suffix('*') {
                    Some(start) => found.starts_with(start),
                    None => found == rest,
                };
                if !is_right {
                    let wrong = format!("found: {found}\nexpected: {rest}\n");
                    fs::write(script.with_extension("wrong"), wrong)?;
                    return Ok(3);
                }
            }
            "<" => writeln!(output, "{rest}")?,
            "sleep" => thread::sleep(Duration::from_millis(number())),
            "exit" => {
                output.flush()?;
                return Ok(number() as i32);
            }
            "hang" => loop {
                output.flush()?;
                thread::sleep(Duration::from_secs(1));
            },
            "flood" => {
                let line = format!("info string {}\n", "flood ".repeat(200));
                let mut sent = 0;
                while sent < number() || number() == 0 {
                    output.write_all(line.as_bytes())?;
                    sent += 1;
                }
            }
            "binary" => {
                output.write_all(&[0xff; 100])?;
                output.write_all(&[b'x'; 1 << 20])?;
                writeln!(output)?;
            }
            "play" => {
                let mode = rest.parse().map_err(io::Error::other)?;
                play(mode, &mut input, &mut output)?;
            }
            "" => {}
            _ => return Err(io::Error::other(format!("no command of a script: {line}"))),
        }
        output.flush()?;
    }
    fs::write(script.with_extension("done"), "")?;
    Ok(0)
}

/// Answers until `quit` or the end of the input.
fn play(
    mode: Mode,
    input: &mut impl Iterator<Item = io::Result<String>>,
    output: &mut impl Write,
) -> io::Result<()> {
    let mut position = None;
    let mut questions = 0;
    for line in input {
        let line = line?;
        let words: Vec<_> = line.split_whitespace().collect();
        match words[..] {
            ["isready"] => writeln!(output, "readyok")?,
            ["uginewgame" | "ucinewgame"] => questions = 0,
            ["position", "fen", stones, side, ref rest @ ..] => {
                let turns = rest.strip_prefix(&["moves"]).unwrap_or_default();
                position = Some(position_after(&format!("{stones} {side}"), turns)?);
            }
            ["go", ..] => {
                questions += 1;
                let position = position.ok_or_else(|| io::Error::other("there is no position"))?;
                let turns = RuleSet::STANDARD.turns(&position);
                let text = |turn: Option<&Turn>| {
                    turn.map_or("0000".to_owned(), |turn| turn.text(position.board()).to_string())
                };
                let first = text(turns.first());
                let odd = questions >= 3;
                match mode {
                    Mode::Last => writeln!(output, "bestmove {}", text(turns.last()))?,
                    Mode::Illegal if odd => writeln!(output, "bestmove a1-a9A")?,
                    Mode::Crash if odd => process::exit(7),
                    Mode::Silent if odd => {}
                    Mode::Late if odd => {
                        thread::sleep(Duration::from_millis(500));
                        writeln!(output, "bestmove {first}")?;
                    }
                    _ => writeln!(output, "info depth 1 score cp 35 nodes 9\nbestmove {first}")?,
                }
            }
            ["quit"] => break,
            _ => {}
        }
        output.flush()?;
    }
    Ok(())
}

fn position_after(start: &str, turns: &[&str]) -> io::Result<Position> {
    let start: Position = start.parse().map_err(io::Error::other)?;
    turns.iter().try_fold(start, |position, text| {
        let turn = RuleSet::STANDARD.parse_turn(&position, text).map_err(io::Error::other)?;
        Ok(position.play_unchecked(&turn))
    })
}
