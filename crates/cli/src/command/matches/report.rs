//! The output of a match: its games, and their meaning.

use std::fmt;
use std::time::SystemTime;

use comfy_table::Row;
use fanorona_core::Side;
use fanorona_engine::{Annotation, DrawRules, Record};
use fanorona_ugi::arena::{
    Estimate, Match as Contest, MatchEnd, PlayedGame, SprtState, Standing, Tally,
};
use fanorona_ugi::client::Found;
use fanorona_ugi::protocol::InfoScore;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::files::Appended;
use crate::human::{counted, grouped, whole_seconds};
use crate::options::Root;
use crate::output::{Output, table};
use crate::progress::{self, log_progress};

/// The start, the players and the rules of a match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting<'a> {
    pub root: &'a Root,
    pub contest: &'a Contest,
    pub draws: DrawRules,
    pub names: [&'a str; 2],
}

/// Prints a match while it is played.
pub(super) struct Reporter<'a> {
    setting: Setting<'a>,
    output: Output,
    games_file: Option<Appended>,
    /// Of the first player and of the second.
    effort: [Effort; 2],
    bar: ProgressBar,
}

/// The mean of some numbers.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(into = "Option<f64>")]
struct Mean {
    sum: f64,
    count: u32,
}

impl Mean {
    fn add(&mut self, number: Option<f64>) {
        self.sum += number.unwrap_or(0.0);
        self.count += u32::from(number.is_some());
    }
}

impl From<Mean> for Option<f64> {
    fn from(Mean { sum, count }: Mean) -> Self {
        (count > 0).then(|| sum / f64::from(count))
    }
}

/// Time, depth and nodes of a player's turns in the mean, as far as it says so.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Effort {
    seconds: Mean,
    depth: Mean,
    nodes: Mean,
}

impl Effort {
    fn add(&mut self, Found { elapsed, info, .. }: &Found) {
        self.seconds.add(Some(elapsed.as_secs_f64()));
        self.depth.add(info.depth.map(f64::from));
        self.nodes.add(info.nodes.map(|nodes| nodes as f64));
    }
}

