//! A position to practise with: won or drawn, and not by every turn.

use std::sync::Arc;

use fanorona_core::{Board, Position, RuleSet, Side, SplitMix64, Value};
use fanorona_knowledge::{Assessment, Source};
use fanorona_tablebase::{Slice, Tables};
use serde::Serialize;
use utoipa::ToSchema;

use crate::library::OpenVariant;
use crate::problem::{Problem, ProblemKind};
use crate::variant::Variant;

/// Positions that are tried. In the tables of 9x5, fewer than one in a thousand is enough.
const MAX_TRIES: usize = 20_000;

/// The largest seed: JSON readers of browsers know larger numbers only roughly.
pub const MAX_SEED: u64 = (1 << 53) - 1;

/// A position to practise with.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DrillAnswer {
    /// The board.
    #[schema(value_type = String)]
    pub board: Board,
    /// The rule set.
    #[schema(value_type = String)]
    pub rules: RuleSet,
    /// The position. Some of its turns keep the value, and others do not.
    #[schema(value_type = String)]
    pub position: Position,
    /// Of the position: the value is the one that was asked for.
    #[serde(flatten)]
    pub assessment: Assessment,
    /// The seed that gives this position again, from the same tables.
    pub seed: u64,
}

/// The drill that is asked for.
#[derive(Clone, Copy, Debug)]
pub struct DrillOrder {
    /// The value for the side to move: a win or a draw.
    pub value: Value,
    /// The stones of both sides together; `None` for the most that the tables have.
    pub stones: Option<u32>,
    /// The seed of the random numbers.
    pub seed: u64,
}

impl DrillAnswer {
    /// A random position from the tables.
    ///
    /// # Errors
    /// If there are no tables with that number of stones, if no such position is found, or if a table
    /// cannot be read.
    pub fn new(open: &OpenVariant, order: DrillOrder) -> Result<Self, Problem> {
        let (variant, known) = (open.variant(), open.knowledge());
        let slices = slices(known.tables().map(Arc::as_ref), order.value)?;
        let most = slices.iter().map(|(slice, _)| slice.stones()).max();
        let stones = order.stones.or(most);
        let slices: Vec<_> =
            slices.into_iter().filter(|(slice, _)| Some(slice.stones()) == stones).collect();
        if slices.is_empty() {
            return Err(no_tables(open, order));
        }
        let mut random = SplitMix64::new(order.seed);
        for _ in 0..MAX_TRIES {
            let position = random_position(variant, &slices, &mut random)?;
            if known.lookup(&position)?.value() != Some(order.value) {
                continue;
            }
            let look = known.look(&position)?;
            let turns = look.turns.as_deref().unwrap_or_default();
            let keeps = |value: Option<Value>| value == Some(order.value);
            let kept = turns.iter().filter(|turn| keeps(turn.assessment.value())).count();
            // A turn that ends the game at once is no task.
            let is_over =
                turns.first().is_some_and(|first| first.assessment.source == Some(Source::Rules));
            if kept == turns.len() || is_over {
                continue;
            }
            return Ok(Self {
                board: variant.board,
                rules: variant.rules,
                position,
                assessment: look.assessment,
                seed: order.seed,
            });
        }
        let message = format!("{MAX_TRIES} random positions had none to practise with");
        let expected = "another seed, or another number of stones";
        Err(Problem::new(ProblemKind::NotFound, message, expected))
    }
}

/// The slices that have positions with this value, with their number.
fn slices(tables: Option<&Tables>, value: Value) -> Result<Vec<(Slice, u64)>, Problem> {
    let Some(tables) = tables else { return Ok(Vec::new()) };
    let mut slices: Vec<(Slice, u64)> = Vec::new();
    for table in tables.all()? {
        let metadata = table.metadata();
        let statistics = &metadata.statistics;
        let count = match value {
            Value::Win => statistics.win,
            Value::Draw => statistics.draw,
            Value::Loss => statistics.loss,
        };
        let slice = metadata.slice.counts();
        if count > 0 && slices.iter().all(|(other, _)| *other != slice) {
            slices.push((slice, count));
        }
    }
    Ok(slices)
}

/// A random position of one of the slices, which are as likely as they have positions of the value.
fn random_position(
    variant: Variant,
    slices: &[(Slice, u64)],
    random: &mut SplitMix64,
) -> Result<Position, Problem> {
    let all = slices.iter().fold(0u64, |sum, (_, count)| sum.saturating_add(*count));
    let mut place = random.below(all);
    let chosen = slices.iter().find(|(_, count)| {
        let is_it = place < *count;
        place = place.saturating_sub(*count);
        is_it
    });
    let slice = chosen.or(slices.last()).map_or(Slice::new(1, 1), |found| found.0);
    let position = slice.random_position(variant.board, Side::White, random).ok_or_else(|| {
        Problem::bug(format_args!("slice {slice} is not on the board {}", variant.board))
    })?;
    Ok(if random.below(2) == 0 { position } else { position.with_colours_swapped() })
}

fn no_tables(open: &OpenVariant, order: DrillOrder) -> Problem {
    let variant = open.variant();
    let stones = order.stones.unwrap_or(DEFAULT_STONES);
    let message = format!(
        "no table of {} under {} has a {} with {stones} stones",
        variant.board, variant.rules, order.value
    );
    let expected = match open.build(variant, stones) {
        Some(build) => format!("tables, built with '{}'", build.command),
        None => "another number of stones".to_owned(),
    };
    Problem::new(ProblemKind::NotFound, message, expected).in_field("stones")
}

/// The number of stones of the tables that are recommended if there are none.
const DEFAULT_STONES: u32 = 4;
