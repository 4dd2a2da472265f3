//! How missing tables can be built.

use fanorona_knowledge::BuildPlan;
use serde::Serialize;
use utoipa::ToSchema;

use crate::variant::Variant;

/// How missing tables can be built.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The command.
    pub command: String,
    /// The memory that it needs, in bytes, estimated.
    pub memory_bytes: u64,
    /// The disk space that the tables need, in bytes, estimated on the high side.
    pub disk_bytes: u64,
    /// Whether the server's machine has as much memory and disk space.
    pub fits_here: bool,
}

impl Build {
    /// A plan as a command, which ends with an option for the directory; that may be empty.
    pub(crate) fn new(plan: &BuildPlan, directory_option: &str) -> Self {
        let BuildPlan { board, rules, stones, metric, .. } = plan;
        let mut command = format!("fanorona build --board {board}");
        if *rules != Variant::default().rules {
            command += &format!(" --rules {rules}");
        }
        command += &format!(" --stones {stones} --metric {metric}");
        if !directory_option.is_empty() {
            command += &format!(" {directory_option}");
        }
        let BuildPlan { memory_bytes, disk_bytes, fits_here, .. } = *plan;
        Self { command, memory_bytes, disk_bytes, fits_here }
    }
}
