//! An entry of a suite.

use std::collections::BTreeMap;

use fanorona_core::{Position, RuleSet};

use crate::counting::Counting;

/// A position of a suite, and what should be counted there.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub struct Entry {
    /// The name of the entry, unique in its suite.
    pub id: String,
    pub rules: RuleSet,
    pub counting: Counting,
    pub position: Position,
    pub why: Option<String>,
    /// Words for what the position's turns show, in the order of the text.
    pub themes: Vec<String>,
    pub source: Option<String>,
    /// The deepest depth that a program which shares nothing with this one has counted too.
    pub reference: Option<u8>,
    /// The counts by depth; at least one.
    pub counts: BTreeMap<u8, u128>,
    /// The line of the text at which the entry begins, from 1.
    pub line: usize,
}
