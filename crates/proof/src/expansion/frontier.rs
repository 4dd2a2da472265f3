//! Work on positions that finds more positions, until there are none.

use rayon::prelude::*;

use super::account::Account;
use crate::error::CertificateError;

/// The number of positions that a thread expands at a time.
pub(super) const AT_A_TIME: usize = if cfg!(test) { 4 } else { 1 << 12 };

/// The bytes that a new position takes while it waits: in the list of its thread and in that of all.
const WAITING: u64 = 16;

/// Calls `expand` with parts of `keys` on all threads, then with the keys that it has returned, and
/// so on until it returns none.
pub(super) fn exhaust(
    mut keys: Vec<u64>,
    account: &Account,
    expand: impl Fn(&[u64]) -> Result<Vec<u64>, CertificateError> + Sync,
) -> Result<(), CertificateError> {
    account.take(WAITING * keys.len() as u64)?;
    while !keys.is_empty() {
        let found: Vec<_> = keys
            .par_chunks(AT_A_TIME)
            .map(|part| {
                let new = expand(part)?;
                account.take(WAITING * new.len() as u64)?;
                Ok(new)
            })
            .collect::<Result<_, CertificateError>>()?;
        account.give_back(WAITING * keys.len() as u64);
        keys = found.concat();
    }
    Ok(())
}
