//! Turns made step by step, compared with complete turns.

use fanorona_core::{
    Board, Direction, Point, PointSet, Position, Preset, RuleSet, Step, StepError, StepKind,
    Stones, Turn, TurnInProgress, Vela,
};
use fanorona_tests::strategies::{boards, cases, cases_of_play, turns_up_to};
use proptest::prelude::*;

/// Every conceivable step from a point.
fn steps() -> impl Iterator<Item = Step> {
    let step = |direction| StepKind::ALL.map(|kind| Step { direction, kind });
    Direction::ALL.into_iter().flat_map(step)
}

/// All turns that can be made of steps, in the order in which the steps are offered.
fn finished(turn: &TurnInProgress, turns: &mut Vec<Turn>) {
    turns.extend(turn.finish());
    for (from, step) in turn.next_steps() {
        let mut next = turn.clone();
        next.make(from, step).expect("it was offered");
        finished(&next, turns);
    }
}

/// Whether the reason of a refusal is true.
fn is_true(error: &StepError, turn: &TurnInProgress, from: Point, step: Step) -> bool {
    let board = turn.board();
    let to = board.neighbour(from, step.direction);
    let arrives_at = |at| to == board.point(at);
    let on = |at, set| board.point(at).is_some_and(|point| PointSet::contains(set, point));
    let begun = !turn.steps().is_empty();
    let quiet = step.kind == StepKind::Paika;
    let stones = turn.stones();
    match *error {
        StepError::GameOver => stones.own.is_empty() || stones.opponent.is_empty(),
        StepError::NotOwn(at) => !begun && board.point(at) == Some(from) && !on(at, stones.own),
        StepError::OtherStone { moving, from: named } => {
            turn.stone() == board.point(moving)
                && board.point(named) == Some(from)
                && moving != named
        }
        StepError::TurnOver => begun && turn.next_steps().is_empty(),
        StepError::NoLink(at) => to.is_none() && board.point(at) == Some(from),
        StepError::Occupied(at) => arrives_at(at) && on(at, stones.occupied()),
        StepError::Visited(at) => arrives_at(at) && on(at, turn.visited()),
        StepError::Direction(at) => {
            arrives_at(at) && turn.steps().iter().any(|made| made.direction == step.direction)
        }
        StepError::CapturesNothing(at) => arrives_at(at) && !quiet,
        StepError::CouldCapture(at) | StepError::MustCapture(at) => {
            arrives_at(at) && quiet && !begun
        }
        StepError::PaikaInRelay(at) => arrives_at(at) && quiet && begun,
        StepError::MayNotCapture => !quiet && !begun,
        _ => false,
    }
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn steps_make_the_listed_turns_and_no_other((rules, position) in cases_of_play(boards())) {
        let turns = turns_up_to(1500, &rules, &position);
        prop_assume!(turns.is_some());
        let mut made = Vec::new();
        finished(&TurnInProgress::new(&rules, &position), &mut made);
        prop_assert_eq!(made, turns.unwrap());
    }

    /// Follows one turn; after each step every step that is not offered is refused with a reason
    /// that is so, and leaves the turn as it was.
    #[test]
    fn steps_that_are_not_offered_are_refused(
        (rules, position) in cases_of_play(boards()),
        choices in proptest::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let mut turn = TurnInProgress::new(&rules, &position);
        for choice in choices {
            let offered = turn.next_steps();
            for from in position.board().all_points() {
                for step in steps().filter(|step| !offered.contains(&(from, *step))) {
                    let mut same = turn.clone();
                    let error = same.make(from, step).unwrap_err();
                    prop_assert!(is_true(&error, &turn, from, step), "{error} {from:?} {step:?}");
                    prop_assert_eq!(same.steps(), turn.steps());
                    prop_assert_eq!(same.stones(), turn.stones());
                }
            }
            if offered.is_empty() {
                break;
            }
            let (from, step) = *choice.get(&offered);
            turn.make(from, step).unwrap();
        }
    }

    #[test]
    fn a_turn_in_progress_shows_where_it_stands((rules, position) in cases_of_play(boards())) {
        let turns = turns_up_to(300, &rules, &position);
        prop_assume!(turns.is_some());
        for turn in turns.unwrap() {
            let mut made = TurnInProgress::new(&rules, &position);
            prop_assert_eq!(made.stones(), Stones::of(&position));
            prop_assert_eq!((made.stone(), made.visited()), (None, PointSet::EMPTY));
            prop_assert!(!made.may_stop() && made.finish().is_none());
            let (mut at, mut visited) = (turn.origin(), PointSet::from(turn.origin()));
            for (i, step) in turn.steps().iter().enumerate() {
                let before = made.stones().opponent;
                made.make(at, *step).unwrap();
                at = position.board().neighbour(at, step.direction).unwrap();
                visited |= at;
                prop_assert_eq!(made.stone(), Some(at));
                prop_assert_eq!(made.visited(), visited);
                prop_assert_eq!(made.steps(), &turn.steps()[..=i]);
                let Stones { own, opponent } = made.stones();
                prop_assert_eq!(own, (position.own() - turn.origin()) | at);
                prop_assert!(opponent.is_subset(before));
                prop_assert_eq!(opponent == before, step.kind == StepKind::Paika);
                prop_assert_eq!(made.may_stop(), made.finish().is_some());
            }
            let after = position.play_unchecked(&turn);
            prop_assert_eq!(made.stones(), Stones::of(&after).swapped());
            prop_assert_eq!(made.finish(), Some(turn));
        }
    }
}

