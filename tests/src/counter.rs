//! A program that counts turns, with mistakes, to test those who compare with other programs.
//!
//! It is slow and obvious, knows the standard rules only, and shares no code with the crates.
//! As with [`scripted`](crate::scripted), the program is the test itself, started again: a
//! crate that uses it has a test `counting_program` in the root of its test binary, which does nothing
//! but call [`run_if_asked`].

use std::io::{self, BufRead, Write};
use std::process;

/// The test that is the program.
const TEST: &str = "counting_program";

/// Marks the argument with what the program does.
const MARK: &str = "--counting-program=";

/// File and rank, counted from 0.
type At = (i32, i32);

/// The command that starts the program, with quotes, without what is asked. `what` is one of these
/// words, followed by some of the forms of the output below, each behind a colon:
///
/// | word | the program |
/// |---|---|
/// | `right` | makes no mistake |
/// | `ten-steps` | ends relays after ten steps |
/// | `no-direction-rule` | lets relays go on in the same direction |
/// | `returning` | lets the stone of a relay return to any point |
/// | `both-ways` | captures by approach and by withdrawal with one step |
/// | `black-alone` | lets only Black relay, which no list of mistakes has |
/// | `die`, `flood`, `nonsense`, `nothing` | does that |
///
/// | form | prints |
/// |---|---|
/// | `signs` | `d2e3+,f4-,5`, in the opposite order, with a sum |
/// | `captured` | the ends and what is captured: `d2-f4xe5,c1: 5` |
/// | `capitals` | `1. D2-E3A-F4W 5` |
/// | `result` | the position after the turn |
/// | `number` | the count alone |
/// | `ugi`, `uci` | what an engine prints |
pub fn command(what: &str) -> String {
    let program = std::env::current_exe().expect("it is known");
    format!("'{}' {TEST} --exact --nocapture --test-threads=1 -- {MARK}{what}", program.display())
}

/// Is the program if this process was started as one, and does not return then.
pub fn run_if_asked() {
    let mut words = std::env::args().skip_while(|word| !word.starts_with(MARK));
    if let Some(what) = words.next() {
        let what: Vec<_> = what[MARK.len()..].split(':').map(str::to_owned).collect();
        let asked: Vec<String> = words.collect();
        let status = run(&what, &asked).map_or(1, |()| 0);
        process::exit(status);
    }
}

fn run(what: &[String], asked: &[String]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    // The test harness may have begun a line.
    writeln!(output)?;
    match what[0].as_str() {
        "die" => process::exit(9),
        "flood" => {
            // Long lines, because each takes its reader some time.
            let line = "d3-e3A 1 ".repeat(1 << 10);
            loop {
                writeln!(output, "{line}")?;
            }
        }
        "nonsense" => return writeln!(output, "d3-e3A 5\nd3?e3 = many 7"),
        "nothing" => return writeln!(output, "Traceback (most recent call last):"),
        _ => {}
    }
    let mistake = what[0].as_str();
    let forms: Vec<&str> = what[1..].iter().map(String::as_str).collect();
    let dialect = ["ugi", "uci"].into_iter().find(|dialect| forms.contains(dialect));
    if let Some(dialect) = dialect {
        return talk(dialect, mistake, &forms, &mut output);
    }
    let depth = asked[1].parse().map_err(io::Error::other)?;
    print(&Game::read(&asked[0], mistake), depth, &forms, &mut output)
}

/// Answers as an engine.
fn talk(dialect: &str, mistake: &str, forms: &[&str], output: &mut impl Write) -> io::Result<()> {
    let mut game = None;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<_> = line.split_whitespace().collect();
        match words[..] {
            [hello] if hello == dialect => writeln!(output, "id name counter\n{dialect}ok")?,
            ["isready"] => writeln!(output, "readyok")?,
            ["position", "fen", stones, side] => {
                game = Some(Game::read(&format!("{stones} {side}"), mistake));
            }
            ["go", "perft", depth] => {
                let game = game.as_ref().ok_or_else(|| io::Error::other("no position"))?;
                print(game, depth.parse().map_err(io::Error::other)?, forms, output)?;
            }
            ["quit"] => break,
            _ => {}
        }
        output.flush()?;
    }
    Ok(())
}

