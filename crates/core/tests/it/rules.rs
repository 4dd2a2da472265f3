//! Rule sets: names, requirements of boards, ends of games, and options that still matter.

use std::collections::{HashMap, HashSet};

use fanorona_core::{
    Board, DirectionRule, NoTurns, Outcome, ParseRuleSetError, Position, Preset, RuleError,
    RuleSet, Side, Value, Vela,
};
use fanorona_perft::slow::SlowGenerator;
use fanorona_perft::{Counting, perft};
use fanorona_tests::strategies::{
    boards, cases, cases_of_play, depth_within, mostly_small_boards, nearly, rule_sets,
    turns_up_to, with_options,
};
use proptest::prelude::*;

/// Every combination of options, with some numbers for the vela's stones.
fn all_combinations() -> HashSet<RuleSet> {
    let options = RuleSet::VELA.options();
    let mut all = HashSet::new();
    for chosen in 0..1 << options.len() {
        let is_chosen = |number: &usize| chosen >> number & 1 == 1;
        let chosen: Vec<_> = (0..options.len()).filter(is_chosen).map(|i| options[i]).collect();
        for stones in [0, 1, 5, 31, 255] {
            all.extend(RuleSet::PRESETS.map(|preset| with_options(preset, &chosen, stones)));
        }
    }
    all
}

fn vela(vela: Vela) -> RuleSet {
    RuleSet { preset: Preset::Vela(vela), ..RuleSet::VELA }
}

fn position(text: &str) -> Position {
    text.parse().unwrap()
}

#[test]
fn every_combination_has_a_name_of_its_own_that_reads_back() {
    let mut named = HashMap::new();
    for rules in all_combinations() {
        let name = rules.to_string();
        assert_eq!(name.parse(), Ok(rules), "{name}");
        if let Some(other) = named.insert(name.clone(), rules) {
            panic!("{rules:?} and {other:?} are both called {name}");
        }
    }
    assert_eq!(named.len(), 6 * 28);
}

#[test]
fn presets_are_called_by_their_names() {
    let names = ["standard", "first-capture-single", "forced-relay", "free-capture", "vela"];
    assert_eq!(RuleSet::PRESETS.map(|rules| rules.to_string()), names);
    assert_eq!(names.map(|name| name.parse::<RuleSet>().unwrap()), RuleSet::PRESETS);
    assert_eq!(RuleSet::default(), RuleSet::STANDARD);
}

#[test]
fn names_say_what_differs_from_the_preset() {
    let free = RuleSet { direction: DirectionRule::Free, ..RuleSet::FREE_CAPTURE };
    assert_eq!(free.to_string(), "free-capture+direction-free");
    let black = vela(Vela { victor: Side::Black, stones: Some(3), must_capture: true });
    assert_eq!(black.to_string(), "vela+victor-black+stones-3+must-capture");
    assert_eq!("vela+must-capture+stones-3+victor-black".parse(), Ok(black));
}

/// The page on the rules lists the options of a name in their order.
#[test]
fn options_have_the_order_of_the_page() {
    let page = include_str!("../../docs/RULES.md");
    let section = page.split("### Names of rule sets").nth(1).expect("a section");
    let items: Vec<&str> = section
        .lines()
        .skip_while(|line| !line.starts_with("1. "))
        .map_while(|line| line.split_once(". ").map(|(_, options)| options))
        .flat_map(|options| options.split(" or ").map(|option| option.trim_matches('`')))
        .collect();
    assert_eq!(items, RuleSet::VELA.options());
}

/// With all stones on the board, `free-capture` demands a capture. In the vela's first phase, the
/// challenger is free, unless it must capture by an option.
#[test]
fn a_challenger_who_moves_first_may_play_a_paika() {
    let position = position("BWB/BWB/1WW w");
    for (rules, expected) in [
        ("free-capture", vec!["b2-a1W"]),
        ("vela+victor-black+stones-2", vec!["b1-a1", "b2-a1W"]),
        ("vela+victor-black+stones-2+must-capture", vec!["b2-a1W"]),
    ] {
        let turns = rules.parse::<RuleSet>().unwrap().turns(&position);
        let texts: Vec<_> =
            turns.iter().map(|turn| turn.text(position.board()).to_string()).collect();
        assert_eq!(texts, expected, "{rules}");
    }
}

