//! `find`: positions of tables that stand out.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use comfy_table::Row;
use fanorona_core::{Board, RuleSet};
use fanorona_engine::{Game, Record};
use fanorona_knowledge::{Assessment, Knowledge, Source};
use fanorona_tablebase::{Feature, Found, Listing, Slice, Sought, TableError, TableValue, find};
use maud::Markup;
use serde::Serialize;

use crate::destination::{Destination, output_beside};
use crate::failure::Failure;
use crate::human::{filled, name};
use crate::interrupt;
use crate::options::{SlicesOptions, at_least, one_of};
use crate::output::{AsText, table};
use crate::progress::of_tables;
use crate::svg::board;

/// Turns of a game that is written, if it does not end before.
const LONGEST: usize = 1000;

/// Find longest wins, zugzwangs and studies in tables
#[derive(Debug, Args)]
#[command(after_help = "\
Positions that are mirror images of each other are found once. Without --stones and --slice, all tables \
are searched, but for the longest wins and losses only those with distances.

Kinds:
  wins            the longest wins
  losses          the longest losses
  zugzwangs       neither side can capture, and the side to move would do
                  better if the other side had to move; first the full ones,
                  then the longest
  full-zugzwangs  those that either side loses if it has to move
  studies         the longest wins in which only one of several turns wins
  draw-studies    draws in which only one of several turns does not lose, those
                  with the most turns first

In a study, the streak is how many of the winner's turns, from the first one on, are the only ones that \
win, if both sides play their best. --output writes games in which both sides do.

Examples:
  fanorona find wins --top 5
  fanorona find studies --slice 2v2 --top 3 --output studies.txt
  fanorona find zugzwangs --stones 4 --svg zugzwangs.svg")]
pub(crate) struct Find {
    /// Kind of position
    #[arg(
        value_name = "KIND",
        value_parser = one_of([
            ("wins", Sought::Wins),
            ("losses", Sought::Losses),
            ("zugzwangs", Sought::Zugzwangs),
            ("full-zugzwangs", Sought::FullZugzwangs),
            ("studies", Sought::Studies),
            ("draw-studies", Sought::DrawStudies),
        ])
    )]
    kind: Sought,

    /// Find the first N of them
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = at_least(1usize))]
    top: usize,

    /// Write the result to this file (- for standard output)
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Also draw to this file (- for standard output)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    #[command(flatten)]
    slices: SlicesOptions,
}

#[derive(Serialize)]
struct Report {
    board: Board,
    rules: RuleSet,
    positions: Vec<Found>,
    /// Slices that were not searched, because their tables have no distances.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<AsText<Slice>>,
}

impl Find {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let games = Destination::of("the games", "--output", &self.output);
        let svg = Destination::of("the picture", "--svg", &self.svg);
        let files: Vec<_> = games.into_iter().chain(svg).collect();
        let output = output_beside(self.slices.common.output(), &files)?;
        let (board, rules, selection) = self.slices.start()?;
        let tables = self.slices.tables.open(board, rules, selection.most_stones())?;
        let mut listings = tables.listings(&selection)?;
        if listings.is_empty() {
            return Err(self.slices.tables.none_there(board, rules, selection.most_stones()));
        }
        let left_out = match self.kind {
            Sought::Wins | Sought::Losses if selection.is_all() => without_distances(&mut listings),
            _ => Vec::new(),
        };
        files.iter().try_for_each(Destination::check)?;
        interrupt::install()?;
        let (done, progress) = of_tables("searching");
        let stop = interrupt::flag();
        let found = find(&tables, &listings, self.kind, self.top, stop, &done);
        progress.finish_and_clear();
        let found = match found {
            Err(TableError::Stopped) => {
                return Err(Failure::Interrupted("nothing is found yet".to_owned()).into());
            }
            found => found?,
        };
        drop(listings);
        if let Some(games) = games {
            let knowledge = Knowledge::new(board, rules, Some(Arc::new(tables)), None)?;
            let texts = found.iter().map(|found| game(&knowledge, found));
            let texts = texts.collect::<anyhow::Result<Vec<_>>>()?;
            games.write(texts.join("\n").as_bytes())?;
        }
        if let Some(svg) = svg {
            svg.write(picture(board, &found).into_string().as_bytes())?;
        }
        output.text(format_args!("{board}, {rules}\n"));
        output.text(list(&found));
        if !left_out.is_empty() {
            let slices: Vec<_> = left_out.iter().map(|slice| slice.0.to_string()).collect();
            let text = format!("left out, without distances: {}", slices.join(", "));
            output.text(format_args!("\n{}", filled(&text, 2)));
        }
        output.json(&Report { board, rules, positions: found, left_out });
        Ok(())
    }
}

