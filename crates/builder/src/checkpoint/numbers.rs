//! The index of a checkpoint's file: numbers that say where everything is.

use std::io::{self, ErrorKind};

/// The numbers of an index that are still to be read.
pub(crate) struct Numbers<'n>(&'n [u64]);

impl<'n> Numbers<'n> {
    pub(crate) fn new(all: &'n [u64]) -> Self {
        Self(all)
    }

    pub(crate) fn next(&mut self) -> io::Result<u64> {
        let (first, rest) =
            self.0.split_first().ok_or_else(|| damaged("its index is too short"))?;
        self.0 = rest;
        Ok(*first)
    }

    /// Reads a list after its length.
    pub(crate) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> io::Result<T>,
    ) -> io::Result<Vec<T>> {
        let len = self.next()?;
        // Items have at least one number each.
        if len > self.0.len() as u64 {
            return Err(damaged("its index is too short"));
        }
        (0..len).map(|_| item(self)).collect()
    }

    /// Checks that there are no more.
    pub(crate) fn end(self) -> io::Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(damaged("its index is too long")) }
    }
}

pub(crate) fn damaged(why: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why.into())
}
