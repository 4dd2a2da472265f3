//! Work on positions that finds more positions, until there are none.

use rayon::prelude::*;

use super::account::Account;
use super::lane::Sizes;
use crate::error::CertificateError;

type Result<T> = std::result::Result<T, CertificateError>;

/// The parts that all threads expand together, before the positions found are used.
const PARTS: usize = 32;

/// The bytes that positions take while they wait: in the lists of their threads and in that of all.
pub(super) const fn waiting<T>(positions: usize) -> u64 {
    2 * (size_of::<T>() * positions) as u64
}

/// Calls `expand` with parts of `keys`, then with parts of what it has returned, and so on until
/// nothing is left. The memory for what it returns must be taken already, as [`in_parallel`] does.
///
/// `expand` must return each position that is new once. Then each is expanded once, and when nothing is
/// left, nothing that was found is unexpanded.
///
/// The last found are expanded first, which keeps the list short. Their order does not depend on the
/// order in which threads find them.
pub(super) fn exhaust(
    mut keys: Vec<u64>,
    account: &Account,
    sizes: Sizes,
    mut expand: impl FnMut(&[u64]) -> Result<Vec<u64>>,
) -> Result<()> {
    account.take(waiting::<u64>(keys.len()))?;
    keys.par_sort_unstable();
    while !keys.is_empty() {
        let batch = keys.split_off(keys.len().saturating_sub(PARTS * sizes.expanded));
        let mut found = expand(&batch)?;
        account.give_back(waiting::<u64>(batch.len()));
        found.sort_unstable();
        keys.append(&mut found);
    }
    Ok(())
}

/// Calls `work` with parts of a list on all threads. Returns all that it has returned, and takes the
/// memory for that.
pub(super) fn in_parallel<I: Sync, T: Send + Clone>(
    list: &[I],
    account: &Account,
    sizes: Sizes,
    work: impl Fn(&[I]) -> Result<Vec<T>> + Sync,
) -> Result<Vec<T>> {
    let found = list.par_chunks(sizes.expanded).map(|part| {
        let found = work(part)?;
        account.take(waiting::<T>(found.len()))?;
        Ok(found)
    });
    Ok(found.collect::<Result<Vec<_>>>()?.concat())
}
