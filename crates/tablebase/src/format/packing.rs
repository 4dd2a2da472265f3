//! Packing values into the bytes of a block.

use crate::value::{Code, Metric};

/// The width of a value in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Two bits, four values per byte, the first in the lowest bits: 0 draw, 1 loss, 2 win.
    Two = 2,
    /// One byte: the code.
    Eight = 8,
    /// Two bytes, little-endian: the code.
    Sixteen = 16,
}

impl Packing {
    /// The narrowest width that holds codes up to `largest` under a metric.
    pub fn for_codes(metric: Metric, largest: u16) -> Self {
        match largest {
            _ if !metric.has_distances() => Self::Two,
            ..=0xff => Self::Eight,
            _ => Self::Sixteen,
        }
    }

    /// The packing with this number of bits per value.
    pub fn from_bits(bits: u8) -> Option<Self> {
        [Self::Two, Self::Eight, Self::Sixteen].into_iter().find(|packing| packing.bits() == bits)
    }

    /// Bits per value.
    pub fn bits(self) -> u8 {
        self as u8
    }

    /// The number of bytes that a number of values takes.
    pub fn bytes(self, values: usize) -> usize {
        (values * usize::from(self.bits())).div_ceil(8)
    }

    /// Packs the values of a block. [`Code::NONE`] is replaced by the value before it, or by the
    /// first value at the beginning of the block. Nobody reads these values, and repeating the
    /// previous one compresses best.
    pub fn pack(self, codes: &mut [Code], bytes: &mut Vec<u8>) {
        let mut last = codes.iter().copied().find(|c| *c != Code::NONE).unwrap_or(Code::DRAW);
        for code in codes.iter_mut() {
            if *code == Code::NONE {
                *code = last;
            }
            last = *code;
        }
        bytes.clear();
        match self {
            Self::Two => bytes.extend(codes.chunks(4).map(|four| {
                four.iter().rev().fold(0, |byte, code| byte << 2 | code.as_wdl().0 as u8)
            })),
            Self::Eight => bytes.extend(codes.iter().map(|code| code.0 as u8)),
            Self::Sixteen => bytes.extend(codes.iter().flat_map(|code| code.0.to_le_bytes())),
        }
    }

    /// The value at an index of a block. `None` if the block is too short or the bits are no value.
    #[inline]
    pub fn get(self, bytes: &[u8], index: usize) -> Option<Code> {
        match self {
            Self::Two => {
                let bits = bytes.get(index / 4)? >> (2 * (index % 4)) & 3;
                (bits < 3).then_some(Code(bits.into()))
            }
            Self::Eight => Some(Code((*bytes.get(index)?).into())),
            Self::Sixteen => {
                let pair = bytes.get(2 * index..2 * index + 2)?;
                let code = Code(u16::from_le_bytes([pair[0], pair[1]]));
                (code != Code::NONE).then_some(code)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [(Packing, u16); 3] =
        [(Packing::Two, 2), (Packing::Eight, 255), (Packing::Sixteen, 65534)];

    #[test]
    fn values_round_trip() {
        for (packing, largest) in ALL {
            for length in [1, 2, 3, 4, 5, 8, 1000] {
                let values: Vec<u16> =
                    (0..length).map(|i: u16| i.wrapping_mul(40503) % (largest + 1)).collect();
                let mut bytes = vec![7; 3];
                let mut codes: Vec<Code> = values.iter().copied().map(Code).collect();
                packing.pack(&mut codes, &mut bytes);
                assert_eq!(bytes.len(), packing.bytes(values.len()));
                for (index, value) in values.iter().enumerate() {
                    assert_eq!(packing.get(&bytes, index), Some(Code(*value)));
                }
                // Past the last byte there is no value.
                assert_eq!(packing.get(&bytes, 4 * bytes.len()), None);
            }
        }
    }

    #[test]
    fn missing_values_repeat_the_previous_value() {
        let (none, win, loss) = (Code::NONE, Code::WIN, Code::LOSS);
        for (packing, _) in ALL {
            for (codes, filled) in [
                (vec![none, none, win, none, loss, none], vec![win, win, win, win, loss, loss]),
                (vec![none, none, none], vec![Code::DRAW; 3]),
                (vec![loss, none, none, none, none], vec![loss; 5]),
            ] {
                let (mut codes, mut bytes) = (codes, Vec::new());
                packing.pack(&mut codes, &mut bytes);
                assert_eq!(codes, filled);
                for (index, code) in filled.into_iter().enumerate() {
                    assert_eq!(packing.get(&bytes, index), Some(code));
                }
            }
        }
    }

    #[test]
    fn layouts_are_as_specified() {
        let bytes = |packing: Packing, codes: &[u16]| {
            let (mut codes, mut bytes) =
                (codes.iter().copied().map(Code).collect::<Vec<_>>(), vec![]);
            packing.pack(&mut codes, &mut bytes);
            bytes
        };
        assert_eq!(bytes(Packing::Two, &[1, 2, 0, 2, 1]), [0b10_00_10_01, 0b01]);
        assert_eq!(bytes(Packing::Eight, &[1, 2, 0, 255]), [1, 2, 0, 255]);
        assert_eq!(bytes(Packing::Sixteen, &[1, 0x1234]), [1, 0, 0x34, 0x12]);
    }

    #[test]
    fn undefined_bits_are_no_value() {
        assert_eq!(Packing::Two.get(&[0b11], 0), None);
        assert_eq!(Packing::Two.get(&[0b11], 1), Some(Code::DRAW));
        assert_eq!(Packing::Sixteen.get(&[0xff, 0xff], 0), None);
        assert_eq!(Packing::Sixteen.get(&[0xff], 0), None);
    }

    #[test]
    fn the_narrowest_width_is_chosen() {
        assert_eq!(Packing::for_codes(Metric::Wdl, 2), Packing::Two);
        assert_eq!(Packing::for_codes(Metric::Dtw, 255), Packing::Eight);
        assert_eq!(Packing::for_codes(Metric::Dtw, 256), Packing::Sixteen);
        for bits in 0..=255 {
            let known = ALL.into_iter().map(|(p, _)| p).find(|p| p.bits() == bits);
            assert_eq!(Packing::from_bits(bits), known);
        }
    }
}
