//! `--trust-no-table`: checks certificates without believing tables.

use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use fanorona_core::Side;
use fanorona_proof::{
    Certificate, CertificateError, Claim, ExpandedProof, Expansion, ExpansionProgress,
};
use fanorona_tablebase::{FileError, Tables, memory_available};
use serde::Serialize;

use crate::human::{counted, duration, grouped};
use crate::interrupt;
use crate::output::AsText;
use crate::progress::spinner;

/// The size of the expanded proofs.
#[derive(Serialize)]
pub(super) struct ExpansionReport {
    /// Of all proofs.
    positions: u64,
    replies: u64,
    /// The most memory for positions at one time.
    memory_bytes: u64,
    seconds: f64,
    proofs: Vec<ProofReport>,
}

#[derive(Serialize)]
struct ProofReport {
    /// The number of its certificate among those that were given.
    certificate: usize,
    side: Side,
    claim: AsText<Claim>,
    entries: u64,
    leaves: u64,
}

impl ExpansionReport {
    fn new(found: &Expansion, seconds: f64) -> Self {
        let report = |proof: &ExpandedProof| ProofReport {
            certificate: proof.certificate,
            side: proof.claim.side,
            claim: AsText(proof.claim),
            entries: proof.entries,
            leaves: proof.leaves,
        };
        Self {
            positions: found.positions,
            replies: found.replies,
            memory_bytes: found.memory,
            seconds,
            proofs: found.proofs.iter().map(report).collect(),
        }
    }

    /// A line for all proofs.
    pub(super) fn in_words(&self) -> String {
        format!(
            "no table is trusted: {} more, {}; {} MiB for positions, {}",
            counted(self.positions, "position"),
            // The plural is irregular.
            counted(self.replies, "reply").replace("replys", "replies"),
            grouped(self.memory_bytes.div_ceil(1 << 20)),
            duration(self.seconds),
        )
    }
}

/// Whether an error of certificates that were checked together is about this file.
pub(super) fn concerns(error: &CertificateError, file: &Path) -> bool {
    match error {
        CertificateError::Unproved { paths, .. } => paths.iter().any(|path| path == file),
        CertificateError::DoesNotHold { path, .. } => path == file,
        CertificateError::File(error @ FileError::Corrupt { .. }) => error.path() == file,
        _ => true,
    }
}

/// Checks certificates together without believing tables, within a limit of MiB, or the available
/// memory.
pub(super) fn check(
    certificates: &[&Certificate],
    tables: Option<&Tables>,
    memory: Option<u64>,
) -> Result<ExpansionReport, CertificateError> {
    let limit = memory.map(|mebibytes| mebibytes.saturating_mul(1 << 20));
    let limit = limit.or_else(memory_available).unwrap_or(u64::MAX);
    let bar = spinner("checking".to_owned());
    let entries: u64 = certificates.iter().map(|certificate| certificate.positions()).sum();
    let entries = counted(entries, "position");
    // Threads report in any order.
    let most = Mutex::new([0; 3]);
    let show = |now: ExpansionProgress| {
        let Ok(mut most) = most.lock() else { return };
        for (most, now) in most.iter_mut().zip([now.entries, now.positions, now.ranked]) {
            *most = now.max(*most);
        }
        let [checked, more, ranked] = most.map(grouped);
        let checked = format!("{checked} of {entries} checked, {more} more");
        bar.set_message(if most[2] == 0 { checked } else { format!("{checked}, {ranked} ranked") });
    };
    let begin = Instant::now();
    let found =
        Certificate::check_without_trust(certificates, tables, limit, interrupt::flag(), show);
    bar.finish_and_clear();
    Ok(ExpansionReport::new(&found?, begin.elapsed().as_secs_f64()))
}
