//! Sizes that decide in which parts a build works, what it keeps in memory, and where it ends.

use fanorona_tablebase::Code;

/// Defines [`Sizes`], given the usual one and the small one of each.
macro_rules! sizes {
    ($($(#[$doc:meta])+ $name:ident: $type:ty = $usual:expr, $small:expr;)+) => {
        /// The sizes of a build.
        #[derive(PartialEq, Eq, Debug)]
        pub(crate) struct Sizes {
            $($(#[$doc])+ pub $name: $type,)+
        }

        impl Sizes {
            pub(crate) const USUAL: Self = Self { $($name: $usual),+ };
            /// Sizes for tests, with which small tables have all cases.
            pub(crate) const SMALL: Self = Self { $($name: $small),+ };
        }
    };
}

sizes! {
    /// The longest distance that is built, in turns.
    max_distance: u16 = Code::MAX_DISTANCE, 400;
    /// The number of values that a thread reads from a table at a time.
    loaded: u64 = 1 << 18, 1 << 6;
    /// The bytes of a page. Extents begin at pages.
    page: u64 = 1 << 9, 1 << 4;
    /// The bytes that are [kept only for the last checkpoint](Self::most_held) in a small file.
    held: u64 = 64 << 20, 1 << 10;
    /// The bytes of a frame of a list of items, before compression.
    item_frame: usize = 1 << 20, 1 << 8;
    /// The positions that the dense builder works on or saves together: some tenths of a second of work.
    dense_part: usize = 1 << 23, 1 << 8;
    /// By the dense builder, uses that are looked up one by one in any row.
    few_uses: usize = 24, 2;
    /// The most words of a panel. Those of a panel mostly have nothing left to decide in a round.
    max_width: usize = 64, 2;
    /// The fewest words of a panel, if rows are that long. Each process repeats work for its panels.
    min_width: usize = 16, 1;
    /// The most row groups of a band.
    band_row_groups: usize = 8, 2;
    /// The most panels of a stripe.
    stripe_panels: usize = usize::MAX, 2;
    /// The bytes of a matrix's rows that are decided, read or sent together, if rows are short.
    rows: usize = 4 << 20, 1 << 8;
    /// The bytes of rows that are put into the form of solved slices together, if segments are short.
    kept: u64 = 64 << 20, 1 << 8;
    /// The most columns whose ranks are kept only to write tables.
    ranked: u64 = 1 << 26, 1 << 8;
    /// The most bytes of memory, and of the index of a checkpoint, for a frame of a matrix in a file.
    frame_in_memory: u64 = 192, 1;
    /// The bytes of a unit's log of rounds beside those planned for it, because small frames take more.
    log_at_least: u64 = 4 << 20, 0;
    /// The bytes of a chunk of a log, if it has more than one frame.
    log_chunk: usize = 16 << 20, 1 << 8;
}

impl Sizes {
    /// Those of a build, by its options.
    pub(crate) fn of(in_small_parts: bool) -> &'static Self {
        if in_small_parts { &Self::SMALL } else { &Self::USUAL }
    }

    /// The most bytes that are kept only for the last checkpoint, of a file with this many. With more, the
    /// next one is due. So it takes little space in addition, however fast everything changes.
    pub(crate) fn most_held(&self, bytes: u64) -> u64 {
        bytes.min((bytes / 16).max(self.held))
    }
}
