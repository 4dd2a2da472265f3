//! How missing tables can be built.

use serde::Serialize;
use utoipa::ToSchema;

use crate::library::BuildPlan;

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

impl From<BuildPlan> for Build {
    fn from(plan: BuildPlan) -> Self {
        let BuildPlan { command, memory_bytes, disk_bytes, fits_here } = plan;
        Self { command, memory_bytes, disk_bytes, fits_here }
    }
}
