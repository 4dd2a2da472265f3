//! Headings of the help. Options that most people use have none, so they come first.

/// Above the options of a command for special needs.
pub(crate) const ADVANCED_OPTIONS: &str = "Advanced options";
