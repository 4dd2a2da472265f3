//! The page: text, tables and pictures, in HTML that is well-formed XML too.

use fanorona_core::{Board, Position, RuleSet};
use fanorona_knowledge::{SliceStatistics, ZugzwangExample};
use fanorona_tablebase::Zugzwang;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::shown::{LongestLine, Shown};
use crate::command::slice_report::Longest;
use crate::human::grouped;
use crate::svg::board::board as draw;
use crate::svg::chart::{self, percent};

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fdfcfa; --faint: #8884; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e3de; --paper: #1a1a1c; } }
body { margin: 2rem auto; padding: 0 1rem; max-width: 60rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 system-ui, sans-serif; }
h2 { margin-top: 2.5rem; border-top: 1px solid var(--faint); padding-top: 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.85rem; }
th, td { padding: 0.15rem 0.5rem; text-align: right; border-bottom: 1px solid var(--faint); }
thead th { vertical-align: bottom; }
tbody th { font-weight: 600; text-align: left; }
small { display: block; opacity: 0.75; }
svg { max-width: 100%; height: auto; }
.boards { display: flex; flex-wrap: wrap; gap: 1.5rem; }
figure { margin: 0; max-width: 22rem; }
figure svg { width: 22rem; }
figcaption { font-size: 0.9rem; }
code { overflow-wrap: anywhere; }
.line { font-size: 0.8rem; }
@media print { body { margin: 0; max-width: none; color: #000; background: #fff; font-size: 11px; }
  :root { color-scheme: light; } figure, svg, tr { break-inside: avoid; } h2, h3 { break-after: avoid; }
  a { color: inherit; text-decoration: none; } }
";

pub(super) fn page(board: Board, rules: RuleSet, shown: &[Shown]) -> Markup {
    let title = format!("Fanorona: tables of {board}, {rules}");
    let shares: Vec<_> = shown
        .iter()
        .map(|shown| {
            let SliceStatistics { slice, win, draw, loss, .. } = shown.statistics();
            (slice.clone(), [*win, *draw, *loss])
        })
        .collect();
    html! {
        (DOCTYPE)
        html xmlns="http://www.w3.org/1999/xhtml" lang="en" {
            head {
                (PreEscaped("<meta charset=\"utf-8\"/>"))
                (PreEscaped("<meta name=\"viewport\" content=\"width=device-width\"/>"))
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (title) }
                p {
                    "A slice " em { "a" } "v" em { "b" } " is all positions in which the side to move \
                    has " em { "a" } " stones and the other side " em { "b" } ". Wins, draws and losses \
                    are for the side to move. Counts of positions include symmetric ones. Distances \
                    are turns of both sides: the winner hurries and the loser delays."
                }
                p {
                    "A zugzwang is a position in which neither side can capture, and the side to move \
                    would do better if the other side had to move. In a full zugzwang, either side \
                    loses if it has to move."
                }
                (overview(shown))
                h2 { "Wins, draws and losses" }
                (chart::shares("The shares of wins, draws and losses of each slice", &shares))
                @for slice in shown {
                    (section(slice))
                }
            }
        }
    }
}

/// The identifier of a slice's section.
fn id(slice: &str) -> String {
    format!("s{}", slice.replace(' ', "-"))
}

fn overview(shown: &[Shown]) -> Markup {
    html! {
        div.wide {
            table id="slices" {
                thead {
                    tr {
                        @for name in ["slice", "positions", "win", "draw", "loss", "longest win",
                            "longest loss", "zugzwangs", "of them full"] {
                            th scope="col" { (name) }
                        }
                    }
                }
                tbody {
                    @for report in shown.iter().map(Shown::statistics) {
                        tr {
                            th scope="row" {
                                a href=(format!("#{}", id(&report.slice))) { (report.slice) }
                            }
                            td { (grouped(report.positions)) }
                            @for count in [report.win, report.draw, report.loss] {
                                td { (grouped(count)) small { (percent(count, report.positions)) } }
                            }
                            td { (or_dash(report.max_win.map(u64::from))) }
                            td { (or_dash(report.max_loss.map(u64::from))) }
                            td { (or_dash(report.zugzwangs.as_ref().map(|found| found.total))) }
                            td { (or_dash(report.zugzwangs.as_ref().map(|found| found.full))) }
                        }
                    }
                }
            }
        }
    }
}

