//! Grades: value and distance as one number per position.
//!
//! Grades are ordered by preference, so that the best of several turns has the largest grade. 0 is
//! no value. Then follow losses from the soonest to the latest, the draw, and wins from the latest
//! to the soonest.
//!
//! Grades of one byte are enough for most slices. Longer distances need two bytes, which can hold
//! every distance that a table can.

use std::any::Any;

use fanorona_tablebase::Code;

use super::matrix::Item;

/// A value with its distance.
pub(super) trait Grade: Item + Ord + 'static {
    /// No value yet: the default. For the best capture of a position: no capture.
    const NONE: Self;

    const DRAW: Self;

    const WIN_IN_1: Self;

    /// The longest distance that can be made longer by one turn and still has a grade.
    const MAX_DISTANCE: u16;

    /// The grade of a code; `None` if it does not fit. All distances up to
    /// [`MAX_DISTANCE`](Self::MAX_DISTANCE) fit.
    fn of_code(code: Code) -> Option<Self>;

    fn to_code(self) -> Code;

    /// The grade of a turn for the side that makes it, from the grade of the position after it. The
    /// latter must have a distance of at most [`MAX_DISTANCE`](Self::MAX_DISTANCE).
    fn before_turn(self) -> Self;

    /// Converts a grade of either width, which must fit.
    #[inline]
    fn of<G: Grade>(grade: G) -> Self {
        // The compiler knows which one it is.
        match (&grade as &dyn Any).downcast_ref() {
            Some(same) => *same,
            None if grade == G::NONE => Self::NONE,
            None => Self::of_code(grade.to_code()).expect("what is converted fits"),
        }
    }
}

impl Grade for u8 {
    const NONE: Self = 0;
    const DRAW: Self = 126;
    const WIN_IN_1: Self = 254;
    const MAX_DISTANCE: u16 = 248;

    #[inline]
    fn of_code(code: Code) -> Option<Self> {
        match code.0 {
            0 => Some(Self::DRAW),
            odd @ ..=249 if odd % 2 == 1 => Some((odd / 2 + 1) as Self),
            even @ ..=256 if even % 2 == 0 => Some((255 - even / 2) as Self),
            _ => None,
        }
    }

    #[inline]
    fn to_code(self) -> Code {
        let grade = u16::from(self);
        match self {
            Self::NONE => Code::NONE,
            Self::DRAW => Code::DRAW,
            1..Self::DRAW => Code(2 * grade - 1),
            _ => Code(2 * (255 - grade)),
        }
    }

    #[inline]
    fn before_turn(self) -> Self {
        match self {
            Self::DRAW => Self::DRAW,
            ..Self::DRAW => 255 - self,
            _ => (256 - u16::from(self)) as Self,
        }
    }
}

impl Grade for u16 {
    const NONE: Self = 0;
    const DRAW: Self = 1 << 15;
    const WIN_IN_1: Self = u16::MAX;
    const MAX_DISTANCE: u16 = Code::MAX_DISTANCE;

    #[inline]
    fn of_code(code: Code) -> Option<Self> {
        match code {
            Code::NONE => None,
            Code::DRAW => Some(Self::DRAW),
            Code(odd) if odd % 2 == 1 => Some(odd / 2 + 1),
            Code(even) => Some((even / 2).wrapping_neg()),
        }
    }

    #[inline]
    fn to_code(self) -> Code {
        match self {
            Self::NONE => Code::NONE,
            Self::DRAW => Code::DRAW,
            1..Self::DRAW => Code(2 * self - 1),
            _ => Code(2 * self.wrapping_neg()),
        }
    }

    #[inline]
    fn before_turn(self) -> Self {
        match self {
            Self::DRAW => Self::DRAW,
            ..Self::DRAW => self.wrapping_neg(),
            _ => self.wrapping_neg() + 1,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Width {
    Narrow,
    Wide,
}

impl Width {
    /// The width for the turns before positions with distances up to `longest`.
    pub(super) fn for_distance(longest: u16) -> Self {
        if longest <= <u8 as Grade>::MAX_DISTANCE { Self::Narrow } else { Self::Wide }
    }
}

/// The longest distance of some grades; 0 if none has a distance.
pub(super) fn longest<G: Grade>(grades: impl IntoIterator<Item = G>) -> u16 {
    let (mut latest_loss, mut latest_win) = (None, None);
    for grade in grades {
        if grade < G::DRAW && grade != G::NONE {
            latest_loss = latest_loss.max(Some(grade));
        } else if grade > G::DRAW && latest_win.is_none_or(|win| grade < win) {
            latest_win = Some(grade);
        }
    }
    let distance = |grade: G| grade.to_code().distance().expect("it is decided");
    latest_loss.map_or(0, distance).max(latest_win.map_or(0, distance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fanorona_tablebase::Metric;

    fn assert_consistent<G: Grade + std::fmt::Debug>(codes: u16) {
        let mut known = vec![(G::NONE, Code::NONE)];
        for code in (0..codes).map(Code) {
            let grade = G::of_code(code).expect("it fits");
            assert_eq!(grade.to_code(), code);
            for (other, other_code) in known.iter().skip(1).rev().take(5) {
                let order = code.preference().cmp(&other_code.preference());
                assert_eq!(grade.cmp(other), order, "{code:?} {other_code:?}");
            }
            assert!(grade > G::NONE && (grade <= G::WIN_IN_1));
            known.push((grade, code));
            if code.distance().is_none_or(|distance| distance <= G::MAX_DISTANCE) {
                assert_eq!(grade.before_turn().to_code(), code.before_turn(Metric::Dtw));
            }
        }
        assert_eq!(G::of_code(Code(codes)), None);
        assert_eq!(G::WIN_IN_1.to_code(), Code::WIN);
        assert_eq!(G::DRAW.to_code(), Code::DRAW);
        assert_eq!(G::NONE.to_code(), Code::NONE);
    }

    #[test]
    fn grades_are_ordered_by_preference() {
        assert_consistent::<u8>(251);
        assert_consistent::<u16>(u16::MAX);
        assert_eq!(
            (u16::of_code(Code(65_533)), u16::of_code(Code(65_534))),
            (Some(32_767), Some(32_769))
        );
        assert_eq!(32_767_u16.before_turn(), 32_769);
        // Some longer wins fit in one byte too.
        assert_eq!(u8::of_code(Code(256)).map(u8::to_code), Some(Code(256)));
        assert_eq!(u8::of_code(Code(251)), None);
        assert_eq!(u8::of_code(Code(258)), None);
    }

    #[test]
    fn conversion_keeps_values() {
        for code in (0..251).map(Code).chain([Code::NONE]) {
            let narrow = u8::of_code(code).unwrap_or(<u8 as Grade>::NONE);
            let wide = u16::of_code(code).unwrap_or(<u16 as Grade>::NONE);
            assert_eq!((narrow.to_code(), wide.to_code()), (code, code));
            assert_eq!((<u16 as Grade>::of(narrow), <u8 as Grade>::of(wide)), (wide, narrow));
            assert_eq!((<u8 as Grade>::of(narrow), <u16 as Grade>::of(wide)), (narrow, wide));
        }
    }
}
