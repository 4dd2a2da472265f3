//! The suites under `data/perft` notice faults: a wrong reading of the rules counts otherwise.

use std::collections::BTreeMap;

use fanorona_perft::Counting;
use fanorona_perft::slow::{Fault, SlowGenerator};
use fanorona_perft::suite::Entry;

use crate::suite::entries;

/// The count with a fault; `None` if that is much work.
fn count(entry: &Entry, fault: Fault, depth: u8) -> Option<u128> {
    let faults = [fault];
    let slow = SlowGenerator::new(&entry.rules, &faults);
    slow.count(&entry.position, depth, &mut 100_000).ok()
}

/// Whether the counts of an entry show a fault. A turn more shows what a turn leaves behind.
fn notices(entry: &Entry, fault: Fault) -> bool {
    (1..=2).any(|depth| {
        let right = entry.counts.get(&depth).filter(|nodes| **nodes <= 12_000);
        right.is_some_and(|right| count(entry, fault, depth).is_some_and(|found| found != *right))
    })
}

/// Whether the suite of a file need not notice a fault.
fn may_be_missed(file: &str, fault: &Fault) -> bool {
    match fault {
        // The counts of mirror images are the same.
        Fault::UpsideDown => true,
        Fault::RelayEnds(steps) => *steps > if file == "standard-small" { 8 } else { 12 },
        Fault::LineEnds(stones) => *stones > 2,
        Fault::Room(_) => !["forced-relay", "options", "standard-9x5"].contains(&file),
        Fault::GoesOn => file != "standard-9x5",
        Fault::FirstTurnFree => file == "options",
        // The first turn of the vela, which alone has to capture, is in its first phase.
        Fault::ObligedBy(_) | Fault::Beyond { gaps: false, .. } => file == "vela",
        // Options that differ from those of few positions.
        Fault::OtherRules(_) => file == "options",
        _ => false,
    }
}

#[test]
fn suites_notice_faults() {
    let mut suites: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    for (path, entry) in entries() {
        if entry.counting == Counting::Turns {
            let file = path.rsplit('/').next().expect("a name").trim_end_matches(".perft");
            suites.entry(file.to_owned()).or_default().push(entry);
        }
    }
    assert_eq!(suites.len(), 8);
    for (file, entries) in suites {
        let mut faults = [256, 1024, 4096].map(Fault::Room).to_vec();
        for entry in &entries {
            for fault in Fault::all(&entry.rules, entry.position.board()) {
                if !faults.contains(&fault) {
                    faults.push(fault);
                }
            }
        }
        faults.retain(|fault| !may_be_missed(&file, fault));
        assert!(faults.len() > 70, "{file}: {} faults", faults.len());
        faults.retain(|fault| !entries.iter().any(|entry| notices(entry, *fault)));
        let missed: Vec<_> = faults.iter().map(Fault::text).collect();
        assert!(missed.is_empty(), "{file} is right for a program although it {missed:#?}");
    }
}

/// Reasons such as `5 turns; 4 if it captures only the nearest stone of a line`.
#[test]
fn numbers_in_reasons_are_those_of_the_faults() {
    let number = |text: &str| match text {
        "no" => 0,
        "one" => 1,
        "two" => 2,
        "three" => 3,
        digits => digits.replace(',', "").parse::<u128>().expect("a number"),
    };
    let mut claims = 0;
    for (_, entry) in entries() {
        let why = entry.why.as_ref().expect("it has a reason");
        let Some((right, wrong)) = why.split_once("; ").filter(|_| why.contains(" if it ")) else {
            continue;
        };
        let right = right.rsplit(": ").next().and_then(|right| right.split_once(" turn"));
        let right = right.map(|(right, _)| number(right));
        assert_eq!(right, Some(entry.counts[&1]), "{}: {why}", entry.id);
        let faults = Fault::all(&entry.rules, entry.position.board());
        for claim in wrong.split("; ") {
            let (wrong, text) = claim.split_once(" if it ").expect("a number and a fault");
            let fault = faults.iter().find(|fault| fault.text() == text);
            let fault = fault.unwrap_or_else(|| panic!("{}: no program {text}", entry.id));
            assert_eq!(count(&entry, *fault, 1), Some(number(wrong)), "{}: {claim}", entry.id);
            claims += 1;
        }
    }
    assert!(claims > 200, "{claims} claims");
}
