//! A step that would help.

use std::path::Path;

use fanorona_knowledge::BuildPlan;
use serde::Serialize;

use crate::advice;
use crate::human::{filled, rough_duration, size};

/// Something to do, in words, with the command if it is one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Step {
    advice: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
}

impl Step {
    pub(super) fn new(advice: String) -> Self {
        Self { advice, command: None }
    }

    /// A step that a build is, with its cost.
    pub(super) fn build(advice: &str, plan: &BuildPlan, dir: &Path) -> Self {
        let (time, disk) = (rough_duration(plan.seconds), size(plan.disk_bytes));
        let time = if time.starts_with("less") { time } else { format!("about {time}") };
        Self {
            advice: format!("{advice} ({time}, {disk} of disk)"),
            command: Some(advice::build_of(plan, dir)),
        }
    }

    /// The same with a word before it.
    pub(super) fn after(&self, word: &str) -> String {
        match &self.command {
            Some(command) => {
                format!("{}\n  {command}", filled(&format!("{word} {}:", self.advice), 2))
            }
            None => filled(&format!("{word} {}.", self.advice), 2),
        }
    }
}
