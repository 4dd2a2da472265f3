//! Sets of points.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Sub, SubAssign};

use crate::point::Point;

/// A set of points of one board, as 64 bits: bit `i` stands for the [`Point`] with index `i`.
///
/// The operators are those of sets: `|` union, `&` intersection, `-` difference and `^` symmetric
/// difference. Sets are ordered by their bits, so the set with the highest point that the other
/// lacks is the greater one.
///
/// ```
/// use fanorona_core::{Board, PointSet};
/// let board = Board::tsivy();
/// let point = |name: &str| Some(board.point(name.parse().ok()?)?);
/// let (d3, e3) = (point("d3").unwrap(), point("e3").unwrap());
/// let set = PointSet::from(d3) | e3;
/// assert_eq!(set.len(), 2);
/// assert!(set.contains(e3));
/// assert_eq!(set - e3, PointSet::from(d3));
/// assert_eq!(set.iter().collect::<PointSet>(), set);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct PointSet(u64);

impl PointSet {
    /// The set without points.
    pub const EMPTY: Self = Self(0);

    /// The set with these bits. Bits beyond the points of a board belong to no position.
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The set as bits: bit `i` is the point with index `i`.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The number of points.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is no point in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set has this point.
    #[inline]
    pub const fn contains(self, point: Point) -> bool {
        self.0 >> point.0 & 1 != 0
    }

    /// Whether the two sets have a point in common.
    #[inline]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the other set has every point of this one.
    #[inline]
    pub const fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The point with the lowest index, if there is one.
    #[inline]
    pub const fn first(self) -> Option<Point> {
        if self.0 == 0 { None } else { Some(Point(self.0.trailing_zeros() as u8)) }
    }

    /// The points, lowest index first.
    #[inline]
    pub const fn iter(self) -> Points {
        Points(self)
    }
}

/// The points of a [`PointSet`], lowest index first.
#[derive(Clone, Debug)]
pub struct Points(PointSet);

impl Iterator for Points {
    type Item = Point;

    #[inline]
    fn next(&mut self) -> Option<Point> {
        let point = self.0.first()?;
        self.0.0 &= self.0.0 - 1;
        Some(point)
    }
}

impl IntoIterator for PointSet {
    type Item = Point;
    type IntoIter = Points;

    #[inline]
    fn into_iter(self) -> Points {
        self.iter()
    }
}

impl From<Point> for PointSet {
    #[inline]
    fn from(point: Point) -> Self {
        Self(1 << point.0)
    }
}

impl FromIterator<Point> for PointSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Self {
        points.into_iter().fold(Self::EMPTY, |set, point| set | point)
    }
}

impl Extend<Point> for PointSet {
    fn extend<I: IntoIterator<Item = Point>>(&mut self, points: I) {
        points.into_iter().for_each(|point| *self |= point);
    }
}

/// Implements an operator between two sets, and between a set and a point.
macro_rules! operator {
    ($trait:ident $method:ident, $assign_trait:ident $assign:ident, $of:expr) => {
        impl<T: Into<Self>> $trait<T> for PointSet {
            type Output = Self;

            #[inline]
            fn $method(self, other: T) -> Self {
                let of: fn(u64, u64) -> u64 = $of;
                Self(of(self.0, other.into().0))
            }
        }

        impl<T: Into<Self>> $assign_trait<T> for PointSet {
            #[inline]
            fn $assign(&mut self, other: T) {
                *self = self.$method(other);
            }
        }
    };
}

operator!(BitOr bitor, BitOrAssign bitor_assign, |a, b| a | b);
operator!(BitAnd bitand, BitAndAssign bitand_assign, |a, b| a & b);
operator!(BitXor bitxor, BitXorAssign bitxor_assign, |a, b| a ^ b);
operator!(Sub sub, SubAssign sub_assign, |a, b| a & !b);

impl fmt::Debug for PointSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PointSet({:#x})", self.0)
    }
}
