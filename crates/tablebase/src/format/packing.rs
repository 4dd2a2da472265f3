//! How values are packed into the bytes of a block.

use crate::value::{Code, Metric};

/// The width of a value in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Packing {
    /// Two bits, four values a byte, the first in the lowest bits: 0 draw, 1 loss, 2 win.
    Two,
    /// A byte: the code.
    Eight,
    /// Two bytes, little endian: the code.
    Sixteen,
}

impl Packing {
    /// The narrowest that holds codes up to `largest` under a metric.
    pub fn for_codes(metric: Metric, largest: u16) -> Self {
        match (metric, largest) {
            (Metric::Wdl, _) => Self::Two,
            (Metric::Dtw, ..=0xff) => Self::Eight,
            (Metric::Dtw, _) => Self::Sixteen,
        }
    }

    pub fn from_bits(bits: u8) -> Option<Self> {
        match bits {
            2 => Some(Self::Two),
            8 => Some(Self::Eight),
            16 => Some(Self::Sixteen),
            _ => None,
        }
    }

    pub fn bits(self) -> u8 {
        match self {
            Self::Two => 2,
            Self::Eight => 8,
            Self::Sixteen => 16,
        }
    }

    /// The bytes that so many values take.
    pub fn bytes(self, values: usize) -> usize {
        (values * usize::from(self.bits())).div_ceil(8)
    }

    /// Packs the values of a block. Those that are [`Code::NONE`] become what the value before
    /// them is, and those at the beginning what the first value is: nobody asks for them, and so
    /// they pack best.
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

    /// The value at a place of a block; `None` if the block is too short or the bits mean nothing.
    #[inline]
    pub fn get(self, bytes: &[u8], place: usize) -> Option<Code> {
        match self {
            Self::Two => {
                let bits = bytes.get(place / 4)? >> (2 * (place % 4)) & 3;
                (bits < 3).then_some(Code(bits.into()))
            }
            Self::Eight => Some(Code((*bytes.get(place)?).into())),
            Self::Sixteen => {
                let pair = bytes.get(2 * place..2 * place + 2)?;
                Some(Code(u16::from_le_bytes([pair[0], pair[1]])))
            }
        }
    }
}
