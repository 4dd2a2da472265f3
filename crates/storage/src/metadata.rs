//! Encoding metadata.

use std::io;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The limit of encoded metadata in bytes.
pub const METADATA_LIMIT: usize = 1 << 20;

fn config<const LIMIT: usize>() -> impl bincode::config::Config {
    bincode::config::standard().with_little_endian().with_fixed_int_encoding().with_limit::<LIMIT>()
}

/// Encodes metadata with bincode 2, little-endian, with integers of fixed width: an enum variant
/// takes 4 bytes, an option is a byte and its content, a sequence is its length in 8 bytes and its
/// items, structs and tuples are their fields.
///
/// # Errors
/// If the result has more than [`METADATA_LIMIT`] bytes, or bincode cannot encode the type.
pub fn encode_metadata<M: Serialize>(metadata: &M) -> io::Result<Vec<u8>> {
    let bytes = encode(metadata)?;
    check_length(bytes.len())?;
    Ok(bytes)
}

/// As [`encode_metadata`], for data of any length.
///
/// # Errors
/// If bincode cannot encode the type.
pub fn encode<T: Serialize>(data: &T) -> io::Result<Vec<u8>> {
    // bincode applies its limit to decoding only.
    bincode::serde::encode_to_vec(data, config::<METADATA_LIMIT>()).map_err(io::Error::other)
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
    decode_within::<METADATA_LIMIT, M>(bytes)
}

/// Decodes what [`encode`] has encoded, up to 4 GiB. `bytes` must not contain anything else.
///
/// # Errors
/// If `bytes` are not encoded data of this type.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> io::Result<T> {
    decode_within::<{ u32::MAX as usize }, T>(bytes)
}

fn decode_within<const LIMIT: usize, T: DeserializeOwned>(bytes: &[u8]) -> io::Result<T> {
    let decoded = bincode::serde::decode_from_slice(bytes, config::<LIMIT>());
    let (data, length) = decoded.map_err(io::Error::other)?;
    if length < bytes.len() {
        let message = format!("{} bytes follow the last field", bytes.len() - length);
        return Err(io::Error::other(message));
    }
    Ok(data)
}
