//! Bounds of a position by the certificates alone.

use std::path::PathBuf;

use fanorona_core::Position;
use serde::{Serialize, Serializer};

use crate::assessment::{Assessment, Source};
use crate::knowledge::{Knowledge, Result};

/// Bounds by certificates, of a position that neither the rules nor a table decide.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CertificateFact {
    /// For the side to move.
    #[serde(flatten)]
    pub assessment: Assessment,
    /// The turn of the entry, if a proof for the side to move has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// In a won position, how many more entries the proof can go through before a capture or a leaf.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_to_conversion: Option<u32>,
    /// The certificate with an entry of the position. What is not UTF-8 in its name is replaced in JSON.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    pub file: Option<PathBuf>,
}

fn as_text<S: Serializer>(
    file: &Option<PathBuf>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(&file.as_deref().unwrap_or("".as_ref()).display())
}

impl Knowledge {
    /// The bounds by certificates; `None` if they know nothing of the position, or if the rules or
    /// tables decide it.
    ///
    /// # Errors
    /// As for [`lookup`](Self::lookup).
    pub fn certified(&self, position: &Position) -> Result<Option<CertificateFact>> {
        let Some(book) = self.book() else { return Ok(None) };
        let assessment = self.lookup(position)?;
        if assessment.source != Some(Source::Proof) {
            return Ok(None);
        }
        let entry = book.entry(position)?;
        let entry = entry.as_ref();
        Ok(Some(CertificateFact {
            assessment,
            best: entry.map(|entry| entry.turn.text(position.board()).to_string()),
            distance_to_conversion: entry.and_then(|entry| entry.distance),
            file: entry.map(|entry| book.certificates()[entry.certificate].path().to_owned()),
        }))
    }
}