#[test]
fn texts_that_are_not_rule_sets_are_named() {
    use ParseRuleSetError as E;
    let wrong = [
        ("", E::Preset("".into())),
        ("Standard", E::Preset("Standard".into())),
        ("standard ", E::Preset("standard ".into())),
        ("direction-free", E::Preset("direction-free".into())),
        ("standard+", E::Option("".into())),
        ("standard+free-capture", E::Option("free-capture".into())),
        ("standard+forced-relay", E::Option("forced-relay".into())),
        ("vela+free-capture", E::Option("free-capture".into())),
        ("standard+direction-none", E::Option("direction-none".into())),
        ("vela+stones-", E::Option("stones-".into())),
        ("vela+stones-N", E::Option("stones-N".into())),
        ("vela+stones-five", E::Option("stones-five".into())),
        ("vela+stones-256", E::Option("stones-256".into())),
        ("standard+victor-black", E::NeedsVela("victor-black".into())),
        ("vela+victor-white", E::Option("victor-white".into())),
        ("free-capture+stones-3", E::NeedsVela("stones-3".into())),
        ("forced-relay+must-capture", E::NeedsVela("must-capture".into())),
    ];
    for (text, expected) in wrong {
        let error = text.parse::<RuleSet>().unwrap_err();
        assert_eq!(error, expected);
        let (E::Preset(part) | E::Option(part) | E::NeedsVela(part)) = &expected else {
            panic!("{expected:?} is another error")
        };
        assert!(error.to_string().contains(&format!("'{part}'")), "{error}");
    }
}

#[test]
fn an_option_is_given_once() {
    let wrong = [
        ("standard+direction-strict+direction-strict", "direction-strict", "direction-strict"),
        ("standard+direction-strict+direction-free", "direction-strict", "direction-free"),
        (
            "standard+direction-free+no-turns-draw+direction-strict",
            "direction-free",
            "direction-strict",
        ),
        ("standard+no-turns-draw+direction-free+no-turns-draw", "no-turns-draw", "no-turns-draw"),
        ("vela+victor-black+must-capture+victor-black", "victor-black", "victor-black"),
        ("vela+must-capture+stones-3+must-capture", "must-capture", "must-capture"),
        ("vela+stones-3+must-capture+stones-4", "stones-3", "stones-4"),
    ];
    for (text, first, second) in wrong {
        let error = text.parse::<RuleSet>().unwrap_err();
        let expected = ParseRuleSetError::Twice { first: first.into(), second: second.into() };
        assert_eq!(error, expected, "{text}");
        let says = format!("'{first}' and '{second}' are options of one kind");
        assert!(error.to_string().contains(&says), "{error}");
    }
}

#[test]
fn the_velas_stones_are_printed_for_9x5_alone() {
    let counted = vela(Vela { stones: Some(3), ..Vela::PRINTED });
    for board in Board::all() {
        assert_eq!(counted.check(board), Ok(()));
        assert_eq!(RuleSet::STANDARD.check(board), Ok(()));
        if board == Board::tsivy() {
            assert_eq!(RuleSet::VELA.check(board), Ok(()));
        } else {
            let error = RuleSet::VELA.check(board).unwrap_err();
            assert_eq!(error, RuleError::VelaStones(board));
            assert!(error.to_string().contains(&format!("on {board} say")), "{error}");
        }
    }
}

#[test]
fn games_end_without_stones_or_without_turns() {
    let draw = RuleSet { no_turns: NoTurns::Draw, ..RuleSet::STANDARD };
    let blocked = position("BBB6/WBB6/BBB6/9/9 w");
    assert_eq!(RuleSet::STANDARD.outcome(&blocked), Some(Outcome::Won(Side::Black)));
    assert_eq!(draw.outcome(&blocked), Some(Outcome::Drawn));
    for rules in [RuleSet::STANDARD, draw] {
        let whites = [("9/9/4W4/9/9 w", Side::White), ("9/9/4W4/9/9 b", Side::White)];
        let blacks = [("9/9/4B4/9/9 w", Side::Black), ("9/9/4B4/9/9 b", Side::Black)];
        for (text, winner) in whites.into_iter().chain(blacks) {
            assert_eq!(rules.outcome(&position(text)), Some(Outcome::Won(winner)), "{text}");
            assert!(!rules.has_turn(&position(text)) && rules.turns(&position(text)).is_empty());
        }
        assert_eq!(rules.outcome(&Board::tsivy().start()), None);
    }
}

#[test]
fn a_challenger_who_must_capture_and_cannot_is_blocked() {
    let quiet = position("WWWW5/WWWW5/9/9/8B b");
    for (must_capture, expected) in [(false, None), (true, Some(Outcome::Won(Side::White)))] {
        assert_eq!(vela(Vela { must_capture, ..Vela::PRINTED }).outcome(&quiet), expected);
    }
}

#[test]
fn outcomes_have_a_value_for_each_side() {
    let won = Outcome::Won(Side::Black);
    assert_eq!([Side::White, Side::Black].map(|s| won.value_for(s)), [Value::Loss, Value::Win]);
    assert_eq!(Outcome::Drawn.value_for(Side::White), Value::Draw);
    assert_eq!(Value::ALL.map(|value| -value), [Value::Win, Value::Draw, Value::Loss]);
    assert!(Value::ALL.is_sorted());
    assert_eq!(Value::ALL.map(|value| value.to_string()), ["loss", "draw", "win"]);
}

