//! How metadata become bytes.

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

/// Metadata of more bytes are neither written nor read.
pub const METADATA_LIMIT: usize = 1 << 20;

fn config() -> impl bincode::config::Config {
    bincode::config::standard()
        .with_little_endian()
        .with_fixed_int_encoding()
        .with_limit::<METADATA_LIMIT>()
}

/// Metadata that cannot be written or read.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct MetadataError(String);

/// Writes metadata in the form of bincode 2 with little endian and integers of fixed width: enum
/// variants are 4 bytes, an option is a byte and its content, a sequence its length in 8 bytes and
/// its items, structs and tuples their fields.
///
/// # Errors
/// If there would be more than [`METADATA_LIMIT`] bytes, or the type has no such form.
pub fn encode_metadata<M: Serialize>(metadata: &M) -> Result<Vec<u8>, MetadataError> {
    let bytes = bincode::serde::encode_to_vec(metadata, config())
        .map_err(|error| MetadataError(error.to_string()))?;
    // bincode keeps to the limit when it reads, not when it writes.
    if bytes.len() > METADATA_LIMIT {
        return Err(MetadataError(format!("{} bytes of metadata are too many", bytes.len())));
    }
    Ok(bytes)
}

/// Reads metadata that [`encode_metadata`] wrote, all the bytes.
///
/// # Errors
/// If they are not such bytes, or too many.
pub fn decode_metadata<M: DeserializeOwned>(bytes: &[u8]) -> Result<M, MetadataError> {
    if bytes.len() > METADATA_LIMIT {
        return Err(MetadataError(format!("{} bytes are too many", bytes.len())));
    }
    match bincode::serde::decode_from_slice(bytes, config()) {
        Ok((metadata, length)) if length == bytes.len() => Ok(metadata),
        Ok((_, length)) => {
            let message = format!("{} bytes are behind the last field", bytes.len() - length);
            Err(MetadataError(message))
        }
        Err(error) => Err(MetadataError(error.to_string())),
    }
}
