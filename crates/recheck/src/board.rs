//! Boards: points, links and symmetries. A set of points is a number with a bit for each point.

/// The directions of links as (files, ranks), counter-clockwise from the direction of the next
/// file. The opposite of direction `d` is `(d + 4) % 8`.
pub(crate) const DIRECTIONS: [(i8, i8); 8] =
    [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// A board of up to 63 points.
#[derive(Clone, Debug)]
pub struct Board {
    width: u8,
    height: u8,
    /// The neighbour of each point in each direction, if there is a link.
    neighbours: Vec<[Option<u8>; 8]>,
    /// For each symmetry, the image of each set that fits into one byte of the set: 256 sets for
    /// the first eight points, then 256 for the next eight, and so on.
    images: Vec<Vec<u64>>,
}

impl Board {
    /// The board of that size. `None` if a side is even or less than 3, or if there are more than
    /// 63 points.
    #[must_use]
    pub fn new(width: u8, height: u8) -> Option<Self> {
        let side = |length: u8| length >= 3 && length % 2 == 1;
        if !side(width) || !side(height) || u32::from(width) * u32::from(height) > 63 {
            return None;
        }
        let mut board = Self { width, height, neighbours: Vec::new(), images: Vec::new() };
        board.neighbours = (0..height)
            .flat_map(|rank| (0..width).map(move |file| (file, rank)))
            .map(|(file, rank)| DIRECTIONS.map(|step| board.linked(file, rank, step)))
            .collect();
        let symmetries = if width == height { 8 } else { 4 };
        board.images = (0..symmetries).map(|number| board.image_table(number)).collect();
        Some(board)
    }

    /// The board with a name such as `9x5`, written without needless zeros or signs.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let (width, height) = name.split_once('x')?;
        let board = Self::new(width.parse().ok()?, height.parse().ok()?)?;
        (board.name() == name).then_some(board)
    }

    /// Its name, such as `9x5`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}x{}", self.width, self.height)
    }

    pub(crate) fn width(&self) -> u8 {
        self.width
    }

    pub(crate) fn height(&self) -> u8 {
        self.height
    }

    /// The number of points.
    pub(crate) fn points(&self) -> u32 {
        u32::from(self.width) * u32::from(self.height)
    }

    /// The stones of one side at the start.
    pub(crate) fn half(&self) -> u32 {
        (self.points() - 1) / 2
    }

    /// The neighbour of a point in a direction, if there is a link.
    pub(crate) fn neighbour(&self, point: u8, direction: usize) -> Option<u8> {
        self.neighbours[usize::from(point)][direction]
    }

    /// The number of symmetries. Symmetry 0 is the identity.
    pub(crate) fn symmetries(&self) -> usize {
        self.images.len()
    }

    /// The image of a set under a symmetry.
    pub(crate) fn image(&self, symmetry: usize, set: u64) -> u64 {
        let table = &self.images[symmetry];
        let bytes = set.to_le_bytes();
        let mut image = 0;
        for (eight, of_byte) in table.chunks_exact(256).enumerate() {
            image |= of_byte[usize::from(bytes[eight])];
        }
        image
    }

    /// Of all images of two sets, the one with the lowest first and then the lowest second set.
    pub(crate) fn canonical(&self, own: u64, opponent: u64) -> (u64, u64) {
        let mut lowest = (own, opponent);
        for symmetry in 1..self.symmetries() {
            let image = self.image(symmetry, own);
            if image <= lowest.0 {
                lowest = lowest.min((image, self.image(symmetry, opponent)));
            }
        }
        lowest
    }

    /// Whether no image of a set is lower.
    pub(crate) fn is_lowest(&self, set: u64) -> bool {
        (1..self.symmetries()).all(|symmetry| set <= self.image(symmetry, set))
    }

    fn linked(&self, file: u8, rank: u8, (files, ranks): (i8, i8)) -> Option<u8> {
        let strong = (file + rank).is_multiple_of(2);
        if files != 0 && ranks != 0 && !strong {
            return None;
        }
        let file = file.checked_add_signed(files).filter(|file| *file < self.width)?;
        let rank = rank.checked_add_signed(ranks).filter(|rank| *rank < self.height)?;
        Some(rank * self.width + file)
    }

    /// The images of the sets of eight neighbouring points under the symmetry with this number in
    /// the table format.
    fn image_table(&self, symmetry: usize) -> Vec<u64> {
        let (w, h) = (self.width - 1, self.height - 1);
        let image_of = |point: u8| {
            let (file, rank) = (point % self.width, point / self.width);
            let (file, rank) = match symmetry {
                0 => (file, rank),
                1 => (w - file, rank),
                2 => (file, h - rank),
                3 => (w - file, h - rank),
                4 => (rank, file),
                5 => (rank, w - file),
                6 => (h - rank, file),
                _ => (h - rank, w - file),
            };
            1_u64 << (rank * self.width + file)
        };
        let points = self.width * self.height;
        let mut table = Vec::new();
        for first in (0..points).step_by(8) {
            for byte in 0..256_u32 {
                let set = (first..points.min(first + 8)).filter(|p| byte >> (p - first) & 1 == 1);
                table.push(set.map(image_of).fold(0, |image, bit| image | bit));
            }
        }
        table
    }
}

/// The points of a set, the lowest first.
pub(crate) fn points_of(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let point = (set != 0).then(|| set.trailing_zeros() as u8)?;
        set &= set - 1;
        Some(point)
    })
}