fn section(shown: &Shown) -> Markup {
    let report @ SliceStatistics { slice, .. } = shown.statistics();
    let is_decided = report.max_win.is_some() || report.max_loss.is_some();
    let distances = report.win_distances.as_ref().zip(report.loss_distances.as_ref());
    html! {
        section id=(id(slice)) {
            h2 { (slice) }
            p {
                (grouped(report.positions)) " positions, " (grouped(report.canonical))
                " up to symmetry."
            }
            @if distances.is_none() {
                p { "The table has wins, draws and losses, but no distances." }
            }
            @if let Some((wins, losses)) = distances.filter(|_| is_decided) {
                h3 { "Distances" }
                (chart::distances(
                    &format!("Positions of {slice} by the number of turns to the win or loss"),
                    wins,
                    losses,
                ))
            }
            @if !shown.longest.is_empty() {
                h3 { "Longest win and loss" }
                div.boards { @for longest in &shown.longest { (longest_figure(longest)) } }
            }
            h3 { "Zugzwangs" }
            (zugzwangs(report))
        }
    }
}

fn longest_figure(LongestLine { end, turns }: &LongestLine) -> Markup {
    let Longest { value, distance, position } = end;
    let what = format!("White to move, {value} in {distance} turns");
    html! {
        (figure(position, &what, &html! { p.line { (play(turns, *distance)) } }))
    }
}

/// Turns in pairs, numbered. With fewer turns than the distance, the line goes on where that is not
/// known.
fn play(turns: &[String], distance: u16) -> Markup {
    html! {
        @for (i, pair) in turns.chunks(2).enumerate() {
            b { (i + 1) "." } " " (pair.join(" ")) " "
        }
        @if turns.len() < distance.into() { "… (continues in slices without a table of distances here)" }
    }
}

fn zugzwangs(report: &SliceStatistics) -> Markup {
    let Some(found) = &report.zugzwangs else {
        return html! { p { "Not counted in this old version of tables." } };
    };
    let examples = found.examples.iter().map(|ZugzwangExample { kind, position }| {
        let what = match kind {
            Zugzwang::WinToLoss => "The side to move loses, whichever it is",
            Zugzwang::DrawToLoss => "White to move loses, but would draw if Black had to move",
            Zugzwang::WinToDraw => "White to move draws, but would win if Black had to move",
        };
        (position, format!("{what} (one of {})", grouped(found.count(*kind))))
    });
    html! {
        p {
            (grouped(found.total)) " zugzwangs: " (grouped(found.full)) " full ones, "
            (grouped(found.draw_to_loss)) " that turn a draw into a loss, and "
            (grouped(found.win_to_draw)) " that turn a win into a draw."
        }
        div.boards {
            @for (position, what) in examples { (figure(position, &what, &html! {})) }
        }
    }
}

/// A board with its caption and the position's text.
fn figure(position: &Position, what: &str, more: &Markup) -> Markup {
    html! {
        figure {
            (draw(position, &format!("{position}: {what}")))
            figcaption {
                (what) ". " code { (position) }
                (more)
            }
        }
    }
}

fn or_dash(count: Option<u64>) -> String {
    count.map_or("–".to_owned(), grouped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_numbered_in_pairs() {
        let turns = ["a1-a2", "c1-c2", "a2-a3"].map(str::to_owned);
        let text = play(&turns, 3).into_string();
        assert_eq!(text, "<b>1.</b> a1-a2 c1-c2 <b>2.</b> a2-a3 ");
        assert!(play(&turns, 5).into_string().contains("…"));
    }
}
