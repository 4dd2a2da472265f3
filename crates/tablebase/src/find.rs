//! Positions that stand out: longest wins and losses, zugzwangs, and studies.

use std::sync::atomic::AtomicBool;

use fanorona_core::{Position, Value};
use serde::{Serialize, Serializer};

use crate::error::Result;
use crate::probe::{Listed, Listing, RankedTurn, Tables};
use crate::value::{Metric, TableValue};
use crate::watch::{PART, Watch, WorkProgress};
use crate::zugzwang::Zugzwang;

/// The number of positions whose turns or counterparts are probed at a time.
const EXAMINED: usize = 1 << 12;

/// A kind of position that [`find`] finds, and which of them come first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Sought {
    /// Wins, the longest first.
    Wins,
    /// Losses, the longest first.
    Losses,
    /// Zugzwangs: the full ones first, then the longest.
    Zugzwangs,
    /// Full zugzwangs, which either side loses if it has to move: the longest first.
    FullZugzwangs,
    /// Wins in which exactly one of at least two turns wins: the longest first.
    Studies,
    /// Draws in which exactly one of at least two turns draws: those with the most turns first.
    DrawStudies,
}

/// A position that [`find`] has found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// The position, with its weight and its value.
    #[serde(flatten)]
    pub listed: Listed,
    /// The reason why it stands out.
    #[serde(flatten)]
    pub feature: Feature,
}

/// The reason why a position stands out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub enum Feature {
    /// The length of the win or loss.
    Length,
    /// Having to move.
    Zugzwang {
        #[serde(rename = "zugzwang")]
        kind: Zugzwang,
        /// The value with the other side to move, for that side.
        other: TableValue,
    },
    /// The only turn that keeps the value.
    OnlyTurn {
        #[serde(serialize_with = "turn_text")]
        turn: Box<RankedTurn>,
        /// The number of turns to choose from.
        turns: usize,
        /// The best of the other turns.
        next: TableValue,
        /// In how many of the winner's turns of a win, from the first one on, just one turn wins. Both
        /// sides play their best; 1 in a draw.
        streak: u32,
    },
}

fn turn_text<S: Serializer>(ranked: &RankedTurn, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&ranked.turn.text(ranked.after.board()))
}

