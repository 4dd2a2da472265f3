//! Looking at many positions at a time.

use fanorona_core::Position;
use rayon::prelude::*;

use crate::assessment::Assessment;
use crate::choice::TurnChoice;
use crate::knowledge::{Knowledge, Look, Result};
use crate::turn::RankedTurn;

impl Knowledge {
    /// Looks at many positions, in the given order. Finds what [`look`](Self::look) finds for each of
    /// them.
    ///
    /// Sorts the lookups as [`Tables::probe_many`](fanorona_tablebase::Tables::probe_many) does, so
    /// the cost per position falls with the number of positions. Uses all threads of the current
    /// rayon pool. Memory is limited: only some thousand positions are looked at before their
    /// results are taken.
    pub fn look_many<'k>(
        &'k self,
        positions: &'k [Position],
    ) -> impl Iterator<Item = Result<Look>> + 'k {
        positions.chunks(self.sizes.together).flat_map(move |positions| {
            let found = self.lookup_many(positions).into_iter().zip(self.turns_together(positions));
            let look = move |(position, found): (&Position, _)| match found {
                (Err(error), _) | (_, Err(error)) => Err(error),
                (Ok(own), Ok(turns @ Some(_))) => self.look_with(position, own, turns),
                (Ok(_), Ok(None)) => self.look(position),
            };
            positions.iter().zip(found).map(look)
        })
    }

    /// The turns of each position with what is known about them, in the generator's order. `None`
    /// for positions with many turns.
    fn turns_together(&self, positions: &[Position]) -> Vec<Result<Option<Vec<RankedTurn>>>> {
        let lists = self.lists_of_turns(positions);
        let after: Vec<_> = lists.iter().flatten().flatten().map(|turn| turn.after).collect();
        let mut found = self.lookup_many(&after).into_iter();
        let mut with_assessments = |list: Option<Vec<RankedTurn>>| {
            let Some(mut turns) = list else { return Ok(None) };
            // All of them are taken even if one is an error, so that the next position begins with
            // its own.
            let found: Vec<_> = found.by_ref().take(turns.len()).collect();
            for (turn, found) in turns.iter_mut().zip(found) {
                turn.assessment = found?.before_turn();
            }
            Ok(Some(turns))
        };
        let mut lists: Vec<_> = lists.into_iter().map(&mut with_assessments).collect();

        let lacks_distance = |turn: &&RankedTurn| self.may_have_distance(&turn.assessment);
        let known = lists.iter().flatten().flatten().flatten();
        let open: Vec<_> = known.filter(lacks_distance).map(|turn| turn.after).collect();
        let parts = open.chunks(self.sizes.together);
        let mut distances = parts.flat_map(|after| self.distances_by_turns(after));
        for list in &mut lists {
            let Ok(Some(turns)) = list else { continue };
            let mut failed = None;
            for turn in turns.iter_mut().filter(|turn| self.may_have_distance(&turn.assessment)) {
                match distances.next().unwrap_or(Ok(None)) {
                    Ok(distance) => turn.assessment.dtw = distance,
                    Err(error) => failed = failed.or(Some(error)),
                }
            }
            if let Some(error) = failed {
                *list = Err(error);
            }
        }
        lists
    }

    /// The distances of turns to these positions, from the turns that follow.
    fn distances_by_turns(&self, positions: &[Position]) -> Vec<Result<Option<u16>>> {
        let lists = self.lists_of_turns(positions);
        let after: Vec<_> = lists.iter().flatten().flatten().map(|turn| turn.after).collect();
        let mut found = self.lookup_many(&after).into_iter();
        let mut distance = |(list, position): (Option<Vec<RankedTurn>>, _)| {
            let Some(turns) = list else { return self.distance_by_turns(position) };
            let found: Vec<_> = found.by_ref().take(turns.len()).collect();
            let found: Result<Vec<_>> = found.into_iter().collect();
            let choice = TurnChoice::between(found?.into_iter().map(Assessment::before_turn));
            Ok(choice.and_then(|choice| choice.before_turn().dtw))
        };
        lists.into_iter().zip(positions).map(&mut distance).collect()
    }

    /// The turns of each position, without what is known about them. `None` if there are many.
    fn lists_of_turns(&self, positions: &[Position]) -> Vec<Option<Vec<RankedTurn>>> {
        let most = self.sizes.many_turns.min(self.max_turns);
        positions.par_iter().map(|position| self.list_turns(position, most)).collect()
    }

    /// [`lookup`](Self::lookup) for many positions.
    fn lookup_many(&self, positions: &[Position]) -> Vec<Result<Assessment>> {
        let Some(tables) = self.tables() else {
            return positions.par_iter().map(|position| self.lookup(position)).collect();
        };
        let found = tables.probe_many(positions);
        let each = positions.par_iter().zip(found);
        each.map(|(position, found)| self.lookup_by(position, |_| found)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use crate::book::Book;
    use fanorona_builder::{BuildOptions, build};
    use fanorona_core::{Board, PointSet, RuleSet, Side, SplitMix64, Stones, Value};
    use fanorona_tablebase::{Metric, Tables};

    use super::*;
    use crate::assessment::Source;
    use crate::knowledge::Sizes;

    const SMALL: Sizes = Sizes { together: 100, many_turns: 8 };

    fn with_small_sizes(known: Result<Knowledge>) -> Knowledge {
        let mut known = known.expect("one game");
        known.sizes = SMALL;
        known
    }

    /// 5x5 with distances to 3 stones, and values to 4.
    fn tables(dir: &Path) -> Tables {
        let (board, rules) = (Board::dimy(), RuleSet::STANDARD);
        for (stones, metric) in [(3, Metric::Dtw), (4, Metric::Wdl)] {
            let options = BuildOptions::new(dir, board, rules, stones).with_metric(metric);
            build(&options, &(), &AtomicBool::new(false)).expect("it builds");
        }
        Tables::open(dir, board, rules).expect("it is there")
    }

    fn book(board: &str) -> Arc<Book> {
        let proofs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs");
        let book = Book::open([proofs.join(format!("{board}-standard.proof"))]);
        Arc::new(book.expect("it is there"))
    }

    fn random_position(stones: u64, random: &mut SplitMix64) -> Option<Position> {
        let board = Board::dimy();
        let mut sides = [PointSet::EMPTY; 2];
        for _ in 0..stones {
            let points: Vec<_> = (board.all_points() - (sides[0] | sides[1])).iter().collect();
            let point = points[random.below(points.len() as u64) as usize];
            sides[random.below(2) as usize] |= point;
        }
        Position::from_mover(board, Stones { own: sides[0], opponent: sides[1] }, Side::Black).ok()
    }

    /// Positions of games in which one side plays by the book, if it can.
    fn positions_of_game(book: &Book, random: &mut SplitMix64) -> Vec<Position> {
        let (rules, mut position) = (book.rules(), book.board().start());
        let by_book = [Side::White, Side::Black][random.below(2) as usize];
        let mut positions = vec![position];
        while let successors = rules.successors(&position)
            && !successors.is_empty()
            && positions.len() < 30
        {
            let entry = book.entry(&position).expect("it can be read");
            position = match entry.filter(|_| position.to_move() == by_book) {
                Some(entry) => position.play_unchecked(&entry.turn),
                None => successors[random.below(successors.len() as u64) as usize],
            };
            positions.push(position);
        }
        positions
    }

    #[test]
    fn many_looks_are_those_of_each_position() {
        let dir = tempfile::tempdir().expect("a directory");
        let (tables, book) = (Arc::new(tables(dir.path())), book("5x5"));
        let (board, rules) = (book.board(), book.rules());
        let mut random = SplitMix64::new(1);
        let mut positions = vec![Board::telo().start()];
        positions.extend((0..400).filter_map(|i| random_position(2 + i % 4, &mut random)));
        positions.extend((0..10).flat_map(|_| positions_of_game(&book, &mut random)));

        for (tables, book) in [
            (None, None),
            (Some(tables.clone()), None),
            (None, Some(book.clone())),
            (Some(tables), Some(book)),
        ] {
            let known = Knowledge::new(board, rules, tables.clone(), book.clone());
            let known = with_small_sizes(known);
            let (mut sources, mut late, mut many, mut errors) = (Vec::new(), 0, 0, 0);
            for (position, found) in positions.iter().zip(known.look_many(&positions)) {
                let (found, alone) = match (found, known.look(position)) {
                    (Ok(found), Ok(alone)) => (found, alone),
                    (Err(found), Err(alone)) => {
                        errors += 1;
                        assert_eq!(found.to_string(), alone.to_string(), "{position}");
                        continue;
                    }
                    (found, alone) => panic!("{position}: {found:?} and {alone:?}"),
                };
                assert_eq!(found.position, *position);
                assert_eq!(found.assessment, alone.assessment, "{position}");
                assert_eq!(found.outcome, alone.outcome, "{position}");
                assert_eq!(found.turns, alone.turns, "{position}");
                sources.extend(found.assessment.source);
                let own = known.lookup(position).expect("it can be read");
                late += u32::from(own.lacks_distance() && found.assessment.dtw.is_some());
                many += u32::from(found.turns.is_some_and(|turns| turns.len() > SMALL.many_turns));
            }
            let (has_tables, has_book) = (tables.is_some(), book.is_some());
            assert_eq!(sources.contains(&Source::Table), has_tables);
            assert_eq!(sources.contains(&Source::Proof), has_book);
            assert_eq!((late > 10, errors > 0), (has_tables, has_tables || has_book), "{late}");
            assert!(many > 10, "{many}");
        }
    }

    #[test]
    fn an_error_while_distances_are_looked_up_is_one() {
        let dir = tempfile::tempdir().expect("a directory");
        drop(tables(dir.path()));
        // Values need it only where a capture leads there.
        let path = dir.path().join("5x5_standard_2v1.dtw.fano");
        let mut bytes = std::fs::read(&path).expect("it is there");
        bytes[70] ^= 0xff;
        std::fs::write(&path, bytes).expect("it can be written");
        let (board, rules) = (Board::dimy(), RuleSet::STANDARD);
        let tables = Tables::open(dir.path(), board, rules).expect("its header is whole");
        let known = Knowledge::new(board, rules, Some(Arc::new(tables)), None);
        let known = with_small_sizes(known);
        let mut random = SplitMix64::new(3);
        let positions: Vec<_> = (0..300).filter_map(|_| random_position(4, &mut random)).collect();
        let (mut late, mut good) = (0, 0);
        for (position, found) in positions.iter().zip(known.look_many(&positions)) {
            let alone = known.look(position);
            assert_eq!(found.is_err(), alone.is_err(), "{position}");
            let turns = known.list_turns(position, usize::MAX).expect("all turns");
            let after = turns.iter().map(|turn| &turn.after);
            let has_values = after.chain([position]).all(|place| known.lookup(place).is_ok());
            late += u32::from(found.is_err() && has_values);
            good += u32::from(found.is_ok());
        }
        assert!(late > 0 && good > 0, "{late} {good}");
    }

    #[test]
    fn the_turn_of_a_proof_comes_first() {
        let mut random = SplitMix64::new(2);
        let (mut checked, mut tied) = (0, 0);
        for board in ["5x5", "3x5", "5x3", "3x3"] {
            let book = book(board);
            let rules = book.rules();
            let known = Knowledge::new(book.board(), rules, None, Some(book.clone()));
            let known = with_small_sizes(known);
            let positions: Vec<_> =
                (0..10).flat_map(|_| positions_of_game(&book, &mut random)).collect();
            for (position, look) in positions.iter().zip(known.look_many(&positions)) {
                let Some(entry) = book.entry(position).expect("it can be read") else { continue };
                let look = look.expect("it can be read");
                let best = look.best().expect("it is proved");
                if best.assessment.source == Some(Source::Rules) {
                    continue;
                }
                // Also where it leads to tables that are missing here.
                assert!(best.assessment.bounds.at_least >= Value::Draw, "{position}");
                assert_eq!(best.after, position.play_unchecked(&entry.turn), "{position}");
                checked += 1;
                // Whether the generator has one as good before it.
                let all = rules.turns(position);
                let first = all.iter().map(|turn| position.play_unchecked(turn)).find(|after| {
                    let turns = look.turns().expect("few turns").iter();
                    let mut as_good =
                        turns.filter(|turn| turn.assessment.best_first(&best.assessment).is_eq());
                    as_good.any(|turn| turn.after == *after)
                });
                tied += u32::from(first != Some(best.after));
            }
        }
        assert!(checked > 50 && tied > 0, "{checked} {tied}");
    }

    #[test]
    fn turns_are_listed_up_to_the_limit() {
        let position = Board::tsivy().start();
        let mut known = Knowledge::of_rules(position.board(), RuleSet::STANDARD);
        for (most, listed) in [(5, Some(5)), (4, None)] {
            known.max_turns = most;
            let turns = known.look(&position).expect("no file is read").turns;
            assert_eq!(turns.map(|turns| turns.len()), listed);
        }
    }

    #[test]
    fn all_turns_are_looked_at_if_that_is_asked_for() {
        // Relays without a direction rule through scattered stones.
        let text = "...B...../.B.BBB.B./BB...B.WB/..B...B../B..BB..BB/.B..BB.B./..B.BBB.. w";
        let position: Position = text.parse().expect("a position");
        let rules: RuleSet = "standard+direction-free".parse().expect("rules");
        let known = Knowledge::new(position.board(), rules, None, None).expect("one game");
        let turns = |known: &Knowledge| {
            let looks: Result<Vec<_>> = known.look_many(&[position]).collect();
            looks.expect("no file is read").remove(0).turns.map(|turns| turns.len())
        };
        assert_eq!(turns(&known), None);
        let mut count = 0;
        rules.for_each_turn(&position, |_| count += 1);
        assert!(count > crate::MAX_TURNS);
        assert_eq!(turns(&known.with_all_turns()), Some(count));
    }
}
