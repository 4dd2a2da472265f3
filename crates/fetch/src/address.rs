//! Addresses of files.

use crate::error::FetchError;

/// The address of the file `name` in the directory that an address of a file is in. A query is left
/// out.
///
/// ```
/// use fanorona_fetch::beside;
/// assert_eq!(beside("https://example.org/a/list.json?x=/", "b")?, "https://example.org/a/b");
/// assert!(beside("https://example.org", "b").is_err());
/// assert!(beside("list.json", "b").is_err());
/// # Ok::<(), fanorona_fetch::FetchError>(())
/// ```
///
/// # Errors
/// If the address is not one of a file by HTTP or HTTPS.
pub fn beside(address: &str, name: &str) -> Result<String, FetchError> {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let is_http = |dir: &&str| {
        ["http://", "https://"]
            .iter()
            .any(|scheme| dir.len() > scheme.len() && dir.starts_with(scheme))
    };
    match path.rsplit_once('/').map(|(dir, _)| dir).filter(is_http) {
        Some(dir) => Ok(format!("{dir}/{name}")),
        None => Err(FetchError::Address { address: address.to_owned() }),
    }
}
