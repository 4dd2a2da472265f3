//! The worked examples in `docs/CONCEPTS.md`: the page shows what the files have.

use std::fs;

use fanorona_core::{Position, RuleSet, Side, Value};
use fanorona_solver::Solver;

use crate::fixtures::{Place, bounds, certify_by_search};
use crate::reference::File;

/// The entries of a proof, as the page lists them.
fn list(file: &File, number: usize) -> String {
    let (proof, first) = (&file.proofs[number], file.position.parse::<Position>().unwrap());
    let rules: RuleSet = file.rules.parse().unwrap();
    let side = if proof.by_mover { first.to_move() } else { first.to_move().other() };
    let next: Vec<_> = proof.entries.iter().map(|entry| file.following(number, entry)).collect();
    let stones = |entry: usize| {
        let entry = &proof.entries[entry];
        entry.own.count_ones() + entry.opponent.count_ones()
    };
    let mut distances = vec![0; next.len()];
    for _ in 0..next.len() {
        for entry in 0..next.len() {
            let same = next[entry].iter().filter(|next| stones(**next) == stones(entry));
            distances[entry] = same.map(|next| distances[*next] + 1).max().unwrap_or(0);
        }
    }
    let side_name = if side == Side::White { "White" } else { "Black" };
    let claim = if proof.wins { "wins" } else { "has at least a draw" };
    let rows = proof.entries.iter().enumerate().map(|(i, entry)| {
        let position = entry.position(first.board(), side).unwrap();
        let turn = rules.turns(&position)[entry.turn as usize].text(first.board()).to_string();
        let then: Vec<_> = next[i].iter().map(usize::to_string).collect();
        let distance = if proof.wins { distances[i].to_string() } else { String::new() };
        let then = if then.is_empty() { "-".to_owned() } else { then.join(" ") };
        [i.to_string(), position.to_string(), turn, distance, then]
    });
    let heads = ["entry", "position", "turn", if proof.wins { "distance" } else { "" }, "then"];
    let mut table = vec![heads.map(str::to_owned)];
    table.extend(rows);
    let widths: Vec<_> =
        (0..5).map(|column| table.iter().map(|row| row[column].len()).max().unwrap()).collect();
    let lines = table.iter().map(|row| {
        let cells = row.iter().zip(&widths).filter(|(_, width)| **width > 0);
        let cells: Vec<_> = cells.map(|(cell, width)| format!("{cell:width$}")).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    });
    let title = format!("{side_name} {claim}: {} entries\n", proof.entries.len());
    title + &lines.collect::<String>()
}

#[test]
fn the_page_lists_the_entries_of_its_examples() {
    let page = include_str!("../../docs/CONCEPTS.md");
    let win = File::read(include_bytes!("../golden/win.cert"));

    let place = Place::new();
    let (rules, position) = (RuleSet::STANDARD, "3/1BB/W2 w".parse::<Position>().unwrap());
    let mut solver = Solver::new(rules, position.board(), None, 1 << 24).unwrap();
    let found = bounds(&mut solver, &position);
    assert_eq!(found.value(), Some(Value::Draw));
    certify_by_search(&place.file(), (&rules, &position), None, found, &mut solver).unwrap();
    let draw = File::read(&fs::read(place.file()).unwrap());

    let lists = [(&win, 0), (&draw, 0), (&draw, 1)].map(|(file, proof)| list(file, proof));
    let missing: Vec<_> = lists.iter().filter(|list| !page.contains(list.as_str())).collect();
    assert!(missing.is_empty(), "the page lacks:\n{}", lists.join("\n"));
}

/// The bytes of the block that the page shows.
#[test]
fn the_page_shows_the_bytes_of_its_example() {
    let page = include_str!("../../docs/CONCEPTS.md");
    let bytes = include_bytes!("../golden/win.cert");
    let block = zstd::decode_all(&bytes[64..83]).unwrap();
    let hex: String = block.iter().map(|byte| format!(" {byte:02x}")).collect();
    assert!(page.contains(&format!("od -An -tx1\n{hex}\n")), "{hex}");
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    assert!(page.contains(&format!("{:21}{:21}\n", word(16), word(24))));
    assert!(page.contains(&format!("10 entries and {} bytes", bytes.len())));
}
