//! Steps that would help with an open answer, in words.

use std::path::Path;

use fanorona_builder::BuildOptions;
use fanorona_engine::inquiry::{Help, Purpose};
use fanorona_knowledge::BuildPlan;

use crate::advice;
use crate::human::{filled, rough_duration, size};

/// A step after a word such as "Next:", with the command if it is one. Tables would be in `dir`.
pub(super) fn after(word: &str, help: &Help, dir: &Path) -> String {
    let Help::Tables { purpose, plan } = help else {
        return filled(&format!("{word} {}.", of_search(help)), 2);
    };
    let advice = with_tables(*purpose, plan.stones);
    let BuildPlan { board, rules, stones, metric, fits_here, .. } = *plan;
    if !fits_here {
        let options = BuildOptions::new(dir, board, rules, stones).with_metric(metric);
        return filled(&format!("{word} {advice}; {}.", advice::to_build(&options)), 2);
    }
    let (time, disk) = (rough_duration(plan.seconds), size(plan.disk_bytes));
    let about = if time.starts_with("less") { "" } else { "about " };
    let text = filled(&format!("{word} {advice} ({about}{time}, {disk} of disk):"), 2);
    format!("{text}\n  {}", advice::build_of(plan, dir))
}

fn with_tables(purpose: Purpose, stones: u32) -> String {
    match purpose {
        Purpose::Position => format!("tables to {stones} stones hold this position"),
        Purpose::Search => format!("tables to {stones} stones help the search"),
        Purpose::Line => {
            format!("to see the whole line, build the tables that it ends in, to {stones} stones")
        }
        Purpose::Certificate => {
            format!(
                "the certificate knows more with the tables that it ends in, to {stones} stones"
            )
        }
        Purpose::Distance => "to see in how many turns, build distances".to_owned(),
    }
}

fn of_search(help: &Help) -> String {
    match help {
        Help::Memory { bytes } => {
            let now = bytes.map_or(String::new(), |bytes| format!(", now {} MiB", bytes >> 20));
            format!("more memory for the search (--memory{now}), which is full")
        }
        Help::Time { seconds } => format!("more time for the search (--time {seconds})"),
        Help::Nodes | Help::Tables { .. } => "more positions for the search (--nodes)".to_owned(),
    }
}
