//! Serialization with the feature `serde`: values as their texts, sets of points as their bits.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

macro_rules! as_text {
    ($($type:ty),*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    )*};
}

as_text!(
    crate::Board,
    crate::Coordinates,
    crate::Position,
    crate::RuleSet,
    crate::Setup,
    crate::Side,
    crate::StepKind,
    crate::Value
);

impl Serialize for crate::Outcome {
    /// The winner, or `draw`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Won(side) => side.serialize(serializer),
            Self::Drawn => crate::Value::Draw.serialize(serializer),
        }
    }
}

impl Serialize for crate::PointSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.bits().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for crate::PointSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u64::deserialize(deserializer).map(Self::from_bits)
    }
}