/// Prints the count below each turn.
fn print(game: &Game, depth: u32, forms: &[&str], output: &mut impl Write) -> io::Result<()> {
    let has = |form: &str| forms.contains(&form);
    let mut turns = game.turns();
    if has("signs") {
        turns.reverse();
    }
    let mut sum = 0;
    for turn in &turns {
        let nodes = turn.after.count(depth - 1);
        sum += nodes;
        let text = turn.text(has("signs"));
        let names = |points: &[At]| points.iter().map(|at| name(*at)).collect::<Vec<_>>().join(",");
        if has("number") {
            continue;
        } else if has("signs") {
            writeln!(output, "{text},{nodes}")?;
        } else if has("captured") {
            let (from, to) = (name(turn.path[0].0), name(turn.path[turn.path.len() - 1].0));
            writeln!(output, "{from}-{to}x{}: {nodes}", names(&turn.captured))?;
        } else if has("capitals") {
            writeln!(output, "1. {} {nodes}", text.to_uppercase())?;
        } else if has("result") {
            writeln!(output, "{}\t{nodes}", turn.after.write())?;
        } else {
            writeln!(output, "{text}: {nodes}")?;
        }
    }
    if has("number") {
        writeln!(output, "{sum}")
    } else {
        writeln!(output, "\nNodes searched: {sum}\n")
    }
}

/// Stones on a board and the side to move.
#[derive(Clone)]
struct Game {
    width: i32,
    height: i32,
    own: Vec<At>,
    enemy: Vec<At>,
    is_white: bool,
    mistake: String,
}

/// A turn.
struct Played {
    /// The points, and the sign of the step to each.
    path: Vec<(At, &'static str)>,
    captured: Vec<At>,
    after: Game,
}

impl Played {
    fn text(&self, has_signs: bool) -> String {
        let mut text = String::new();
        for (i, (at, sign)) in self.path.iter().enumerate() {
            let (dash, sign) = match (has_signs, *sign) {
                (false, sign) => ("-", sign),
                (true, "A") => (",", "+"),
                (true, "W") => (",", "-"),
                (true, "AW") => (",", "+-"),
                (true, _) => (",", ""),
            };
            // Two points make the first step: `d2e3+,f4-`.
            text += if i == 0 || has_signs && i == 1 { "" } else { dash };
            text += &format!("{}{sign}", name(*at));
        }
        text
    }
}

impl Game {
    fn read(text: &str, mistake: &str) -> Self {
        let (ranks, side) = text.split_once(' ').expect("stones, then a side");
        let ranks: Vec<&str> = ranks.split('/').collect();
        let height = ranks.len() as i32;
        let (mut white, mut black, mut width) = (Vec::new(), Vec::new(), 0);
        for (i, rank) in ranks.into_iter().enumerate() {
            let mut file = 0;
            for c in rank.chars() {
                let at = (file, height - 1 - i as i32);
                file += c.to_digit(10).map_or(1, |gap| gap as i32);
                match c {
                    'W' => white.push(at),
                    'B' => black.push(at),
                    _ => {}
                }
            }
            width = file;
        }
        let is_white = side == "w";
        let (own, enemy) = if is_white { (white, black) } else { (black, white) };
        Self { width, height, own, enemy, is_white, mistake: mistake.to_owned() }
    }

    fn write(&self) -> String {
        let (white, black) =
            if self.is_white { (&self.own, &self.enemy) } else { (&self.enemy, &self.own) };
        let rank = |rank| {
            let stone = |file| match (file, rank) {
                at if white.contains(&at) => 'W',
                at if black.contains(&at) => 'B',
                _ => '1',
            };
            (0..self.width).map(stone).collect::<String>()
        };
        let ranks: Vec<_> = (0..self.height).rev().map(rank).collect();
        format!("{} {}", ranks.join("/"), if self.is_white { 'w' } else { 'b' })
    }

