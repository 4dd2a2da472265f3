//! Certificates: files with proofs.

use std::ffi::c_char;

use fanorona_knowledge::{Assessment, Source};
use fanorona_proof::Certificate;

use crate::boundary::{ErrorBuffer, run};
use crate::failure::Failure;
use crate::grow::{GrowingOutput, Grows};
use crate::pointers::optional;
use crate::pool::{Pool, threads};
use crate::position::CPosition;
use crate::status::Status;
use crate::stop::{StopHandle, flag};
use crate::tables::TablesHandle;
use crate::text;
use crate::value::CAssessment;

/// The bytes of the name of a rule set, with its NUL: `FANORONA_RULES_TEXT`.
const RULES_TEXT: usize = 192;

/// The claim of a certificate: `fanorona_certificate`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CertificateInfo {
    /// The size of the struct.
    pub struct_size: usize,
    /// The number of positions of its proofs.
    pub positions: u64,
    /// The position that it is about.
    pub position: CPosition,
    /// The width of the board.
    pub width: i32,
    /// The height of the board.
    pub height: i32,
    /// The claim, for the side to move.
    pub assessment: CAssessment,
    /// The stones of the largest table that it needs; 0 if it needs none.
    pub table_stones: u32,
    /// The rule set, as a text.
    pub rules: [u8; RULES_TEXT],
}

// SAFETY: integers and structs of integers, the size first.
unsafe impl Grows for CertificateInfo {
    const FIRST_SIZE: usize = size_of::<Self>();
}

impl CertificateInfo {
    fn new(certificate: &Certificate) -> Result<Self, Failure> {
        let mut rules = [0; RULES_TEXT];
        let name = certificate.rules().to_string();
        // The last byte stays 0.
        let place = rules[..RULES_TEXT - 1].get_mut(..name.len());
        let needed = name.len() + 1;
        let place =
            place.ok_or(Failure::Capacity { name: "rules", capacity: RULES_TEXT, needed })?;
        place.copy_from_slice(name.as_bytes());
        let stones = certificate.tables().iter().map(|table| table.slice.stones());
        Ok(Self {
            struct_size: 0,
            positions: certificate.positions(),
            position: certificate.position().into(),
            width: certificate.board().width().into(),
            height: certificate.board().height().into(),
            assessment: Assessment::new(certificate.bounds(), Source::Proof).into(),
            table_stones: stones.max().unwrap_or(0),
            rules,
        })
    }
}

/// Reads what a certificate claims.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fanorona_certificate_read(
    file: *const c_char,
    certificate: *mut CertificateInfo,
    error: *mut ErrorBuffer,
) -> Status {
    let work = || {
        // SAFETY: all pointers are NULL or as the header says.
        let (file, out) =
            unsafe { (text::path(file, "file")?, GrowingOutput::new(certificate, "certificate")?) };
        out.write(CertificateInfo::new(&Certificate::open(file)?)?);
        Ok(())
    };
    // SAFETY: as above.
    unsafe { run(error, work) }
}

/// Checks a certificate.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fanorona_certificate_check(
    file: *const c_char,
    tables: *const TablesHandle,
    num_threads: u32,
    stop: *const StopHandle,
    certificate: *mut CertificateInfo,
    error: *mut ErrorBuffer,
) -> Status {
    let work = || {
        // SAFETY: all pointers are NULL or as the header says.
        let (file, tables, stop, out) = unsafe {
            let file = text::path(file, "file")?;
            let tables = optional(tables, "tables")?.map(|handle| &*handle.tables);
            (file, tables, flag(stop)?, GrowingOutput::new(certificate, "certificate")?)
        };
        let pool = Pool::new(threads(num_threads, "threads")?)?;
        let certificate = Certificate::open(file)?;
        pool.run(|| certificate.check(tables, stop, |_| {}))?;
        out.write(CertificateInfo::new(&certificate)?);
        Ok(())
    };
    // SAFETY: as above.
    unsafe { run(error, work) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_of_a_rule_set_fits() {
        let options = "capturing-mandatory+relay-mandatory+first-capture-single+direction-strict\
                       +no-turns-draw+victor-black+stones-255+must-capture";
        let rules: fanorona_core::RuleSet = format!("vela+{options}").parse().unwrap();
        assert_eq!(rules.to_string(), format!("vela+{options}"), "each option differs");
        assert!(rules.to_string().len() < RULES_TEXT);
    }
}
