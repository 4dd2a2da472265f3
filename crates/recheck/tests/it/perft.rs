//! The turn generator against the counts in `data/perft`.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use fanorona_recheck::{Board, Game, Position, Rules};

/// The greatest count that is compared.
const MOST: u64 = 20_000;

fn after(game: &Game, position: &Position) -> Vec<Position> {
    let mut found = Vec::new();
    let flow = game.turns(position, &mut |after| {
        found.push(after);
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    found
}

fn perft(game: &Game, position: &Position, depth: u32, distinct: bool) -> u64 {
    let mut next = after(game, position);
    if distinct {
        next = next.into_iter().collect::<HashSet<_>>().into_iter().collect();
    }
    match depth {
        1 => next.len() as u64,
        _ => next.iter().map(|next| perft(game, next, depth - 1, distinct)).sum(),
    }
}

#[test]
fn counts_are_those_of_the_suites() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/perft");
    let mut compared: BTreeMap<String, usize> = BTreeMap::new();
    for file in fs::read_dir(dir).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|end| end != "perft") {
            continue;
        }
        for entry in fs::read_to_string(path).unwrap().split("\n\n") {
            let fields: Vec<_> = entry.lines().filter_map(|line| line.split_once(' ')).collect();
            let field =
                |name: &str| fields.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
            let (Some(rules), Some(text), Some(count)) =
                (field("rules"), field("position"), field("count"))
            else {
                continue;
            };
            if !["turns", "positions"].contains(&count) {
                continue;
            }
            let rows: Vec<_> = text.split([' ', '/']).collect();
            let width: u32 = rows[0].chars().map(|sign| sign.to_digit(10).unwrap_or(1)).sum();
            let board = Board::new(width as u8, rows.len() as u8 - 1).unwrap();
            let position = Position::from_text(&board, text).unwrap_or_else(|| panic!("{text}"));
            let name = rules;
            let rules = Rules::from_name(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(rules.name(), name);
            let game = Game { board, rules };
            for (_, value) in fields.iter().filter(|(key, _)| *key == "perft") {
                let (depth, nodes) = value.split_once(' ').unwrap();
                let (depth, nodes): (u32, u64) = (depth.parse().unwrap(), nodes.parse().unwrap());
                if nodes <= MOST {
                    let found = perft(&game, &position, depth, count == "positions");
                    assert_eq!(found, nodes, "{:?} {count} at depth {depth}", field("id"));
                    *compared.entry(name.to_owned()).or_default() += 1;
                }
            }
        }
    }
    for rules in ["standard", "first-capture-single", "forced-relay", "free-capture", "vela"] {
        assert!(compared[rules] > 100, "{compared:?}");
    }
    assert!(compared.len() > 15, "{compared:?}");
}

/// The number of a turn is its place in the generator of `fanorona-core`.
#[test]
fn turns_are_in_their_order() {
    let mut turns = 0;
    for rules in ["standard", "free-capture", "forced-relay", "vela+stones-4", "vela+stones-8"] {
        for (board, start) in [
            ("3x3", "BBB/B1W/WWW w"),
            ("5x5", "BBBBB/BBBBB/BW1BW/WWWWW/WWWWW w"),
            ("7x3", "BBBBBBB/BWB1WBW/WWWWWWW w"),
        ] {
            let game = Game {
                board: Board::from_name(board).unwrap(),
                rules: Rules::from_name(rules).unwrap(),
            };
            let first: fanorona_core::RuleSet = rules.parse().unwrap();
            let mut waiting = vec![Position::from_text(&game.board, start).unwrap()];
            let mut seen = HashSet::new();
            while let Some(position) = waiting.pop() {
                if seen.len() == 2000 || !seen.insert(position) {
                    continue;
                }
                let text = position.text(&game.board);
                let found: Vec<_> =
                    after(&game, &position).iter().map(|after| after.text(&game.board)).collect();
                let position: fanorona_core::Position = text.parse().unwrap();
                let expected: Vec<_> = first
                    .turns(&position)
                    .iter()
                    .map(|turn| position.play_unchecked(turn).to_string())
                    .collect();
                assert_eq!(found, expected, "{rules}: {text}");
                turns += found.len();
                let next = found.iter().map(|text| Position::from_text(&game.board, text));
                waiting.extend(next.map(Option::unwrap));
            }
        }
    }
    assert!(turns > 50_000, "{turns}");
}
