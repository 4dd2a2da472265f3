//! Encoding metadata.

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

/// The limit of encoded metadata in bytes.
pub const METADATA_LIMIT: usize = 1 << 20;

fn config() -> impl bincode::config::Config {
    bincode::config::standard()
        .with_little_endian()
        .with_fixed_int_encoding()
        .with_limit::<METADATA_LIMIT>()
}

/// The error of metadata that cannot be encoded or decoded.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct MetadataError(String);

/// Encodes metadata with bincode 2, little-endian, with integers of fixed width: an enum variant
/// takes 4 bytes, an option is a byte and its content, a sequence is its length in 8 bytes and its
/// items, structs and tuples are their fields.
///
/// # Errors
/// If the result has more than [`METADATA_LIMIT`] bytes, or bincode cannot encode the type.
pub fn encode_metadata<M: Serialize>(metadata: &M) -> Result<Vec<u8>, MetadataError> {
    let bytes = bincode::serde::encode_to_vec(metadata, config())
        .map_err(|error| MetadataError(error.to_string()))?;
    // bincode applies its limit to decoding only.
    if bytes.len() > METADATA_LIMIT {
        return Err(too_long(bytes.len()));
    }
    Ok(bytes)
}

fn too_long(bytes: usize) -> MetadataError {
    MetadataError(format!("{bytes} bytes are more than the limit of {METADATA_LIMIT}"))
}

/// Decodes metadata that [`encode_metadata`] has encoded. `bytes` must not contain anything else.
///
/// # Errors
/// If `bytes` are not encoded metadata of this type, or more than [`METADATA_LIMIT`].
pub fn decode_metadata<M: DeserializeOwned>(bytes: &[u8]) -> Result<M, MetadataError> {
    if bytes.len() > METADATA_LIMIT {
        return Err(too_long(bytes.len()));
    }
    match bincode::serde::decode_from_slice(bytes, config()) {
        Ok((metadata, length)) if length == bytes.len() => Ok(metadata),
        Ok((_, length)) => {
            let message = format!("{} bytes follow the last field", bytes.len() - length);
            Err(MetadataError(message))
        }
        Err(error) => Err(MetadataError(error.to_string())),
    }
}
