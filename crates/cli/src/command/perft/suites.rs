//! The suites of this program.

use fanorona_perft::suite::{self, Entry, SuiteError};

macro_rules! suites {
    ($($name:literal),+ $(,)?) => {
        [$(include_str!(concat!("../../../suites/", $name, ".perft"))),+]
    };
}

/// The texts of `data/perft`, except those of other ways of counting.
const TEXTS: [&str; 8] = suites![
    "standard-9x5",
    "standard-small",
    "standard-large",
    "forced-relay",
    "free-capture",
    "first-capture-single",
    "vela",
    "options",
];

/// The entries of all suites that count turns.
pub(super) fn entries() -> Result<Vec<Entry>, SuiteError> {
    let mut entries = Vec::new();
    for text in TEXTS {
        entries.extend(suite::parse(text)?);
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use fanorona_core::RuleSet;

    use super::*;

    #[test]
    fn every_preset_has_suites() {
        let entries = entries().expect("they are suites");
        for rules in RuleSet::PRESETS {
            assert!(entries.iter().filter(|entry| entry.rules == rules).count() > 30, "{rules}");
        }
    }
}
