//! The tables that a certificate names.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use crate::board::Board;
use crate::certificate::Certificate;
use crate::error::CheckError;
use crate::ranking::{Binomials, Orbits};
use crate::table::{Contents, Table};

/// The numbers of own and opponent's stones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Slice {
    /// First, so that slices are ordered by their number of stones.
    stones: u32,
    pub(crate) own: u32,
}

impl Slice {
    pub(crate) fn new(own: u32, opponent: u32) -> Self {
        Self { stones: own + opponent, own }
    }

    pub(crate) fn opponent(self) -> u32 {
        self.stones - self.own
    }

    pub(crate) fn name(self) -> String {
        format!("{}v{}", self.own, self.opponent())
    }
}

/// All tables that a certificate names, open.
#[derive(Debug)]
pub(crate) struct Tables {
    board: Board,
    binomials: Binomials,
    /// The rows of tables, by the number of own stones.
    orbits: BTreeMap<u32, Orbits>,
    tables: BTreeMap<Slice, Table>,
}

impl Tables {
    /// Opens the named tables, each in the first of the directories that has it.
    pub(crate) fn open(
        path: &Path,
        certificate: &Certificate,
        directories: &[PathBuf],
    ) -> Result<Self, CheckError> {
        let Certificate { board, rules, tables: named, .. } = certificate;
        let mut tables = Self {
            board: board.clone(),
            binomials: Binomials::new(),
            orbits: BTreeMap::new(),
            tables: BTreeMap::new(),
        };
        for table in named {
            let (own, opponent) = (table.own, table.opponent);
            let rules_name = rules.table_name(board, own, opponent);
            let metric = if table.with_distances { "dtw" } else { "wdl" };
            let name = format!("{}_{rules_name}_{own}v{opponent}.{metric}.fano", board.name());
            let file = directories.iter().map(|dir| dir.join(&name)).find(|file| file.exists());
            let Some(file) = file else {
                let (path, tables) = (path.to_owned(), named.len());
                return Err(CheckError::NoTable { path, tables, name });
            };
            let rows = tables.orbits(own, &file)?.count();
            let columns = tables.binomials.get(board.points() - own, opponent);
            let sets = tables.binomials.get(board.points(), own);
            let placements = u128::from(sets) * u128::from(columns);
            let too_large =
                || CheckError::TooLarge { path: file.clone(), what: "values", limit: u64::MAX };
            let contents = Contents {
                board: board.name(),
                rules: rules_name,
                with_distances: table.with_distances,
                own,
                opponent,
                values: rows.checked_mul(columns).ok_or_else(too_large)?,
                placements,
                capturing_is_optional: rules.capturing_is_optional(),
            };
            let open = Table::open(&file, table.checksum, &contents)?;
            tables.tables.insert(Slice::new(own, opponent), open);
        }
        Ok(tables)
    }

    pub(crate) fn slices(&self) -> impl Iterator<Item = Slice> {
        self.tables.keys().copied()
    }

    pub(crate) fn has(&self, slice: Slice) -> bool {
        self.tables.contains_key(&slice)
    }

    pub(crate) fn get(&self, slice: Slice) -> Option<&Table> {
        self.tables.get(&slice)
    }

    pub(crate) fn get_mut(&mut self, slice: Slice) -> Option<&mut Table> {
        self.tables.get_mut(&slice)
    }

    /// The index in its table of a position that is the lowest of its images.
    pub(crate) fn index(&self, (own, opponent): (u64, u64)) -> u64 {
        let (size, others) = (own.count_ones(), opponent.count_ones());
        let columns = self.binomials.get(self.board.points() - size, others);
        // The own stones are the lowest of their orbit, so that the identity maps them there.
        let row = self.orbits.get(&size).map_or(0, |orbits| orbits.row(self.binomials.rank(own)));
        row * columns + self.binomials.rank_among_free(opponent, own)
    }

    fn orbits(&mut self, size: u32, file: &Path) -> Result<&Orbits, CheckError> {
        Ok(match self.orbits.entry(size) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let orbits = Orbits::new(&self.board, &self.binomials, size);
                entry.insert(orbits.ok_or_else(|| CheckError::TooLarge {
                    path: file.to_owned(),
                    what: "sets of the stones of one side",
                    limit: Orbits::MAX_SETS,
                })?)
            }
        })
    }
}