    fn count(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        self.turns().iter().map(|turn| turn.after.count(depth - 1)).sum()
    }

    fn turns(&self) -> Vec<Played> {
        let mut turns = Vec::new();
        if self.enemy.is_empty() {
            return turns;
        }
        for &stone in &self.own {
            self.capture(&[(stone, "")], &[], None, &mut turns);
        }
        if turns.is_empty() {
            for &stone in &self.own {
                for way in WAYS {
                    let to = self.neighbour(stone, way).filter(|to| self.is_empty(*to));
                    if let Some(to) = to {
                        turns.push(self.played(&[(stone, ""), (to, "")], &[]));
                    }
                }
            }
        }
        turns
    }

    /// Lists the turns that go on from a path with a capture.
    fn capture(
        &self,
        path: &[(At, &'static str)],
        captured: &[At],
        last: Option<At>,
        turns: &mut Vec<Played>,
    ) {
        let start = path[0].0;
        let at = path[path.len() - 1].0;
        let ends = match self.mistake.as_str() {
            "ten-steps" => path.len() > 10,
            "black-alone" => path.len() > 1 && self.is_white,
            _ => false,
        };
        if ends {
            return;
        }
        for way in WAYS {
            let Some(to) = self.neighbour(at, way) else { continue };
            let is_free = to == start || self.is_empty(to) || captured.contains(&to);
            let has_been = path.iter().any(|(point, _)| *point == to);
            let repeats = last == Some(way) && self.mistake != "no-direction-rule";
            if !is_free || repeats || has_been && self.mistake != "returning" {
                continue;
            }
            let approach = self.line(to, way, captured);
            let withdrawal = self.line(at, (-way.0, -way.1), captured);
            let both = [approach.clone(), withdrawal.clone()].concat();
            let steps =
                if self.mistake == "both-ways" && !approach.is_empty() && !withdrawal.is_empty() {
                    vec![("AW", both)]
                } else {
                    vec![("A", approach), ("W", withdrawal)]
                };
            for (sign, taken) in steps {
                if !taken.is_empty() {
                    let path = [path, &[(to, sign)]].concat();
                    let captured = [captured, &taken].concat();
                    turns.push(self.played(&path, &captured));
                    self.capture(&path, &captured, Some(way), turns);
                }
            }
        }
    }

    fn played(&self, path: &[(At, &'static str)], captured: &[At]) -> Played {
        let mut own = self.own.clone();
        own.retain(|at| *at != path[0].0);
        own.push(path[path.len() - 1].0);
        let mut enemy = self.enemy.clone();
        enemy.retain(|at| !captured.contains(at));
        let after = Self { own: enemy, enemy: own, is_white: !self.is_white, ..self.clone() };
        Played { path: path.to_vec(), captured: captured.to_vec(), after }
    }

    fn is_empty(&self, at: At) -> bool {
        !self.own.contains(&at) && !self.enemy.contains(&at)
    }

    fn neighbour(&self, (file, rank): At, way: At) -> Option<At> {
        let to = (file + way.0, rank + way.1);
        let is_linked = way.0 == 0 || way.1 == 0 || (file + rank) % 2 == 0;
        let is_inside = (0..self.width).contains(&to.0) && (0..self.height).contains(&to.1);
        (is_linked && is_inside).then_some(to)
    }

    fn line(&self, from: At, way: At, captured: &[At]) -> Vec<At> {
        let mut line = Vec::new();
        let mut at = from;
        while let Some(next) = self.neighbour(at, way) {
            if !self.enemy.contains(&next) || captured.contains(&next) {
                break;
            }
            line.push(next);
            at = next;
        }
        line
    }
}

const WAYS: [At; 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

fn name(at: At) -> String {
    format!("{}{}", char::from(b'a' + at.0 as u8), at.1 + 1)
}
