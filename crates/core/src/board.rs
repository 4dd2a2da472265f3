//! Boards: size and links between points.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use thiserror::Error;

use crate::point::{Coordinates, Direction, Point};
use crate::point_set::PointSet;

/// The longest side of a board: 21x3 has 63 points.
const MAX_SIDE: u8 = 21;

/// A board of odd width and odd height, each at least 3, with at most 63 points.
///
/// It is cheap to copy: it refers to a table of links that is computed at compile time.
///
/// ```
/// use fanorona_core::Board;
/// let board: Board = "5x3".parse()?;
/// assert_eq!((board.width(), board.height(), board.num_points()), (5, 3, 15));
/// assert_eq!(board.max_stones(), 7);
/// # Ok::<(), fanorona_core::BoardError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Board(&'static Geometry);

/// The data that follow from a board's size.
struct Geometry {
    width: u8,
    height: u8,
    /// For each direction, the points that have a link that way.
    links: [u64; 8],
    /// For each direction, by how many bits a set is rotated to the left to move one step.
    rotation: [u32; 8],
}

impl Geometry {
    const fn new(width: u8, height: u8) -> Self {
        let (w, h) = (width as i32, height as i32);
        let mut links = [0; 8];
        let mut rotation = [0; 8];
        let mut d = 0;
        while d < 8 {
            let (df, dr) = Direction::ALL[d].delta();
            rotation[d] = (dr * w + df).rem_euclid(64) as u32;
            let mut i = 0;
            while i < w * h {
                let (file, rank) = (i % w, i / w);
                let (to_file, to_rank) = (file + df, rank + dr);
                let on_board = 0 <= to_file && to_file < w && 0 <= to_rank && to_rank < h;
                let strong = (file + rank) % 2 == 0;
                let diagonal = df != 0 && dr != 0;
                if on_board && (strong || !diagonal) {
                    links[d] |= 1 << i;
                }
                i += 1;
            }
            d += 1;
        }
        Self { width, height, links, rotation }
    }
}

const MAX_POINTS: u8 = 63;

/// The number of boards: for each odd width, the odd heights from 3 on.
const SIZES: usize = {
    let (mut count, mut width) = (0, 3);
    while width <= MAX_SIDE {
        count += (MAX_POINTS / width - 1) as usize / 2;
        width += 2;
    }
    count
};

/// Every board, by width, then height.
static GEOMETRIES: [Geometry; SIZES] = {
    let mut all = [const { Geometry::new(3, 3) }; SIZES];
    let (mut count, mut width) = (0, 3);
    while width <= MAX_SIDE {
        let mut height = 3;
        while height <= MAX_SIDE {
            if width as u32 * height as u32 <= MAX_POINTS as u32 {
                all[count] = Geometry::new(width, height);
                count += 1;
            }
            height += 2;
        }
        width += 2;
    }
    assert!(count == SIZES);
    all
};

/// The error of a size or a text that is not a board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum BoardError {
    #[error(
        "there is no board {width}x{height}: width and height are odd, at least 3, \
         and the board has at most 63 points, as in 9x5"
    )]
    Size { width: u64, height: u64 },
    #[error("'{0}' is not a board: write WIDTHxHEIGHT, as in 9x5")]
    Text(String),
}

impl Board {
    /// The board of `width` files and `height` ranks.
    ///
    /// # Errors
    /// If width or height is even or below 3, or the board would have more than 63 points.
    pub fn new(width: u8, height: u8) -> Result<Self, BoardError> {
        Self::of_size(width.into(), height.into())
    }

    /// The board of a size that need not fit in a byte.
    pub(crate) fn of_size(width: u64, height: u64) -> Result<Self, BoardError> {
        let is_it = |board: &Self| (board.width().into(), board.height().into()) == (width, height);
        Self::all().find(is_it).ok_or(BoardError::Size { width, height })
    }

    /// Telo, 3x3.
    pub const fn telo() -> Self {
        Self::known(3, 3)
    }

    /// Dimy, 5x5.
    pub const fn dimy() -> Self {
        Self::known(5, 5)
    }

    /// Tsivy, 9x5: the usual board.
    pub const fn tsivy() -> Self {
        Self::known(9, 5)
    }

    const fn known(width: u8, height: u8) -> Self {
        let mut i = 0;
        while GEOMETRIES[i].width != width || GEOMETRIES[i].height != height {
            i += 1;
        }
        Self(&GEOMETRIES[i])
    }

