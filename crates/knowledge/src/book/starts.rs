//! The certificates of start positions that are a part of the program.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use fanorona_core::{Board, RuleSet};
use fanorona_proof::{Certificate, CertificateError};
use fanorona_tablebase::Access;

use super::error::BookError;
use super::installation;
use super::lookup::Book;

/// The certificates with the names of their files, `BOARD-RULES.proof`.
const CERTIFICATES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/starts.rs"));

/// The most books of starts that stay open while nobody uses them.
const MAX_OPEN: usize = 4;

/// The last used one last.
static OPEN: Mutex<Vec<Arc<Book>>> = Mutex::new(Vec::new());

impl Book {
    /// The certificate of the start of a game: the one that the feature `starts` makes a part of the
    /// program, opened under the name of its file; or else, with this feature, the one in `proofs`
    /// beside the program, or in `fanorona/proofs` of a data directory: of the `share` of the
    /// installation and of the XDG specification. `None` if there is none of this game. The books that
    /// were used last stay open, so that who asks again has not to wait until a proof is followed.
    ///
    /// # Errors
    /// If a file is damaged or cannot be read.
    pub fn of_start(board: Board, rules: &RuleSet) -> Result<Option<Arc<Self>>, BookError> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let known = open.iter().position(|book| (book.board, book.rules) == (board, *rules));
        let book = match known.map(|at| open.remove(at)) {
            Some(book) => book,
            None => match StartFile::of(board, rules) {
                Some(file) => Arc::new(Self::new(vec![file.open()?])?),
                None => return Ok(None),
            },
        };
        if open.len() == MAX_OPEN {
            open.remove(0);
        }
        open.push(book.clone());
        Ok(Some(book))
    }

    /// The certificate of the start of a game in the first of these directories that has a file with
    /// its name, `BOARD-RULES.proof`. `None` if there is none.
    ///
    /// # Errors
    /// If the file is damaged or cannot be read.
    pub fn of_start_in(
        dirs: &[impl AsRef<Path>],
        access: Access,
        board: Board,
        rules: &RuleSet,
    ) -> Result<Option<Self>, BookError> {
        let file = find_in(dirs, access, &file_name(board, rules));
        file.map(|file| Self::new(vec![Certificate::open_with(file, access)?])).transpose()
    }
}

/// The file of the certificate of a start, `BOARD-RULES.proof`; see [`Book::of_start`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StartFile {
    /// A part of the program: the name and the bytes.
    Embedded(&'static str, &'static [u8]),
    /// A file on this machine.
    Installed(PathBuf),
}

impl StartFile {
    /// The file of a game. `None` if there is none.
    pub fn of(board: Board, rules: &RuleSet) -> Option<Self> {
        let name = file_name(board, rules);
        if let Some((name, bytes)) = CERTIFICATES.iter().find(|(known, _)| *known == name) {
            return Some(Self::Embedded(name, bytes));
        }
        let dirs = if cfg!(feature = "starts") { installation::dirs() } else { Vec::new() };
        find_in(&dirs, Access::READ, &name).map(Self::Installed)
    }

    /// Opens the certificate.
    ///
    /// # Errors
    /// If the file is damaged or cannot be read.
    pub fn open(&self) -> Result<Certificate, CertificateError> {
        match self {
            Self::Embedded(name, bytes) => Certificate::embedded(name, bytes),
            Self::Installed(path) => Certificate::open(path),
        }
    }
}

/// The file with a name in the first of these directories that has it.
fn find_in(dirs: &[impl AsRef<Path>], access: Access, name: &str) -> Option<PathBuf> {
    dirs.iter().map(|dir| dir.as_ref().join(name)).find(|file| access.exists(file))
}

/// The name of the file of the start of a game.
fn file_name(board: Board, rules: &RuleSet) -> String {
    format!("{board}-{rules}.proof")
}

#[cfg(all(test, feature = "starts"))]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Each file of the repository is there, and is about the start of the game that it names.
    #[test]
    fn the_certificates_of_the_starts_are_those_of_the_repository() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs");
        let files = fs::read_dir(dir)
            .expect("the proofs are there")
            .map(|file| file.expect("it can be listed").file_name().to_string_lossy().into_owned());
        let expected: BTreeSet<_> = files.filter(|name| name.ends_with(".proof")).collect();
        let found: BTreeSet<_> = CERTIFICATES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(found, expected);
        for (name, bytes) in CERTIFICATES {
            let certificate = Certificate::embedded(name, bytes).expect("it can be opened");
            let (board, rules) = (certificate.board(), certificate.rules());
            assert_eq!(certificate.position(), board.start(), "{name}");
            let book = Book::of_start(board, &rules).expect("it opens").expect("it is there");
            assert_eq!(book.certificates()[0].path(), Path::new(name));
            let again = Book::of_start(board, &rules).expect("it is open").expect("it is there");
            assert!(Arc::ptr_eq(&book, &again), "{name}");
            assert!(OPEN.lock().expect("no panic").len() <= MAX_OPEN);
        }
        let other = "9x5-free-capture".split_once('-').expect("two parts");
        let (board, rules) = (other.0.parse().expect("a board"), other.1.parse().expect("rules"));
        assert!(Book::of_start(board, &rules).expect("no file is read").is_none());
    }
}