/// Takes tables without distances out, unless all are. Returns their slices.
fn without_distances(listings: &mut Vec<Listing<'_>>) -> Vec<AsText<Slice>> {
    let has_distances = |listing: &Listing<'_>| listing.table().metadata().metric.has_distances();
    if !listings.iter().any(has_distances) {
        return Vec::new();
    }
    let left_out = listings.iter().filter(|listing| !has_distances(listing));
    let left_out = left_out.map(|listing| AsText(listing.slice())).collect();
    listings.retain(has_distances);
    left_out
}

/// Best play from a position as the text of a game.
fn game(knowledge: &Knowledge, found: &Found) -> anyhow::Result<String> {
    let position = found.listed.position;
    let mut game = Game::new(knowledge.rules(), position);
    for turn in knowledge.line(&position, LONGEST)?.line {
        game.play(turn.turn);
    }
    Ok(Record::new(game).to_string())
}

/// All positions in one picture.
fn picture(board: Board, found: &[Found]) -> Markup {
    let shown: Vec<_> = found.iter().map(|found| (found.listed.position, caption(found))).collect();
    board::sheet(board, "positions of endgame tables", &shown)
}

/// The value, the side to move, and the only turn if there is one.
fn caption(Found { listed, feature }: &Found) -> String {
    let position = listed.position;
    let text = format!("{} to move: {}", name(position.to_move()), in_words(listed.value));
    match feature {
        Feature::OnlyTurn { turn, .. } => {
            format!("{text}, only by {}", turn.turn.text(position.board()))
        }
        Feature::Zugzwang { other, .. } => {
            format!("{text}; {} to move: {}", name(position.to_move().other()), in_words(*other))
        }
        _ => text,
    }
}

/// A value in words, as in `win in 5 turns`.
fn in_words(value: TableValue) -> String {
    Assessment::exact(value, Source::Table).to_string()
}

/// A line for each position.
fn list(found: &[Found]) -> String {
    let Some(first) = found.first() else { return "none found".to_owned() };
    let extra: &[&str] = match first.feature {
        Feature::Zugzwang { .. } => &["the other side"],
        Feature::OnlyTurn { .. } => &["only turn", "other turns", "streak"],
        _ => &[],
    };
    let header = [&["", "value"], extra, &["position"]].concat();
    let left: Vec<usize> = (1..header.len()).filter(|i| header[*i] != "streak").collect();
    let mut rows = table(&header, &left);
    for (i, Found { listed, feature }) in found.iter().enumerate() {
        let mut row = vec![(i + 1).to_string(), in_words(listed.value)];
        match feature {
            Feature::Zugzwang { other, .. } => row.push(in_words(*other)),
            Feature::OnlyTurn { turn, next, streak, .. } => row.extend([
                turn.turn.text(listed.position.board()).to_string(),
                in_words(*next),
                streak_in_words(*streak, listed.value),
            ]),
            _ => {}
        }
        row.push(listed.position.to_string());
        rows.add_row(Row::from(row));
    }
    rows.trim_fmt()
}

/// As in `3 of 12`: of the winner's turns. Without distances their number is not known.
fn streak_in_words(streak: u32, value: TableValue) -> String {
    match value.dtw {
        Some(turns) => format!("{streak} of {}", turns.div_ceil(2)),
        None => "-".to_owned(),
    }
}
