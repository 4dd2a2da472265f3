//! Turns: the listing compared with the slow generator, and texts in both directions.

use std::ops::ControlFlow;

use fanorona_core::{
    Board, Coordinates, FirstStepCounts, FirstSteps, ParseTurnError, PlayError, PointSet, Position,
    RuleSet, StepError, StepKind, Stones, Turn, turn_texts,
};
use fanorona_perft::slow::{SlowGenerator, SlowTurn};
use fanorona_tests::strategies::{
    boards, boards_up_to, cases, cases_of_play, nearly, rule_sets, turns_up_to, with_options,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// The most turns of a position that the slow generator lists, because tests compare thousands of
/// positions.
const MANY: usize = 1500;

fn position(text: &str) -> Position {
    text.parse().unwrap()
}

/// Texts of turns with those of the positions after them, in alphabetical order.
type Listing = Vec<(String, String)>;

fn listing(position: &Position, turns: &[Turn]) -> Listing {
    let one = |turn: &Turn| {
        (turn.text(position.board()).to_string(), position.play_unchecked(turn).to_string())
    };
    let mut listing: Listing = turns.iter().map(one).collect();
    listing.sort();
    listing
}

fn slow_listing(rules: &RuleSet, position: &Position) -> Listing {
    let turns = SlowGenerator::new(rules, &[]).turns(position, &mut { u64::MAX });
    let one = |turn: SlowTurn| {
        let after = turn.position_after(position).expect("the stones fit");
        (turn.text(position.board()), after.to_string())
    };
    let mut listing: Listing = turns.expect("relays end").into_iter().map(one).collect();
    listing.sort();
    listing
}

proptest! {
    #![proptest_config(cases(20_000))]

    #[test]
    fn turns_are_those_of_the_slow_reading((rules, position) in cases_of_play(boards())) {
        let turns = turns_up_to(MANY, &rules, &position);
        prop_assume!(turns.is_some());
        let found = listing(&position, &turns.unwrap());
        let expected = slow_listing(&rules, &position);
        prop_assert_eq!(found, expected, "{} under {}", position, rules);
    }
}

proptest! {
    #![proptest_config(cases(20_000))]

    #[test]
    fn captures_are_those_of_the_listed_turns((rules, position) in cases_of_play(boards())) {
        let turns = turns_up_to(MANY, &rules, &position);
        prop_assume!(turns.is_some());
        let text = |after: Position| after.to_string();
        let capturing = turns.unwrap().into_iter().filter(|turn| !turn.is_paika());
        let mut expected: Vec<_> =
            capturing.map(|turn| text(position.play_unchecked(&turn))).collect();
        let mut found = Vec::new();
        let all: ControlFlow<()> = rules.try_for_each_capture(&position, |after| {
            found.push(text(after));
            ControlFlow::Continue(())
        });
        prop_assert!(all.is_continue());
        let first = rules.try_for_each_capture(&position, |after| ControlFlow::Break(text(after)));
        prop_assert_eq!(first.break_value(), found.first().cloned());
        found.sort();
        expected.sort();
        prop_assert_eq!(found, expected, "{} under {}", position, rules);
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    /// Where relays may stop and paikas are always allowed, each first step is a turn of one step.
    #[test]
    fn first_steps_are_counted((_, position) in cases_of_play(boards())) {
        let (board, stones) = (position.board(), Stones::of(&position));
        prop_assume!(stones.count() + 1 < board.num_points());
        prop_assume!(!stones.own.is_empty() && !stones.opponent.is_empty());
        let turns = turns_up_to(MANY, &RuleSet::FREE_CAPTURE, &position);
        prop_assume!(turns.is_some());
        let of_one_step = turns.unwrap().into_iter().filter(|turn| turn.steps().len() == 1);
        let (paikas, captures): (Vec<_>, Vec<_>) = of_one_step.partition(Turn::is_paika);
        let counts =
            FirstStepCounts { captures: captures.len() as u32, paikas: paikas.len() as u32 };
        prop_assert_eq!(FirstSteps::count(board, stones), counts, "{}", position);
    }
}

#[test]
fn every_board_lists_the_turns_of_the_slow_reading_from_its_start() {
    for board in Board::all() {
        for preset in RuleSet::PRESETS {
            let rules = with_options(preset, &["stones-N"], 3);
            let start = board.start();
            let found = listing(&start, &rules.turns(&start));
            assert_eq!(found, slow_listing(&rules, &start), "{board} {rules}");
            assert!(!found.is_empty());
        }
    }
}

#[test]
fn positions_may_have_ten_thousand_turns() {
    let many = position("W1BWBBBBB/1BB2BB2/BW1B2B1B/WBW1B2B1/2BWBBB1B w");
    let rules = RuleSet::STANDARD;
    let turns = rules.turns(&many);
    assert_eq!(turns.len(), 10_464);
    assert_eq!(turns.iter().map(|turn| turn.steps().len()).max(), Some(13));
    assert_eq!(rules.successors(&many).len(), 10_096);
    assert_eq!(listing(&many, &turns), slow_listing(&rules, &many));
}

#[test]
fn first_turns_of_9x5() {
    let start = Board::tsivy().start();
    let turns = RuleSet::STANDARD.turns(&start);
    let names =
        |set: PointSet| set.iter().map(|point| start.board().coordinates(point).to_string());
    let found: Vec<(String, Vec<String>)> = turns
        .iter()
        .map(|turn| (turn.text(start.board()).to_string(), names(turn.captured()).collect()))
        .collect();
    let expected = [
        ("d2-e3A", vec!["f4", "g5"]),
        ("e2-e3A", vec!["e4", "e5"]),
        ("f2-e3A", vec!["d4", "c5"]),
        ("d3-e3A", vec!["f3"]),
        ("d3-e3W", vec!["c3"]),
    ];
    let owned = |(text, names): (&str, Vec<&str>)| {
        (text.to_owned(), names.into_iter().map(str::to_owned).collect())
    };
    assert_eq!(found, expected.map(owned));
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn turns_say_what_they_do((rules, position) in cases_of_play(boards())) {
        let turns = turns_up_to(MANY, &rules, &position);
        prop_assume!(turns.is_some());
        let board = position.board();
        for turn in &turns.unwrap() {
            let mut at = turn.origin();
            for step in turn.steps() {
                at = board.neighbour(at, step.direction).unwrap();
            }
            prop_assert_eq!(turn.destination(), at);
            prop_assert_eq!(turn.is_paika(), turn.steps()[0].kind == StepKind::Paika);
            prop_assert!(turn.captured().is_subset(position.opponent()));
            let after = position.play_unchecked(turn);
            prop_assert_eq!(after.to_move(), position.to_move().other());
            prop_assert_eq!(after.own(), position.opponent() - turn.captured());
            let moved = position.own() ^ turn.origin() ^ turn.destination();
            prop_assert_eq!(after.opponent(), moved);
        }
    }

    #[test]
    fn turns_are_listed_in_order((rules, position) in cases_of_play(boards())) {
        let turns = turns_up_to(MANY, &rules, &position);
        prop_assume!(turns.is_some());
        let turns = turns.unwrap();
        // By origin, then step by step; a relay comes before those that continue it.
        let key = |turn: &Turn| (turn.origin(), turn.steps().to_vec());
        prop_assert!(turns.is_sorted_by(|a, b| key(a) < key(b)));
        prop_assert_eq!(rules.has_turn(&position), !turns.is_empty());
        prop_assert_eq!(rules.has_capture(&position), turns.iter().any(|turn| !turn.is_paika()));
        let mut visited = Vec::new();
        rules.for_each_turn(&position, |turn| visited.push(turn.clone()));
        prop_assert_eq!(&visited, &turns);

        let sets = |after: Position| (after.to_move(), Stones::of(&after));
        let mut played: Vec<_> =
            turns.iter().map(|turn| sets(position.play_unchecked(turn))).collect();
        let mut successors = Vec::new();
        rules.for_each_successor(&position, |after| successors.push(sets(after)));
        played.sort_unstable();
        successors.sort_unstable();
        prop_assert_eq!(successors, played);
    }

    #[test]
    fn visiting_ends_when_visit_breaks((rules, position) in cases_of_play(boards()), at in any::<Index>()) {
        let turns = turns_up_to(MANY, &rules, &position);
        prop_assume!(turns.as_ref().is_some_and(|turns| !turns.is_empty()));
        let turns = turns.unwrap();
        let wanted = at.get(&turns);
        let mut visited = 0;
        let found = rules.try_for_each_turn(&position, |turn| {
            visited += 1;
            if turn == wanted {
                std::ops::ControlFlow::Break(turn.clone())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        });
        prop_assert_eq!(found.break_value(), Some(wanted.clone()));
        prop_assert_eq!(turns.get(visited - 1), Some(wanted));
    }
}

/// A turn's text in parts: the point where it begins, then points with a letter or none.
fn parts(text: &str) -> Vec<(&str, Option<char>)> {
    let split = |part| match str::strip_suffix(part, ['A', 'W']) {
        Some(point) => (point, part.chars().last()),
        None => (part, None),
    };
    text.split('-').map(split).collect()
}

/// Whether a text with some letters missing can mean this turn.
fn fits(text: &str, turn: &str) -> bool {
    let (text, turn) = (parts(text), parts(turn));
    text.len() == turn.len()
        && text.iter().zip(turn).all(|(written, full)| {
            written.0 == full.0 && (written.1.is_none() || written.1 == full.1)
        })
}

/// Whether `text` is read as the one listed turn that it fits, and refused if that is none or
/// several.
fn read_as_listed(
    rules: &RuleSet,
    position: &Position,
    listed: &[(String, Turn)],
    text: &str,
) -> Result<(), TestCaseError> {
    let fitting: Vec<&(String, Turn)> =
        listed.iter().filter(|(full, _)| fits(text, full)).collect();
    let undashed = text.replace('-', "");
    for spelling in [text, &undashed] {
        let read = rules.parse_turn(position, spelling);
        let right = match (&read, &fitting[..]) {
            (Ok(turn), [(_, listed)]) => turn == listed,
            (Err(ParseTurnError::Ambiguous { text, fits }), [_, _, ..]) => {
                text == spelling && fits.iter().eq(fitting.iter().map(|(text, _)| text))
            }
            (Err(ParseTurnError::Ambiguous { .. }), _) => false,
            (Err(error), []) => error.to_string().contains(&format!("'{spelling}'")),
            _ => false,
        };
        prop_assert!(right, "{} under {} is read as {:?}", spelling, rules, read);
    }
    Ok(())
}

fn listed(rules: &RuleSet, position: &Position) -> Option<Vec<(String, Turn)>> {
    let turns = turns_up_to(200, rules, position)?;
    Some(turns.into_iter().map(|turn| (turn.text(position.board()).to_string(), turn)).collect())
}

proptest! {
    #![proptest_config(cases(1500))]

    /// The turns of one rule set are read under another, whole and with letters or ends missing.
    #[test]
    fn texts_are_read_if_and_only_if_the_turn_is_listed(
        ((rules, position), other) in cases_of_play(boards()).prop_flat_map(|(rules, position)| {
            (Just((rules, position)), rule_sets(position.board()))
        }),
        drops in vec(any::<u32>(), 1..4),
    ) {
        let turns = (listed(&rules, &position), listed(&other, &position));
        prop_assume!(turns.0.is_some() && turns.1.is_some());
        let (own, others) = (turns.0.unwrap(), turns.1.unwrap());
        for (text, _) in own.iter().chain(&others) {
            read_as_listed(&rules, &position, &own, text)?;
            for drop in &drops {
                let mut parts = parts(text);
                for (i, part) in parts.iter_mut().enumerate() {
                    if drop >> i & 1 != 0 {
                        part.1 = None;
                    }
                }
                // Now and then the end is missing too.
                let keep = if drop >> 30 == 0 { parts.len() - 1 } else { parts.len() };
                let part = |(point, letter): &(&str, Option<char>)| {
                    format!("{point}{}", letter.map_or(String::new(), String::from))
                };
                let short: Vec<String> = parts[..keep.max(2)].iter().map(part).collect();
                read_as_listed(&rules, &position, &own, &short.join("-"))?;
            }
        }
    }

    /// Every pair of points with every letter.
    #[test]
    fn texts_of_one_step_are_read_if_and_only_if_it_is_listed(
        (rules, position) in cases_of_play(boards_up_to(25)),
    ) {
        let listed = listed(&rules, &position);
        prop_assume!(listed.is_some());
        let listed = listed.unwrap();
        let board = position.board();
        let names: Vec<String> = board.all_points().iter()
            .map(|point| board.coordinates(point).to_string())
            .collect();
        for from in &names {
            for to in &names {
                for letter in ["", "A", "W"] {
                    read_as_listed(&rules, &position, &listed, &format!("{from}-{to}{letter}"))?;
                }
            }
        }
    }

    #[test]
    fn no_text_breaks_the_reader_of_turns(
        (rules, position) in cases_of_play(boards()),
        any in any::<String>(),
        near in nearly("([1-9]\\.? ?)?[a-iA-I][1-5]([-,]? ?[a-iA-I][1-5][AWaw+-]?){1,4}"),
        at in any::<Index>(),
    ) {
        prop_assert!(turn_texts(&any).all(|turn| !turn.is_empty() && any.contains(turn)));
        let mut texts = vec![any, near];
        if let Some(turns) = turns_up_to(200, &rules, &position).filter(|turns| !turns.is_empty()) {
            let mut text = at.get(&turns).text(position.board()).to_string();
            texts.push(format!(" {text}\t"));
            text.remove(at.index(text.len()));
            texts.push(text);
        }
        for text in texts {
            if let Ok(turn) = rules.parse_turn(&position, &text) {
                let text = turn.text(position.board()).to_string();
                prop_assert_eq!(rules.parse_turn(&position, &text), Ok(turn));
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(1500))]

    /// Turns of another position of the same board, and of another rule set.
    #[test]
    fn turns_are_played_if_and_only_if_they_are_listed(
        ((rules, position), (other_rules, other)) in boards_up_to(25).prop_flat_map(|board| {
            (cases_of_play(Just(board)), cases_of_play(Just(board)))
        }),
    ) {
        let own = turns_up_to(200, &rules, &position);
        let foreign = turns_up_to(200, &other_rules, &other);
        let foreign_here = turns_up_to(200, &other_rules, &position);
        prop_assume!(own.is_some() && foreign.is_some() && foreign_here.is_some());
        let own = own.unwrap();
        for turn in &own {
            prop_assert_eq!(rules.play(&position, turn), Ok(position.play_unchecked(turn)));
        }
        for turn in foreign.unwrap().iter().chain(&foreign_here.unwrap()) {
            let same = |own: &&Turn| own.origin() == turn.origin() && own.steps() == turn.steps();
            match (rules.play(&position, turn), own.iter().find(same)) {
                (Ok(after), Some(turn)) => prop_assert_eq!(after, position.play_unchecked(turn)),
                (played, listed) => prop_assert!(played.is_err() && listed.is_none()),
            }
        }
    }
}

#[test]
fn a_turn_that_cannot_be_played_is_refused_with_its_step() {
    let line = position("9/9/BW6B/3B5/9 w");
    let turns = RuleSet::STANDARD.turns(&line);
    let [first, relay] = &turns[..] else { panic!("one capture, which can go on once") };
    assert_eq!((first.steps().len(), relay.steps().len()), (1, 2));
    let play = |rules: RuleSet, position, turn| rules.play(position, turn).unwrap_err();

    let error = play(RuleSet::FORCED_RELAY, &line, first);
    assert_eq!(error, PlayError::Unfinished(1));
    assert!(error.to_string().contains("may not end after step 1"), "{error}");

    let blacks = position("BBBBBBBBB/BBBBBBBBB/BW6B/3BB4/9 w");
    let error = play(RuleSet::FIRST_CAPTURE_SINGLE, &blacks, relay);
    assert_eq!(error, PlayError::Step { number: 2, reason: StepError::TurnOver });
    assert!(error.to_string().contains("step 2 of the turn"), "{error}");

    let other_side = line.with_other_to_move();
    let error = play(RuleSet::STANDARD, &other_side, first);
    let at = "b3".parse().unwrap();
    assert_eq!(error, PlayError::Step { number: 1, reason: StepError::NotOwn(at) });
}

#[test]
fn refusals_name_the_text_and_the_reason() {
    use ParseTurnError as E;
    let board = Board::tsivy();
    let start = &board.start();
    let over = &position("9/9/4W4/9/9 w");
    let line = &position("9/9/BW2B2BB/9/9 w");
    let pincer = &position("9/9/BW1B5/9/9 w");
    let (standard, forced) = (RuleSet::STANDARD, RuleSet::FORCED_RELAY);
    let (single, vela) = (RuleSet::FIRST_CAPTURE_SINGLE, RuleSet::VELA);

    let at = |name: &str| name.parse().unwrap();
    let text = |text: &str| E::Text { text: text.into() };
    let point = |text: &str, part: &str| E::Point {
        text: text.into(),
        reason: part.parse::<Coordinates>().unwrap_err(),
    };
    let off_board = |text: &str, point| E::OffBoard { text: text.into(), board, point: at(point) };
    let no_link = |text: &str, from, to| {
        let legal = Vec::new();
        E::NoLink { text: text.into(), from: at(from), to: at(to), legal }
    };
    let step =
        |text: &str, rules, reason| E::Step { text: text.into(), rules, reason, legal: Vec::new() };
    let fits = ["d3-e3A", "d3-e3W"].map(String::from).to_vec();
    let wrong = [
        (standard, start, text("")),
        (standard, start, text("e3")),
        (standard, start, text("d3-e3A-")),
        (standard, start, text("d3A-e3A")),
        (standard, start, point("d3--e3A", "-e3")),
        (standard, start, point("d3-e3AA", "A")),
        (standard, start, text("d3-e3-")),
        (standard, start, text("d3e3+,")),
        (standard, start, text("1.")),
        (standard, start, point("1 d3-e3A", "1")),
        (standard, start, point("turn", "turn")),
        (standard, start, off_board("d3-d6A", "d6")),
        (standard, start, off_board("j3-e3", "j3")),
        (standard, start, no_link("d3-f3A", "d3", "f3")),
        (standard, start, no_link("d3-d3", "d3", "d3")),
        (standard, start, no_link("a2-b3", "a2", "b3")),
        (standard, over, step("e3-e4", standard, StepError::GameOver)),
        (standard, start, step("f3-e3A", standard, StepError::NotOwn(at("f3")))),
        (standard, start, step("e3-e4", standard, StepError::NotOwn(at("e3")))),
        (standard, start, step("a1-a2", standard, StepError::Occupied(at("a2")))),
        (standard, start, step("d2-e3W", standard, StepError::CapturesNothing(at("e3")))),
        (standard, line, step("b3-b4", standard, StepError::MustCapture(at("b4")))),
        (single, start, step("d3-e3A-e4A", single, StepError::TurnOver)),
        (standard, line, step("b3-c3W-d3A", standard, StepError::Direction(at("d3")))),
        (standard, line, step("b3-c3W-c4", standard, StepError::PaikaInRelay(at("c4")))),
        (standard, pincer, step("b3-c3W-b3W", standard, StepError::Visited(at("b3")))),
        (vela, start, step("d3-e3A", vela, StepError::MayNotCapture)),
        (
            forced,
            &position("9/9/BW6B/3B5/9 w"),
            E::Unfinished { text: "b3-c3W".into(), rules: forced, legal: Vec::new() },
        ),
        (standard, start, E::Ambiguous { text: "d3-e3".into(), fits }),
    ];
    for (rules, position, expected) in wrong {
        let (E::Text { text }
        | E::Point { text, .. }
        | E::OffBoard { text, .. }
        | E::NoLink { text, .. }
        | E::Step { text, .. }
        | E::Unfinished { text, .. }
        | E::Ambiguous { text, .. }) = &expected
        else {
            panic!("{expected:?} has no text")
        };
        let mut error = rules.parse_turn(position, text).unwrap_err();
        assert!(error.to_string().contains(&format!("'{text}'")), "{error}");
        // The next test is about them.
        if let E::NoLink { legal, .. } | E::Step { legal, .. } | E::Unfinished { legal, .. } =
            &mut error
        {
            legal.clear();
        }
        assert_eq!(error, expected);
    }
}

#[test]
fn refusals_say_what_would_be_right() {
    let start = Board::tsivy().start();
    let message = |text| RuleSet::STANDARD.parse_turn(&start, text).unwrap_err().to_string();
    assert!(
        message("d3-e3")
            .ends_with("can be d3-e3A or d3-e3W: add A for approach or W for withdrawal")
    );
    assert!(message("e3").ends_with("as in d2-e3A-f4W"));
    assert!(message("d3-d6").ends_with("the board 9x5 has no point d6"));
    assert!(message("d3-f3").ends_with("no link joins d3 and f3"));
    assert!(message("a1-a2").ends_with("is not legal under standard: a2 is not empty"));
    // The legal turns over the same points; that stop on the way; between the same ends.
    assert!(message("d2-e3W").ends_with("captures nothing that way; legal is d2-e3A"));
    assert!(message("d2-e3A-f4W").ends_with("; legal is d2-e3A"));
    assert!(message("d3-d2-e3").ends_with("; legal are d3-e3A, d3-e3W"));
    // And the ones that go on.
    let relay = position("9/9/BW6B/3B5/9 w");
    let error = RuleSet::FORCED_RELAY.parse_turn(&relay, "b3c3w").unwrap_err();
    let end = "the relay must continue; legal is b3-c3W-b4W";
    assert!(error.to_string().ends_with(end), "{error}");
    // A position with thousands of turns is answered with a few of them.
    let many = position("W1BWBBBBB/1BB2BB2/BW1B2B1B/WBW1B2B1/2BWBBB1B w");
    let error = RuleSet::STANDARD.parse_turn(&many, "d5-d4W").unwrap_err();
    assert!(error.to_string().len() < 300, "{error}");
}

#[test]
fn a_turn_has_many_spellings() {
    let start = &Board::tsivy().start();
    let relay = &position("9/9/BW6B/3B5/9 w");
    let read = |position: &Position, text: &str| {
        let turn = RuleSet::STANDARD.parse_turn(position, text);
        turn.unwrap_or_else(|error| panic!("{error}")).text(position.board()).to_string()
    };
    for text in [
        "d3-e3A",
        "d3e3A",
        "D3-E3A",
        "d3-e3a",
        "d3e3a",
        "D3E3a",
        "d3e3+",
        "d3-e3+",
        "D3E3+",
        "1. d3e3A",
        "1.d3-e3A",
        "1... d3e3+",
        "12…d3-e3A",
        " d3,e3+ ",
    ] {
        assert_eq!(read(start, text), "d3-e3A", "{text}");
    }
    for text in ["d3e3-", "d3e3W", "D3-E3w", "1. d3e3-"] {
        assert_eq!(read(start, text), "d3-e3W", "{text}");
    }
    for text in [
        "b3-c3W-b4W",
        "b3c3-,b4-",
        "b3c3-, b4-",
        "b3c3Wb4-",
        "b3c3w-b4w",
        "B3C3WB4W",
        "b3c3,b4",
        // Here the dash joins points, and the letter may be missing.
        "b3c3-b4w",
        "b3-c3-b4",
    ] {
        assert_eq!(read(relay, text), "b3-c3W-b4W", "{text}");
    }
    // A letter before a digit is a file, small or not.
    let corner = &position("9/9/9/B8/1W7 w");
    let to_corner = position("9/B8/9/WB7/9 w");
    assert_eq!(read(&to_corner, "a2-a3a"), "a2-a3A");
    assert_eq!(read(corner, "B1A1"), read(corner, "b1-a1"));
}

#[test]
fn texts_are_split_into_turns() {
    let split = |text| turn_texts(text).collect::<Vec<_>>();
    assert_eq!(split("1. d3-e3A 1... d4-d3A 2.e2-e3A 3"), ["d3-e3A", "d4-d3A", "2.e2-e3A", "3"]);
    assert_eq!(split(" d3-e3A,d4-d3A\n,, e2e3 "), ["d3-e3A", "d4-d3A", "e2e3"]);
    assert_eq!(split("d3e3+,d4-,e5a d4d3"), ["d3e3+,d4-,e5a", "d4d3"]);
    assert_eq!(split("d3e3+ ,d4- "), ["d3e3+", "d4-"]);
    assert_eq!(split(",, \t"), [""; 0]);
    assert_eq!(split("d3e3+,é,+"), ["d3e3+", "é", "+"]);
}