/// Finds the `most` first positions of a kind in some [listings](Tables::listings) of `tables`.
///
/// Reads every value once, except in tables whose statistics show that they hold nothing better. For
/// studies it probes the turns of the positions that could be among the first, which are all draws if
/// draws are sought; for zugzwangs, all quiet losses and draws with the other side to move.
///
/// ```
/// # use std::sync::atomic::AtomicBool;
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_builder::{BuildOptions, build};
/// use fanorona_tablebase::{Selection, Sought, Tables, WorkProgress, find};
/// # let (dir, stop) = (tempfile::tempdir()?, AtomicBool::new(false));
/// # build(&BuildOptions::new(dir.path(), Board::telo(), RuleSet::STANDARD, 4), &(), &stop)?;
/// let tables = Tables::open(dir.path(), Board::telo(), RuleSet::STANDARD)?;
/// let listings = tables.listings(&Selection::up_to(4))?;
/// let progress = WorkProgress::default();
/// let longest = find(&tables, &listings, Sought::Wins, 3, &stop, &progress)?;
/// assert_eq!(longest.len(), 3);
/// assert_eq!(longest[0].listed.value, tables.probe(&longest[0].listed.position)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// - [`TableError::Missing`](crate::TableError::Missing) if a table has no distances and the longest
///   wins or losses are sought, or if a table is missing that a value follows from.
/// - [`TableError::Stopped`](crate::TableError::Stopped) soon after `stop` is set.
/// - Others if a table is damaged or cannot be read.
pub fn find(
    tables: &Tables,
    listings: &[Listing<'_>],
    sought: Sought,
    most: usize,
    stop: &AtomicBool,
    progress: &WorkProgress,
) -> Result<Vec<Found>> {
    let needs_distances = matches!(sought, Sought::Wins | Sought::Losses);
    for listing in listings {
        let metadata = listing.table().metadata();
        if needs_distances && !metadata.metric.has_distances() {
            return Err(tables.missing(&metadata.rules, listing.slice(), Some(Metric::Dtw)));
        }
    }
    progress.set_total(listings.iter().map(Listing::entries).fold(0, u64::saturating_add));
    let watch = Watch { stop, progress };
    let listings = listings.iter().map(|listing| (best_of(listing, sought), listing));
    let mut listings: Vec<_> = listings.collect();
    listings.sort_by_key(|(best, _)| std::cmp::Reverse(*best));
    let mut first = First { most, found: Vec::new() };
    for (best, listing) in listings {
        let mut from = 0;
        while from < listing.entries() && first.admits(best) {
            watch.done(PART)?;
            let mut candidates: Vec<_> = listing
                .positions(from, PART)?
                .into_iter()
                .filter_map(|listed| Some((at_best(sought, &listed)?, listed)))
                .filter(|(best, _)| first.admits(*best))
                .collect();
            candidates.sort_by_key(|(best, _)| std::cmp::Reverse(*best));
            for part in candidates.chunks(EXAMINED) {
                watch.done(0)?;
                if part.first().is_some_and(|(best, _)| first.admits(*best)) {
                    let part: Vec<_> = part.iter().map(|(_, listed)| *listed).collect();
                    examine(tables, sought, &part, &mut first)?;
                }
            }
            from += PART;
        }
        watch.done(listing.entries().saturating_sub(from))?;
    }
    let mut found = first.finish();
    for Found { listed, feature } in &mut found {
        if let Feature::OnlyTurn { turn, streak, .. } = feature
            && listed.value.value == Value::Win
        {
            *streak += streak_after(tables, turn)?;
        }
    }
    Ok(found)
}

/// The order of positions: greater numbers first.
type Key = u32;

/// The first ones of what has been found.
struct First {
    most: usize,
    /// In no order, up to twice as many as wanted.
    found: Vec<(Key, Found)>,
}

impl First {
    /// Whether a position with this key may be one of them.
    fn admits(&self, key: Key) -> bool {
        match self.found.get(self.most.wrapping_sub(1)) {
            // Those up to there are sorted.
            Some((last, _)) => key > *last,
            None => self.most > 0,
        }
    }

    fn add(&mut self, key: Key, found: Found) {
        if self.admits(key) {
            self.found.push((key, found));
            // Sorting is stable: what is found first stays first.
            if self.found.len() >= self.most.saturating_mul(2).max(self.most.saturating_add(64))
                || self.found.len() == self.most
            {
                self.sort();
            }
        }
    }

    fn sort(&mut self) {
        self.found.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
        self.found.truncate(self.most);
    }

    fn finish(mut self) -> Vec<Found> {
        self.sort();
        self.found.into_iter().map(|(_, found)| found).collect()
    }
}

/// A number that no key in a table exceeds.
fn best_of(listing: &Listing<'_>, sought: Sought) -> Key {
    let metadata = listing.table().metadata();
    let longest = |value| match metadata.metric.has_distances() {
        true => metadata.statistics.longest(value).map_or(0, Key::from),
        false => Key::MAX,
    };
    match sought {
        Sought::Wins | Sought::Studies => longest(Value::Win),
        Sought::Losses => longest(Value::Loss),
        Sought::Zugzwangs | Sought::FullZugzwangs | Sought::DrawStudies => Key::MAX,
    }
}

/// A number that the key of a position does not exceed; `None` if it is not sought.
fn at_best(sought: Sought, listed: &Listed) -> Option<Key> {
    let length = Key::from(listed.value.dtw.unwrap_or(0));
    match (sought, listed.value.value) {
        (Sought::Wins, Value::Win)
        | (Sought::Losses, Value::Loss)
        | (Sought::Studies, Value::Win) => Some(length),
        (Sought::DrawStudies, Value::Draw) => Some(Key::MAX),
        (Sought::Zugzwangs, Value::Draw | Value::Loss) | (Sought::FullZugzwangs, Value::Loss) => {
            Some(Key::MAX)
        }
        _ => None,
    }
}

/// Adds those of some positions that are sought.
fn examine(tables: &Tables, sought: Sought, part: &[Listed], first: &mut First) -> Result<()> {
    match sought {
        Sought::Wins | Sought::Losses => {
            for listed in part {
                let key = at_best(sought, listed).unwrap_or(0);
                first.add(key, Found { listed: *listed, feature: Feature::Length });
            }
        }
        Sought::Zugzwangs | Sought::FullZugzwangs => {
            let rules = tables.rules();
            let is_quiet = |position: &Position| {
                !rules.has_capture(position) && !rules.has_capture(&position.with_other_to_move())
            };
            let quiet: Vec<_> = part.iter().filter(|listed| is_quiet(&listed.position)).collect();
            let others: Vec<_> =
                quiet.iter().map(|listed| listed.position.with_other_to_move()).collect();
            for (listed, other) in quiet.into_iter().zip(tables.probe_many(&others)) {
                let other = other?;
                let Some(kind) = Zugzwang::of(listed.value.value, other.value) else { continue };
                if sought == Sought::FullZugzwangs && kind != Zugzwang::WinToLoss {
                    continue;
                }
                let turns = listed.value.dtw.max(other.dtw).unwrap_or(0);
                let key = Key::from(kind == Zugzwang::WinToLoss) << 16 | Key::from(turns);
                first.add(
                    key,
                    Found { listed: *listed, feature: Feature::Zugzwang { kind, other } },
                );
            }
        }
        Sought::Studies | Sought::DrawStudies => {
            let positions: Vec<_> = part.iter().map(|listed| listed.position).collect();
            for (listed, ranked) in part.iter().zip(tables.rank_many(&positions)) {
                let ranked = ranked?;
                let [turn, next, ..] = &ranked[..] else { continue };
                if next.value.value == listed.value.value {
                    continue;
                }
                let key = match sought {
                    Sought::Studies => Key::from(listed.value.dtw.unwrap_or(0)),
                    _ => ranked.len() as Key,
                };
                let (turn, turns) = (Box::new(turn.clone()), ranked.len());
                let feature = Feature::OnlyTurn { turn, turns, next: next.value, streak: 1 };
                first.add(key, Found { listed: *listed, feature });
            }
        }
    }
    Ok(())
}

/// In how many turns after this one, which wins, the winner has only one turn that wins. Both sides
/// play their best. A turn without alternatives counts.
fn streak_after(tables: &Tables, turn: &RankedTurn) -> Result<u32> {
    let (mut position, mut streak) = (turn.after, 0);
    // Without distances, play might not end.
    let mut left = turn.value.dtw.unwrap_or(0);
    while left > 2 {
        let Some(reply) = tables.rank(&position)?.into_iter().next() else { break };
        let turns = tables.rank(&reply.after)?;
        let wins = turns.iter().take_while(|turn| turn.value.value == Value::Win).count();
        let [best, ..] = &turns[..] else { break };
        if wins != 1 {
            break;
        }
        streak += 1;
        position = best.after;
        left -= 2;
    }
    Ok(streak)
}
