//! Encoding metadata.

use std::io;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The limit of encoded metadata in bytes.
pub const METADATA_LIMIT: usize = 1 << 20;

fn config() -> impl bincode::config::Config {
    bincode::config::standard()
        .with_little_endian()
        .with_fixed_int_encoding()
        .with_limit::<METADATA_LIMIT>()
}

/// Encodes metadata with bincode 2, little-endian, with integers of fixed width: an enum variant
/// takes 4 bytes, an option is a byte and its content, a sequence is its length in 8 bytes and its
/// items, structs and tuples are their fields.
///
/// # Errors
/// If the result has more than [`METADATA_LIMIT`] bytes, or bincode cannot encode the type.
pub fn encode_metadata<M: Serialize>(metadata: &M) -> io::Result<Vec<u8>> {
    let bytes = bincode::serde::encode_to_vec(metadata, config()).map_err(io::Error::other)?;
    // bincode applies its limit to decoding only.
    check_length(bytes.len())?;
    Ok(bytes)
}

fn check_length(bytes: usize) -> io::Result<()> {
    if bytes > METADATA_LIMIT {
        let message = format!("{bytes} bytes are more than the limit of {METADATA_LIMIT}");
        return Err(io::Error::other(message));
    }
    Ok(())
}

/// Decodes metadata that [`encode_metadata`] has encoded. `bytes` must not contain anything else.
///
/// # Errors
/// If `bytes` are not encoded metadata of this type, or more than [`METADATA_LIMIT`].
pub fn decode_metadata<M: DeserializeOwned>(bytes: &[u8]) -> io::Result<M> {
    check_length(bytes.len())?;
    let decoded = bincode::serde::decode_from_slice(bytes, config());
    let (metadata, length) = decoded.map_err(io::Error::other)?;
    if length < bytes.len() {
        let message = format!("{} bytes follow the last field", bytes.len() - length);
        return Err(io::Error::other(message));
    }
    Ok(metadata)
}
