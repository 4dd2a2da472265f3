//! Proofs that share the positions of their expansion.
//!
//! Where play goes on from a position does not depend on which proof leads there. If two sets are
//! closed, so are both together, and if ranks decrease in each, they decrease in both. So proofs of the
//! same kind about one game are expanded as one, also if they are about different sides: positions are
//! pairs of the prover's and the other side's stones. Only in the vela colours matter.

use std::sync::atomic::AtomicBool;

use fanorona_core::Position;
use fanorona_tablebase::{Metric, TableError, Tables};

use super::layers::Layers;
use crate::error::{CertificateError, Result};
use crate::format::Certificate;
use crate::format::{Header, ProofSummary};
use crate::leaves::{SliceSet, needs_tables};
use crate::steps::{Leaf, Limits, StepBuffers, Steps, nowhere};
use crate::stored::check_stored;

#[derive(Clone, Copy)]
pub(super) struct Proof<'a> {
    pub certificate: usize,
    /// Its number in the certificate.
    pub number: usize,
    file: &'a Certificate,
}

/// Proofs that can be expanded together. There is at least one.
pub(super) struct Group<'a> {
    pub proofs: Vec<Proof<'a>>,
}

/// Divides the proofs of some certificates into groups, in the order of their first proofs.
pub(super) fn groups<'a>(certificates: &[&'a Certificate]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for (certificate, file) in certificates.iter().copied().enumerate() {
        for number in 0..file.header.proofs.len() {
            let proof = Proof { certificate, number, file };
            match groups.iter_mut().find(|group| group.proofs[0].shares_positions_with(proof)) {
                Some(group) => group.proofs.push(proof),
                None => groups.push(Group { proofs: vec![proof] }),
            }
        }
    }
    groups
}

impl<'a> Group<'a> {
    /// A header with the same board and rules as all others.
    pub(super) fn header(&self) -> &'a Header {
        &self.proofs[0].file.header
    }

    /// The steps from the leaves to the end of the game.
    pub(super) fn steps(&self, stop: &'a AtomicBool) -> Steps<'a> {
        let first = self.proofs[0];
        let mut paths: Vec<_> =
            self.proofs.iter().map(|proof| proof.file.path().to_owned()).collect();
        paths.dedup();
        let limits = Limits::new(u64::MAX, stop);
        Steps::of_proof(first.file, first.number, &nowhere, limits).expanding(paths)
    }

    /// The error of certificates with leaves in tables if no tables are given.
    pub(super) fn needs_tables(&self) -> CertificateError {
        let files = self.proofs.iter().map(|proof| proof.file);
        let mut errors = files.filter_map(|of| needs_tables(of.path(), &of.header));
        errors.next().expect("leaves are in slices with named tables")
    }

    /// An error that a table is missing, with the largest one that is named and missing in its place:
    /// the first that is asked for may be a small one.
    pub(super) fn missing(&self, mut error: CertificateError, tables: &Tables) -> CertificateError {
        if let CertificateError::Tables(TableError::Missing { slice, .. }) = &mut error {
            let is_there = |slice, metric| matches!(tables.table(slice, metric), Ok(Some(_)));
            let named = self.proofs.iter().flat_map(|proof| &proof.file.header.tables);
            let named = named.map(|named| named.slice);
            let missing = named.filter(|named| !Metric::ALL.iter().any(|m| is_there(*named, *m)));
            *slice = missing.chain([*slice]).max_by_key(|slice| slice.stones()).unwrap_or(*slice);
        }
        error
    }
}

impl<'a> Proof<'a> {
    pub(super) fn summary(&self) -> ProofSummary {
        self.file.header.proofs[self.number]
    }

    fn shares_positions_with(self, other: Self) -> bool {
        let [one, another] = [self, other].map(|proof| &proof.file.header);
        let is_same_game = one.board() == another.board() && one.rules == another.rules;
        // Only in the vela do the rules change with the colours.
        let colours_matter = one.rules.with_colours_swapped() != one.rules;
        let [one, another] = [self, other].map(|proof| proof.summary().claim);
        is_same_game && one.kind == another.kind && (one.side == another.side || !colours_matter)
    }

    /// Checks the entries. Where a proof ends at a position whose slice has a named table, this puts what
    /// has to be expanded for it into the layers, instead of believing the table: the position itself if
    /// the prover is to move, otherwise all replies.
    pub(super) fn collect_leaves(
        self,
        layers: &Layers<'_>,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<()> {
        let limits = Limits::available(stop);
        let after_leaf = Steps::of_proof(self.file, self.number, &nowhere, limits);
        let slices = SliceSet::named(&self.file.header);
        let ends = |position: &Position| {
            if slices.slice_with_tables(&after_leaf.rules, position).is_none() {
                return Ok(Leaf::No);
            }
            let mut first = Vec::new();
            if position.to_move() == after_leaf.claim.side {
                first.push(after_leaf.stones(position));
            } else {
                let mut buffers = StepBuffers::default();
                after_leaf.replies(position, &mut buffers, |stones| first.push(stones))?;
            }
            first.into_iter().try_for_each(|stones| layers.add(stones))?;
            Ok(Leaf::Unchecked)
        };
        let steps = Steps::of_proof(self.file, self.number, &ends, limits);
        check_stored(self.file, self.number, &steps, progress)
    }
}