/// `0.100 s, depth 8.3, 1,234 nodes`.
impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [seconds, depth, nodes] = [self.seconds, self.depth, self.nodes].map(Option::from);
        let parts = [
            seconds.map(|seconds: f64| format!("{seconds:.3} s")),
            depth.map(|depth: f64| format!("depth {depth:.1}")),
            nodes.map(|nodes: f64| format!("{} nodes", grouped(nodes.round()))),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

#[derive(Debug, Serialize)]
struct MatchReport<'a> {
    #[serde(flatten)]
    root: &'a Root,
    draw_rules: DrawRules,
    limits: [String; 2],
    players: [&'a str; 2],
    #[serde(flatten)]
    standing: &'a Standing,
    effort: [Effort; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<f64>,
    #[serde(flatten)]
    estimate: Option<Estimate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SprtState>,
    end: &'static str,
}

impl<'a> Reporter<'a> {
    pub(super) fn new(setting: Setting<'a>, output: Output, games_file: Option<Appended>) -> Self {
        let bar = progress::bar(Some(setting.contest.games));
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} games, {msg}, {elapsed}");
        bar.set_style(style.expect("the template is well formed"));
        log_progress(&bar, |bar| {
            let (games, all) = (bar.position(), bar.length().unwrap_or(0));
            let time = whole_seconds(bar.elapsed().as_secs_f64());
            format!("{games}/{all} games, {}, {time}", bar.message())
        });
        Self { setting, output, games_file, effort: Default::default(), bar }
    }

    /// Prints what is played.
    pub(super) fn begin(&self) {
        let Setting { root, contest, draws, names: [one, other] } = self.setting;
        self.output.text(format_args!("{}, {}, draws: {draws}", root.board, root.rules));
        let [first, second] = contest.controls;
        self.output.text(if first == second {
            format!("{one} against {other}, {first}")
        } else {
            format!("{one} ({first}) against {other} ({second})")
        });
        self.bar.set_message("0 points");
    }

    /// Prints the games of a pair, and writes them to the file.
    pub(super) fn report(&mut self, games: &[PlayedGame], standing: &Standing) {
        for game in games {
            let [white, black] = self.players(game);
            let (result, turns) = (game.result, counted(game.game.turns().len(), "turn"));
            let line = format!(
                "game {}: {white} - {black} {result}, {}, {turns}",
                game.number + 1,
                game.ending
            );
            self.bar.suspend(|| self.output.text(line));
            if let Some(file) = &self.games_file {
                file.write(&record(game, [white, black]));
            }
            let before = &game.game.earlier()[game.opening()..];
            for (before, found) in before.iter().zip(&game.answers) {
                self.effort[usize::from(before.to_move() != game.first_side)].add(found);
            }
        }
        self.bar.set_position(standing.score.games());
        self.bar.set_message(self.summary(standing));
    }

    /// The names of White and Black.
    fn players(&self, game: &PlayedGame) -> [&'a str; 2] {
        let [first, second] = self.setting.names;
        match game.first_side {
            Side::White => [first, second],
            Side::Black => [second, first],
        }
    }

    /// The standing in a few words.
    fn summary(&self, standing: &Standing) -> String {
        let llr = self.sprt(standing).map_or_else(
            String::new,
            |SprtState { llr, lower, upper, .. }| {
                format!(", LLR {llr:.2} ({lower:.2} to {upper:.2})")
            },
        );
        format!("{}{llr}", standing.score)
    }

    fn sprt(&self, standing: &Standing) -> Option<SprtState> {
        self.setting.contest.sprt.map(|sprt| sprt.state(&standing.pairs))
    }

    /// Prints what the match has come to. Returns the file of the games.
    pub(super) fn finish(self, standing: &Standing, end: MatchEnd) -> Option<Appended> {
        self.bar.finish_and_clear();
        let Setting { root, contest, draws, names } = self.setting;
        if standing.score.games() > 0 {
            self.output.text(format_args!("\n{}", text(standing, names, self.effort)));
        }
        let sprt = self.sprt(standing);
        if let Some(sprt) = &sprt {
            self.output.text(sprt);
        }
        self.output.json(&MatchReport {
            root,
            draw_rules: draws,
            limits: contest.controls.map(|control| control.to_string()),
            players: names,
            standing,
            effort: self.effort,
            share: standing.score.share(),
            estimate: standing.pairs.estimate(),
            sprt,
            end: match end {
                MatchEnd::Games => "games",
                MatchEnd::Sprt(_) => "sprt",
                MatchEnd::Died(_) => "died",
                MatchEnd::Stopped => "stopped",
            },
        });
        self.games_file
    }
}

/// The text of a game, with a blank line behind it.
fn record(game: &PlayedGame, [white, black]: [&str; 2]) -> String {
    let record = Record::new(game.game.clone()).with_date(SystemTime::now());
    let record = record.with_players(white, black).expect("the names are short");
    let record = record.with_result(game.result).expect("a game by the rules has their result");
    let termination = game.ending.termination().unwrap_or_default();
    let mut record = record.with_termination(termination).expect("the words are short");
    let texts = ["opening".to_owned()].into_iter().chain(game.answers.iter().map(said));
    for (turns, text) in (game.opening()..).zip(texts).filter(|(turns, _)| *turns > 0) {
        let mut annotation = Annotation::default();
        annotation.add_comment(&text);
        record = record.with_annotation(turns, annotation);
    }
    format!("{record}\n")
}

/// The score, depth and time of a turn, as other programs write them: `+0.34/12 0.100s`.
fn said(Found { elapsed, info, .. }: &Found) -> String {
    let score = info.score.map_or_else(String::new, |score| match score {
        InfoScore::Cp(hundredths) => format!("{:+.2}", f64::from(hundredths) / 100.0),
        InfoScore::Mate(turns) => format!("{}M{}", if turns > 0 { '+' } else { '-' }, turns.abs()),
    });
    let depth = info.depth.map_or_else(String::new, |depth| format!("/{depth}"));
    format!("{score}{depth} {:.3}s", elapsed.as_secs_f64())
}

/// The results of both players, and what they mean.
fn text(standing: &Standing, names: [&str; 2], effort: [Effort; 2]) -> String {
    let Standing { score, as_white, as_black, pairs, forfeits, .. } = standing;
    let mut rows = table(&["player", "won", "drawn", "lost", "points", "share", "forfeits"], &[0]);
    let other = Tally { wins: score.losses, draws: score.draws, losses: score.wins };
    for ((name, score), forfeits) in names.iter().zip([*score, other]).zip(forfeits) {
        let share = 100.0 * score.share().unwrap_or(0.0);
        rows.add_row(Row::from([
            (*name).to_owned(),
            score.wins.to_string(),
            score.draws.to_string(),
            score.losses.to_string(),
            format!("{:.1}", score.points()),
            format!("{share:.1} %"),
            forfeits.to_string(),
        ]));
    }
    let [one, _] = names;
    let mut lines = vec![rows.trim_fmt()];
    lines.push(format!("\n{one} as White: {as_white}, as Black: {as_black}"));
    let counts = pairs.0.map(|count| count.to_string()).join(", ");
    lines.push(format!("pairs of games by points (0, 0.5, 1, 1.5, 2): {counts}"));
    let for_each_turn = names.iter().zip(effort);
    lines.extend(for_each_turn.map(|(name, effort)| format!("{name}: {effort} for each turn")));
    if let Some(estimate) = pairs.estimate() {
        lines.push(estimate_text(one, &estimate));
    }
    lines.join("\n")
}

fn estimate_text(name: &str, estimate: &Estimate) -> String {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let Some(error) = estimate.error else {
        let share = percent(estimate.share);
        return format!("{name}: {share}; all pairs score the same, so the error is unknown");
    };
    let bound = |elo: Option<f64>| elo.map_or("unlimited".to_owned(), |elo| format!("{elo:+.0}"));
    let elo = estimate.elo.map_or("unlimited".to_owned(), |elo| format!("{elo:+.0}"));
    let superiority = estimate.superiority.unwrap_or(0.5);
    format!(
        "{name}: {} ± {} (95 %); Elo {elo} ({} to {}); stronger with a likelihood of {}",
        percent(estimate.share),
        percent(error),
        bound(estimate.elo_low),
        bound(estimate.elo_high),
        percent(superiority),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What one player has won, the other one has lost.
    #[test]
    fn each_player_has_a_row() {
        let score = Tally { wins: 3, draws: 2, losses: 1 };
        let standing = Standing { score, forfeits: [0, 1], ..Standing::default() };
        let text = text(&standing, ["one", "other"], Default::default());
        let row = |name: &str| {
            let row = text.lines().find(|line| line.split_whitespace().next() == Some(name));
            row.expect("a row").split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(row("one"), "3 2 1 4.0 66.7 % 0");
        assert_eq!(row("other"), "1 2 3 2.0 33.3 % 1");
    }
}
