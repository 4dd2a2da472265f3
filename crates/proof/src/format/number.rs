//! Numbers in LEB128: seven bits per byte, the lowest first.

/// The most bytes of a number of 32 bits.
pub(super) const BYTES_LIMIT_32: usize = 5;

/// Appends a number.
pub(super) fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number from the front. `None` if there is none, or if it has more bytes than necessary.
pub(super) fn pop(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return None;
        }
        number |= bits << shift;
        if byte & 0x80 == 0 {
            return (byte != 0 || shift == 0).then_some(number);
        }
        shift += 7;
        if shift > 63 {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_have_one_form(number: u64, bits in 0..64u32) {
            let number = number >> bits;
            let mut bytes = Vec::new();
            push(&mut bytes, number);
            prop_assert!(bytes.len() <= 10);
            let mut rest = &bytes[..];
            prop_assert_eq!(pop(&mut rest), Some(number));
            prop_assert!(rest.is_empty());
        }
    }
}