#[test]
fn options_that_no_longer_matter_are_dropped() {
    let both_captured = position("BBBBBBBBB/BBBBBBBB1/9/WWWWWWWW1/WWWWWWWWW w");
    let white_captured = position("BBBBBBBBB/BBBBBBBB1/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW b");
    let black_captured = position("BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWW1/WWWWWWWWW b");
    let single = RuleSet::FIRST_CAPTURE_SINGLE;
    assert_eq!(single.endgame_of(&both_captured), RuleSet::STANDARD);
    for somebody_has_not in [Board::tsivy().start(), white_captured, black_captured] {
        assert_eq!(single.endgame_of(&somebody_has_not), single);
    }

    let five = position("BBBBBBBBB/BBBBBBBBB/9/9/WWWWW4 w");
    let six = position("BBBBBBBBB/BBBBBBBBB/9/9/WWWWWW3 w");
    assert_eq!(RuleSet::VELA.endgame_of(&five), RuleSet::FREE_CAPTURE);
    assert_eq!(RuleSet::VELA.endgame_of(&six), RuleSet::VELA);
    assert_eq!(RuleSet::VELA.endgame_of(&six.with_other_to_move()), RuleSet::VELA);
}

/// The options that stay can be used on the board, and differ with the colours where these matter.
#[test]
fn options_are_dropped_by_board_and_colours() {
    let all: Vec<_> =
        all_combinations().into_iter().filter(|rules| rules.vela().is_some()).collect();
    for board in [Board::telo(), Board::dimy(), Board::tsivy()] {
        let stones = 1..=board.max_stones().min(8);
        for rules in all.iter().filter(|rules| rules.check(board).is_ok()) {
            for (one, other) in stones.clone().flat_map(|one| stones.clone().map(move |o| (one, o)))
            {
                let left = rules.endgame(board, one, other);
                assert_eq!(left.check(board), Ok(()), "{rules} on {board}, {one} and {other}");
                let swapped = rules.with_colours_swapped().endgame(board, one, other);
                assert_eq!(rules.colours_matter(board, one, other), left != swapped);
            }
        }
    }
}

/// Rule sets with options to drop.
fn scenes_with_passing_options() -> impl Strategy<Value = (RuleSet, Position)> {
    cases_of_play(mostly_small_boards())
        .prop_map(|(rules, position)| {
            let preset = rules.vela().map_or(Preset::FirstCaptureSingle, Preset::Vela);
            (RuleSet { preset, ..rules }, position)
        })
        .prop_filter("an option is over", |(rules, position)| rules.endgame_of(position) != *rules)
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn dropped_options_no_longer_matter((rules, position) in scenes_with_passing_options()) {
        let simple = rules.endgame_of(&position);
        prop_assert_eq!(simple.endgame_of(&position), simple);
        prop_assume!(turns_up_to(2000, &rules, &position).is_some());
        let depth = depth_within(100, 4, &rules, &position);
        for counting in Counting::ALL {
            for depth in 1..=depth {
                let counts = [rules, simple].map(|r| perft(&r, &position, depth, counting));
                prop_assert_eq!(counts[0], counts[1], "{} and {}, {:?}", rules, simple, counting);
            }
        }
        prop_assert_eq!(rules.outcome(&position), simple.outcome(&position));
    }

    #[test]
    fn games_end_as_the_slow_reading_says((rules, position) in cases_of_play(boards())) {
        prop_assume!(turns_up_to(2000, &rules, &position).is_some());
        let end = SlowGenerator::new(&rules, &[]).end(&position, &mut { u64::MAX });
        prop_assert_eq!(Ok(rules.outcome(&position)), end);
    }

    #[test]
    fn no_text_breaks_the_reader_of_rule_sets(
        text in prop_oneof![
            any::<String>(),
            nearly(boards().prop_flat_map(rule_sets).prop_map(|rules| rules.to_string())),
            (boards().prop_flat_map(rule_sets), boards().prop_flat_map(rule_sets))
                .prop_map(|(rules, more)| match more.to_string().split_once('+') {
                    Some((_, options)) => format!("{rules}+{options}"),
                    None => rules.to_string(),
                }),
        ],
    ) {
        use ParseRuleSetError as E;
        match text.parse::<RuleSet>() {
            Ok(rules) => prop_assert_eq!(rules.to_string().parse(), Ok(rules)),
            Err(error) => {
                let parts = match error {
                    E::Preset(part) | E::Option(part) | E::NeedsVela(part) => vec![part],
                    E::Twice { first, second } => vec![first, second],
                    other => panic!("{other:?}"),
                };
                // The text contains the named parts in this order.
                let mut written = text.split('+');
                prop_assert!(parts.iter().all(|part| written.any(|written| written == part)));
            }
        }
    }
}
