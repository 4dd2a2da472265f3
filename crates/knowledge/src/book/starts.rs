//! The certificates of start positions, and of the positions after their first turns, that are a part of
//! the program.

use std::iter;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use fanorona_core::{Board, RuleSet};
use fanorona_proof::{Certificate, CertificateError};
use fanorona_tablebase::Access;

use super::error::BookError;
use super::installation;
use super::lookup::Book;

/// The certificates with the names of their files.
const CERTIFICATES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/starts.rs"));

/// The most books of starts that stay open while nobody uses them.
const MAX_OPEN: usize = 4;

/// The last used one last.
static OPEN: Mutex<Vec<Arc<Book>>> = Mutex::new(Vec::new());

impl Book {
    /// The certificate of the start of a game, and those of its first turns ([`StartFile`]), which answer
    /// positions near these turns. `None` if there is none of the start. The books that were used last
    /// stay open, so that who asks again has not to wait until a proof is followed.
    ///
    /// # Errors
    /// If a file is damaged or cannot be read.
    pub fn of_start(board: Board, rules: &RuleSet) -> Result<Option<Arc<Self>>, BookError> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let known = open.iter().position(|book| (book.board, book.rules) == (board, *rules));
        let book = match known.map(|at| open.remove(at)) {
            Some(book) => book,
            None => match of_certificates(StartFile::of(board, rules).iter().map(StartFile::open))?
            {
                Some(book) => Arc::new(book),
                None => return Ok(None),
            },
        };
        if open.len() == MAX_OPEN {
            open.remove(0);
        }
        open.push(book.clone());
        Ok(Some(book))
    }

    /// The same from files with these [names](StartFile), each in the first of these directories that has
    /// it.
    ///
    /// # Errors
    /// If a file is damaged or cannot be read.
    pub fn of_start_in(
        dirs: &[impl AsRef<Path>],
        access: Access,
        board: Board,
        rules: &RuleSet,
    ) -> Result<Option<Self>, BookError> {
        let files = files(board, rules, |name| find_in(dirs, access, &name));
        of_certificates(files.iter().map(|file| Certificate::open_with(file, access)))
    }
}

/// The book of an opening. `None` without certificates.
fn of_certificates(
    opened: impl Iterator<Item = Result<Certificate, CertificateError>>,
) -> Result<Option<Book>, BookError> {
    // All are opened, even if one cannot be: what is fetched is then fetched together.
    let opened: Vec<_> = opened.collect();
    let certificates: Vec<_> = opened.into_iter().collect::<Result<_, _>>()?;
    if certificates.is_empty() { Ok(None) } else { Book::of_opening(certificates).map(Some) }
}

/// The file of the certificate of a start, `BOARD-RULES.proof`, or of the position after a first turn,
/// `BOARD-RULES-TURN.proof`. With the feature `starts`, those that are known are a part of the program.
/// Others may be in `proofs` beside the program, or in `fanorona/proofs` of a data directory: of the
/// `share` of the installation and of the XDG specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StartFile {
    /// A part of the program: the name and the bytes.
    Embedded(&'static str, &'static [u8]),
    /// A file on this machine.
    Installed(PathBuf),
}

impl StartFile {
    /// The files of a game, that of the start first. Empty if there are none.
    pub fn of(board: Board, rules: &RuleSet) -> Vec<Self> {
        let dirs = if cfg!(feature = "starts") { installation::dirs() } else { Vec::new() };
        files(board, rules, |name| match CERTIFICATES.iter().find(|(known, _)| *known == name) {
            Some((name, bytes)) => Some(Self::Embedded(name, bytes)),
            None => find_in(&dirs, Access::READ, &name).map(Self::Installed),
        })
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

/// The files of a game that are found by their names, that of the start first. Empty without it.
fn files<F>(board: Board, rules: &RuleSet, find: impl Fn(String) -> Option<F>) -> Vec<F> {
    let Some(start) = find(format!("{board}-{rules}.proof")) else { return Vec::new() };
    let turns = rules.turns(&board.start()).into_iter();
    let of_turns = turns.map(|turn| format!("{board}-{rules}-{}.proof", turn.text(board)));
    iter::once(start).chain(of_turns.filter_map(find)).collect()
}

#[cfg(all(test, feature = "starts"))]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Each file of the repository is there, and is about the position that its name says.
    #[test]
    fn the_certificates_of_the_starts_are_those_of_the_repository() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs");
        let files = [dir.clone(), dir.join("openings")].into_iter().flat_map(|dir| {
            let files = fs::read_dir(dir).expect("the proofs are there");
            files.map(|file| file.expect("it is listed").file_name().to_string_lossy().into_owned())
        });
        let expected: BTreeSet<_> =
            files.filter(|name| name.ends_with(".proof") && !name.contains("-then-")).collect();
        let found: BTreeSet<_> = CERTIFICATES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(found, expected);
        let mut opened = BTreeSet::new();
        for (name, bytes) in CERTIFICATES {
            let certificate = Certificate::embedded(name, bytes).expect("it can be opened");
            let (board, rules) = (certificate.board(), certificate.rules());
            let book = Book::of_start(board, &rules).expect("it opens").expect("it is there");
            let again = Book::of_start(board, &rules).expect("it is open").expect("it is there");
            assert!(Arc::ptr_eq(&book, &again), "{name}");
            assert!(OPEN.lock().expect("no panic").len() <= MAX_OPEN);
            assert_eq!(book.certificates()[0].position(), board.start(), "{name}");
            for certificate in book.certificates() {
                let turn = certificate.path().to_str().and_then(|path| {
                    let turn = path.strip_prefix(&format!("{board}-{rules}-"));
                    turn.and_then(|turn| turn.strip_suffix(".proof"))
                });
                let start = board.start();
                let position = turn.map_or(start, |turn| {
                    start.play_unchecked(&rules.parse_turn(&start, turn).expect("it is legal"))
                });
                assert_eq!(certificate.position(), position, "{name}");
                opened.insert(certificate.path().to_string_lossy().into_owned());
            }
        }
        assert_eq!(opened, expected);
        let other = "9x5-free-capture".split_once('-').expect("two parts");
        let (board, rules) = (other.0.parse().expect("a board"), other.1.parse().expect("rules"));
        assert!(Book::of_start(board, &rules).expect("no file is read").is_none());
    }
}
