//! How hard turns make it for the opponent.

use crate::knowledge::{Knowledge, Look, MAX_TURNS, Result};

/// The opponent's replies to a turn. The fewer keep the opponent's value, the harder they are to find; of
/// as many, the smaller part of all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Replies {
    /// Those that keep the opponent's value.
    pub holding: usize,
    /// All of them.
    pub all: usize,
}

impl Knowledge {
    /// The replies to each turn of a position. `None` where the value of the turn or of a reply is not
    /// known, and once [`MAX_TURNS`] replies have been looked at.
    ///
    /// # Errors
    /// As for [`lookup`](Self::lookup).
    pub fn replies(&self, look: &Look) -> Result<Vec<Option<Replies>>> {
        self.replies_within(look, MAX_TURNS)
    }

    fn replies_within(&self, look: &Look, mut left: usize) -> Result<Vec<Option<Replies>>> {
        let turns = look.turns.as_deref().unwrap_or_default();
        let mut found = vec![None; turns.len()];
        for (turn, found) in turns.iter().zip(&mut found) {
            let Some(value) = turn.assessment.value() else { continue };
            let after = self.look(&turn.after)?;
            let Some(replies) = after.turns.filter(|replies| replies.len() <= left) else { break };
            left -= replies.len();
            let values: Option<Vec<_>> =
                replies.iter().map(|reply| reply.assessment.value()).collect();
            let holding =
                |values: Vec<_>| values.into_iter().filter(|reply| *reply == -value).count();
            *found = values.map(|values| Replies { holding: holding(values), all: replies.len() });
        }
        Ok(found)
    }
}

impl Look {
    /// The place of the trickiest turn: of those that keep the value, and after which the opponent can go
    /// wrong, the one with the fewest replies that keep the opponent's value. `None` if there is none, if
    /// not all is known of the turns that keep the value, or if only one does.
    pub fn trickiest(&self, replies: &[Option<Replies>]) -> Option<usize> {
        let value = self.assessment.value()?;
        let turns = self.turns.iter().flatten().zip(replies).enumerate();
        let keeping = turns.filter(|(_, (turn, _))| turn.assessment.value() == Some(value));
        let keeping: Vec<_> =
            keeping.map(|(i, (_, replies))| Some((i, (*replies)?))).collect::<Option<_>>()?;
        let may_fail = |(_, replies): &&(usize, Replies)| replies.holding < replies.all;
        // As many of more are a smaller part.
        let ease =
            |(_, replies): &&(usize, Replies)| (replies.holding, std::cmp::Reverse(replies.all));
        let hardest = keeping.iter().filter(may_fail).min_by_key(ease)?;
        (keeping.len() > 1).then_some(hardest.0)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use fanorona_builder::{BuildOptions, build};
    use fanorona_core::{Board, Position, RuleSet, Side, SplitMix64, Value};
    use fanorona_tablebase::{Metric, Slice, Tables};

    use super::*;
    use crate::Book;

    #[test]
    fn replies_are_counted_up_to_a_limit() {
        let proofs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/proofs/");
        let book = Arc::new(Book::open([format!("{proofs}3x3-standard.proof")]).expect("a book"));
        let known = Knowledge::new(book.board(), book.rules(), None, Some(book)).expect("one game");
        let mut look = known.look(&Board::telo().start()).expect("a look");
        let turn = look.turns.as_ref().expect("turns")[0].clone();
        let count = known.turns(&turn.after).expect("turns").len();
        assert!(count > 1, "there are replies");
        let mut counted = |left: usize, times: usize| {
            look.turns = Some(vec![turn.clone(); times]);
            known.replies_within(&look, left).expect("an answer")
        };
        // Every reply loses, so each keeps the loss.
        let all = Some(Replies { holding: count, all: count });
        assert_eq!(counted(count, 2), [all, None]);
        assert_eq!(counted(2 * count, 3), [all, all, None]);
        // Too many for what is left: none is counted, and none later.
        assert_eq!(counted(2 * count - 1, 3), [all, None, None]);
        assert_eq!(counted(count - 1, 1), [None]);
    }

    /// The trickiest turn is the one that a plain count over the tables finds.
    #[test]
    fn the_trickiest_turn_leaves_the_fewest_good_replies() {
        let dir = fanorona_tests::directory().expect("a directory");
        let (board, rules) = (Board::dimy(), RuleSet::STANDARD);
        let options = BuildOptions::new(dir.path(), board, rules, 4).with_metric(Metric::Wdl);
        build(&options, &(), &AtomicBool::new(false)).expect("they can be built");
        let tables = Arc::new(Tables::open(dir.path(), board, rules).expect("they are there"));
        let known = Knowledge::new(board, rules, Some(tables.clone()), None).expect("one game");
        let value = |position: &Position| match rules.outcome(position) {
            Some(outcome) => outcome.value_for(position.to_move()),
            None => tables.probe(position).expect("a table").value,
        };
        let mut random = SplitMix64::new(7);
        let mut marked = [0; 3];
        for _ in 0..300 {
            let position = Slice::new(2, 2).random_position(board, Side::Black, &mut random);
            let position = position.expect("it is on the board");
            let look = known.look(&position).expect("a look");
            let replies = known.replies(&look).expect("replies");
            let mut best: Option<(usize, usize, usize)> = None;
            let mut keeping = 0;
            for (i, turn) in look.turns().expect("turns").iter().enumerate() {
                let theirs = value(&turn.after);
                if theirs != -value(&position) {
                    continue;
                }
                keeping += 1;
                let (mut good, mut all) = (0, 0);
                for reply in rules.turns(&turn.after) {
                    all += 1;
                    good += usize::from(value(&turn.after.play_unchecked(&reply)) == -theirs);
                }
                assert_eq!(replies[i], Some(Replies { holding: good, all }), "{position}");
                let is_better = match best {
                    None => true,
                    Some((_, least, of)) => good < least || (good == least && all > of),
                };
                if good < all && is_better {
                    best = Some((i, good, all));
                }
            }
            let expected = best.filter(|_| keeping > 1).map(|(i, ..)| i);
            assert_eq!(look.trickiest(&replies), expected, "{position}");
            let place = [Value::Loss, Value::Draw, Value::Win].iter();
            let place = place.clone().position(|each| *each == value(&position)).expect("a value");
            marked[place] += usize::from(expected.is_some());
        }
        // Who is lost cannot go wrong.
        assert!(marked[0] > 0 && marked[1] > 0 && marked[2] == 0, "{marked:?}");
    }

    /// A turn that keeps the value, and of which less is known, may be trickier.
    #[test]
    fn nothing_is_marked_where_something_is_unknown() {
        let known = Knowledge::of_rules(Board::dimy(), RuleSet::STANDARD);
        let look = known.look(&Board::dimy().start()).expect("a look");
        let replies = known.replies(&look).expect("replies");
        assert!(replies.iter().all(Option::is_none) && replies.len() > 1);
        assert_eq!(look.trickiest(&replies), None);
    }
}
