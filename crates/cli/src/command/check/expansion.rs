//! `--trust-no-table`: checks a certificate without believing tables.

use std::sync::Mutex;
use std::time::Instant;

use fanorona_core::Side;
use fanorona_proof::{Certificate, CertificateError, Claim, Expansion, ExpansionProgress};
use fanorona_tablebase::{Tables, memory_available};
use serde::Serialize;

use crate::human::{counted, duration, grouped};
use crate::interrupt;
use crate::output::AsText;
use crate::progress::spinner;

/// What the proofs came to.
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

/// What one proof came to.
#[derive(Serialize)]
struct ProofReport {
    side: AsText<Side>,
    claim: AsText<Claim>,
    entries: u64,
    leaves: u64,
    positions: u64,
    replies: u64,
}

impl ExpansionReport {
    fn new(proofs: &[Expansion], seconds: f64) -> Self {
        let report = |proof: &Expansion| ProofReport {
            side: AsText(proof.claim.side),
            claim: AsText(proof.claim),
            entries: proof.entries,
            leaves: proof.leaves,
            positions: proof.positions,
            replies: proof.replies,
        };
        Self {
            positions: proofs.iter().map(|proof| proof.positions).sum(),
            replies: proofs.iter().map(|proof| proof.replies).sum(),
            memory_bytes: proofs.iter().map(|proof| proof.memory).max().unwrap_or(0),
            seconds,
            proofs: proofs.iter().map(report).collect(),
        }
    }

    /// A line for each proof.
    pub(super) fn in_words(&self) -> String {
        let proofs = self.proofs.iter().map(|proof| {
            format!(
                "{}: {} more, {}\n",
                proof.claim.0,
                counted(proof.positions, "position"),
                // The plural is irregular.
                counted(proof.replies, "reply").replace("replys", "replies"),
            )
        });
        let memory = grouped(self.memory_bytes.div_ceil(1 << 20));
        let (proofs, time) = (proofs.collect::<String>(), duration(self.seconds));
        format!("{proofs}no table is trusted; {memory} MiB for positions, {time}")
    }
}

/// Checks a certificate without believing tables, within a limit of MiB, or the available memory.
pub(super) fn check(
    certificate: &Certificate,
    tables: Option<&Tables>,
    memory: Option<u64>,
) -> Result<ExpansionReport, CertificateError> {
    let limit = memory.map(|mebibytes| mebibytes.saturating_mul(1 << 20));
    let limit = limit.or_else(memory_available).unwrap_or(u64::MAX);
    let bar = spinner("checking".to_owned());
    let entries = counted(certificate.positions(), "position");
    // Threads report in any order.
    let most = Mutex::new((0, 0));
    let show = |now: ExpansionProgress| {
        let Ok(mut most) = most.lock() else { return };
        *most = (now.entries.max(most.0), now.positions.max(most.1));
        let (checked, more) = (grouped(most.0), counted(most.1, "position"));
        bar.set_message(format!("{checked} of {entries} checked, {more} more"));
    };
    let begin = Instant::now();
    let found = certificate.check_without_trust(tables, limit, interrupt::flag(), show);
    bar.finish_and_clear();
    Ok(ExpansionReport::new(&found?, begin.elapsed().as_secs_f64()))
}