    /// The number of boards that [`Board::all`] lists.
    pub const COUNT: usize = SIZES;

    /// Every board, by width, then height.
    pub fn all() -> impl Iterator<Item = Self> {
        GEOMETRIES.iter().map(Self)
    }

    /// The index of this board in [`Board::all`], from 0 to [`COUNT`](Self::COUNT) − 1, for tables
    /// by board.
    pub fn index(self) -> usize {
        GEOMETRIES.iter().position(|g| std::ptr::eq(g, self.0)).expect("it is one of them")
    }

    /// The number of files.
    pub fn width(self) -> u8 {
        self.0.width
    }

    /// The number of ranks.
    pub fn height(self) -> u8 {
        self.0.height
    }

    /// The number of points, 9 to 63.
    pub fn num_points(self) -> u32 {
        u32::from(self.0.width) * u32::from(self.0.height)
    }

    /// The number of stones that each side starts with, 4 to 31. No side ever has more.
    pub fn max_stones(self) -> u32 {
        (self.num_points() - 1) / 2
    }

    /// All points.
    pub fn all_points(self) -> PointSet {
        PointSet::from_bits((1 << self.num_points()) - 1)
    }

    /// The point at the given file and rank. `None` if the board does not have it.
    pub fn point(self, at: Coordinates) -> Option<Point> {
        (at.file() < self.width() && at.rank() < self.height())
            .then(|| Point(at.rank() * self.width() + at.file()))
    }

    /// The point at a file and a rank, both counted from 0, if the board has it.
    pub fn point_at(self, file: u8, rank: u8) -> Option<Point> {
        self.point(Coordinates::new(file, rank)?)
    }

    /// The point with an index, if the board has it.
    pub fn point_with_index(self, index: u8) -> Option<Point> {
        (u32::from(index) < self.num_points()).then_some(Point(index))
    }

    /// The file and the rank of a point, whose text is the point's name. For a point of a larger
    /// board the rank is beyond this board.
    pub fn coordinates(self, point: Point) -> Coordinates {
        let (file, rank) = (point.0 % self.width(), point.0 / self.width());
        Coordinates::new(file, rank).expect("boards have at most 21 files and ranks")
    }

    /// Each link once, from its lower end, or its left end if it is along a rank.
    pub fn links(self) -> impl Iterator<Item = [Point; 2]> {
        // The other four directions lead back.
        let up = [Direction::East, Direction::NorthEast, Direction::North, Direction::NorthWest];
        up.into_iter().flat_map(move |direction| {
            let linked = self.linked(direction).iter();
            linked.filter_map(move |from| Some([from, self.neighbour(from, direction)?]))
        })
    }

    /// The points that have a link in this direction.
    #[inline]
    pub fn linked(self, direction: Direction) -> PointSet {
        PointSet::from_bits(self.0.links[direction as usize])
    }

    /// The set moved one step: each point with a link in this direction is replaced by the point at
    /// the other end of the link, and the other points are dropped.
    #[inline]
    pub fn shift(self, set: PointSet, direction: Direction) -> PointSet {
        let d = direction as usize;
        PointSet::from_bits((set.bits() & self.0.links[d]).rotate_left(self.0.rotation[d]))
    }

    /// The neighbour of a point in this direction; `None` if no link leads there.
    pub fn neighbour(self, point: Point, direction: Direction) -> Option<Point> {
        self.shift(point.into(), direction).first()
    }

    /// The unbroken line of `stones` that starts at the neighbour of `point` in this direction. It
    /// ends before the first point without one of the stones, or where the links end.
    #[inline]
    pub fn line(self, point: PointSet, direction: Direction, stones: PointSet) -> PointSet {
        let mut line = PointSet::EMPTY;
        let mut next = self.shift(point, direction) & stones;
        while !next.is_empty() {
            line |= next;
            next = self.shift(next, direction) & stones;
        }
        line
    }
}

impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        (self.width(), self.height()) == (other.width(), other.height())
    }
}

impl Eq for Board {}

impl Hash for Board {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.width(), self.height()).hash(state);
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}x{}", self.width(), self.height()))
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({self})")
    }
}

impl FromStr for Board {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let size = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            plain.then(|| digits.parse::<u64>().unwrap_or(u64::MAX))
        };
        let (width, height) = text
            .split_once('x')
            .and_then(|(w, h)| Some((size(w)?, size(h)?)))
            .ok_or_else(|| BoardError::Text(text.to_owned()))?;
        Self::of_size(width, height)
    }
}
