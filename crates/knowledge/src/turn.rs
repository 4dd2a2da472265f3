//! A turn with what is known about it.

use fanorona_core::{Coordinates, Position, Stones, SymmetryGroup, Turn, Value};
use fanorona_proof::Bounds;
use serde::{Serialize, Serializer};

use crate::assessment::{Assessment, Source};

/// A turn with what is known about it.
///
/// Its JSON form has the fields of the [`Assessment`], and `{turn, position, captured}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankedTurn {
    /// The turn.
    pub turn: Turn,
    /// The position after it.
    pub after: Position,
    /// For the side that makes the turn.
    pub assessment: Assessment,
}

impl RankedTurn {
    /// Narrows what is known of the turns of a position by what a search has proved, and sorts them
    /// again, best first. `position` is the assessment of the position, which no turn exceeds; `proved`
    /// are turns with what was proved of each. It holds for all turns that lead to the same position up
    /// to symmetry.
    pub(crate) fn learn(turns: &mut [Self], position: &Assessment, proved: &[(Turn, Assessment)]) {
        if let Some(first) = turns.first() {
            let group = SymmetryGroup::new(first.after.board());
            let place = |turn: &Self| group.canonical(Stones::of(&turn.after)).stones;
            let places = proved.iter().filter_map(|(turn, found)| {
                let listed = turns.iter().find(|listed| listed.turn == *turn)?;
                Some((place(listed), *found))
            });
            let places: Vec<_> = places.collect();
            for turn in &mut *turns {
                let here = place(turn);
                for (_, found) in places.iter().filter(|(place, _)| *place == here) {
                    turn.assessment = turn.assessment.narrowed_by(*found);
                }
            }
        }
        Self::sort(turns, position);
    }

    /// Sorts the turns of a position [best first](Assessment::best_first), but those that have its
    /// distance come before all others, and those that give its value away come last. Turns of which
    /// the same is known keep their order. No turn is worth more than the position.
    pub(crate) fn sort(turns: &mut [Self], position: &Assessment) {
        let Bounds { at_least, at_most } = position.bounds;
        let bounds = Bounds { at_most, ..Bounds::UNKNOWN };
        let most = Assessment { bounds, source: position.source, ..Assessment::UNKNOWN };
        for turn in &mut *turns {
            turn.assessment = turn.assessment.narrowed_by(most);
        }
        let place = |found: &Assessment| match found.bounds.at_most < at_least {
            true => 2,
            false => u8::from(position.dtw.is_none() || found.dtw != position.dtw),
        };
        turns.sort_by(|a, b| {
            let (a, b) = (&a.assessment, &b.assessment);
            place(a).cmp(&place(b)).then_with(|| a.best_first(b))
        });
    }

    /// Whether the turn makes no certain progress: it is won or lost by tables without its distance.
    pub fn is_aimless(&self) -> bool {
        let found = self.assessment;
        let is_decided = matches!(found.value(), Some(Value::Win | Value::Loss));
        is_decided && found.dtw.is_none() && found.source == Some(Source::Table)
    }
}

/// A turn with what is known about it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = RankedTurn))]
pub(crate) struct Fields {
    /// The turn, as in `d2-e3A-f4W`.
    turn: String,
    #[serde(flatten)]
    assessment: Assessment,
    /// The position after the turn, with the other side to move.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    position: Position,
    /// The points of the captured stones.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    captured: Vec<Coordinates>,
}

impl Serialize for RankedTurn {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let board = self.after.board();
        let captured = self.turn.captured().iter().map(|point| board.coordinates(point));
        Fields {
            turn: self.turn.text(board).to_string(),
            assessment: self.assessment,
            position: self.after,
            captured: captured.collect(),
        }
        .serialize(serializer)
    }
}

#[cfg(feature = "schema")]
crate::schema::as_its_fields!(RankedTurn, Fields);

#[cfg(test)]
mod tests {
    use fanorona_core::{Board, RuleSet};

    use super::*;
    use crate::Knowledge;

    /// A proof of a turn holds for its mirror image too, and the list is sorted again.
    #[test]
    fn a_proof_reaches_the_turns_that_are_the_same_by_symmetry() {
        let start = Board::telo().start();
        let known = Knowledge::of_rules(start.board(), RuleSet::STANDARD);
        let position: Position = "B1B/3/1W1 w".parse().expect("a position");
        let mut turns = known.turns(&position).expect("turns");
        let found = |value| Assessment::new(Bounds::exact(value), Source::Search);
        let proved = turns.iter().find(|turn| turn.turn.text(start.board()).to_string() == "b1-c1");
        let proved = [(proved.expect("it is legal").turn.clone(), found(Value::Draw))];
        let win =
            Assessment::new(Bounds { at_least: Value::Draw, at_most: Value::Win }, Source::Search);
        RankedTurn::learn(&mut turns, &win, &proved);
        let names: Vec<_> =
            turns.iter().map(|turn| turn.turn.text(start.board()).to_string()).collect();
        let mut first = names[..2].to_vec();
        first.sort();
        assert_eq!(first, ["b1-a1", "b1-c1"], "{names:?}");
        assert!(turns[..2].iter().all(|turn| turn.assessment == found(Value::Draw)));
        assert!(turns[2..].iter().all(|turn| turn.assessment == Assessment::UNKNOWN));
        let most =
            Assessment::new(Bounds { at_least: Value::Loss, at_most: Value::Draw }, Source::Search);
        RankedTurn::learn(&mut turns, &most, &[]);
        assert!(turns[2..].iter().all(|turn| turn.assessment == most));
    }
}