fn position(text: &str) -> Position {
    text.parse().unwrap()
}

/// The refusal of the last of the steps, each written as a point, a direction and a kind.
fn refusal(
    rules: RuleSet,
    position: &Position,
    steps: &[(&str, Direction, StepKind)],
) -> StepError {
    let mut turn = TurnInProgress::new(&rules, position);
    let ((from, direction, kind), legal) = steps.split_last().unwrap();
    let point = |name: &str| position.board().point(name.parse().unwrap()).unwrap();
    for (from, direction, kind) in legal {
        turn.make(point(from), Step { direction: *direction, kind: *kind }).unwrap();
    }
    turn.make(point(from), Step { direction: *direction, kind: *kind }).unwrap_err()
}

#[test]
fn each_refusal_has_its_message() {
    use Direction::{East, North, NorthEast, West};
    use StepKind::{Approach, Paika, Withdrawal};
    let at = |name: &str| name.parse().unwrap();
    let start = Board::tsivy().start();
    let line = position("9/9/BW2B2BB/9/9 w");
    let pincer = position("9/9/BW1B5/9/9 w");
    let quiet = position("WWWW5/WWWW5/9/9/8B b");
    let stern = Vela { must_capture: true, ..Vela::PRINTED };
    let stern = RuleSet { preset: Preset::Vela(stern), ..RuleSet::VELA };
    let (standard, single, vela) =
        (RuleSet::STANDARD, RuleSet::FIRST_CAPTURE_SINGLE, RuleSet::VELA);
    let out = ("b3", East, Withdrawal);
    let refused: [(_, _, &[_], _, _); 16] = [
        (standard, position("9/9/4W4/9/9 w"), &[("e3", East, Paika)], StepError::GameOver, "over"),
        (standard, position("9/9/4W4/9/9 b"), &[("e3", East, Paika)], StepError::GameOver, "over"),
        (standard, start, &[("f3", West, Approach)], StepError::NotOwn(at("f3")), "f3 is not a"),
        (
            standard,
            line,
            &[out, ("b3", East, Withdrawal)],
            StepError::OtherStone { moving: at("c3"), from: at("b3") },
            "the stone on c3, not from b3",
        ),
        (
            single,
            start,
            &[("d3", East, Approach), ("e3", North, Approach)],
            StepError::TurnOver,
            "the turn is over",
        ),
        (
            standard,
            position("9/9/1W6B/9/9 w"),
            &[("b3", East, Paika), ("c3", East, Paika)],
            StepError::TurnOver,
            "the turn is over",
        ),
        (standard, start, &[("a2", NorthEast, Approach)], StepError::NoLink(at("a2")), "a2 has no"),
        (standard, start, &[("a2", West, Approach)], StepError::NoLink(at("a2")), "a2 has no"),
        (
            standard,
            start,
            &[("a1", North, Paika)],
            StepError::Occupied(at("a2")),
            "a2 is not empty",
        ),
        (
            standard,
            pincer,
            &[out, ("c3", West, Withdrawal)],
            StepError::Visited(at("b3")),
            "has already been on b3",
        ),
        (standard, line, &[out, ("c3", East, Approach)], StepError::Direction(at("d3")), "to d3"),
        (
            standard,
            start,
            &[("d2", NorthEast, Withdrawal)],
            StepError::CapturesNothing(at("e3")),
            "e3 captures nothing that way",
        ),
        (standard, start, &[("d3", East, Paika)], StepError::CouldCapture(at("e3")), "add A"),
        (stern, quiet, &[("i1", West, Paika)], StepError::MustCapture(at("h1")), "to h1 captures"),
        (
            standard,
            line,
            &[out, ("c3", North, Paika)],
            StepError::PaikaInRelay(at("c4")),
            "the step to c4 does not",
        ),
        (vela, start, &[("d3", East, Approach)], StepError::MayNotCapture, "victor"),
    ];
    for (rules, position, steps, expected, says) in refused {
        let error = refusal(rules, &position, steps);
        assert_eq!(error, expected);
        assert!(error.to_string().contains(says), "{error}");
    }
}
