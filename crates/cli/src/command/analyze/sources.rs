//! The certificates and tables that an answer rests on, opened and told.

use std::sync::Arc;

use fanorona_core::{Board, RuleSet};
use fanorona_engine::inquiry::{Answer, End};
use fanorona_knowledge::{Book, CertificateFact, Knowledge, Source};
use fanorona_tablebase::Tables;

use crate::human::{duration, rounded};
use crate::options::Certificates;

/// The sources of a game.
pub(super) struct Sources {
    pub knowledge: Knowledge,
    /// Whether the certificates are a part of the program.
    has_own_book: bool,
}

impl Sources {
    /// Opens the certificates, if there are any.
    pub(super) fn open(
        certificates: Certificates<'_>,
        (board, rules): (Board, RuleSet),
        tables: Option<Arc<Tables>>,
    ) -> anyhow::Result<Self> {
        let book = match certificates {
            Certificates::Files(files) => Some(Arc::new(Book::open(files)?)),
            _ => None,
        };
        let knowledge = Knowledge::new(board, rules, tables, book);
        let mut knowledge = knowledge.map_err(|error| match certificates {
            Certificates::Files([first, ..]) => anyhow::Error::from(error)
                .context(format!("cannot use the book {}", first.display())),
            _ => error.into(),
        })?;
        let is_of_start = matches!(certificates, Certificates::OfStart);
        if is_of_start {
            knowledge = knowledge.with_start()?;
        }
        // A part of the program has a name only, and what was found has the path of its directory.
        let is_embedded =
            |book: &Arc<Book>| book.certificates().iter().all(|file| !file.path().is_absolute());
        let has_own_book = is_of_start && knowledge.book().is_some_and(is_embedded);
        Ok(Self { knowledge, has_own_book })
    }

    /// Where an answer comes from, in sentences. Empty if that is nowhere.
    pub(super) fn of(&self, answer: &Answer) -> String {
        let certified = answer.certified.as_ref();
        let mut text = match &answer.search {
            Some(_) => {
                let by_book = certified.map(|fact| self.by_certificate(Some(fact)));
                how_searched(answer) + &by_book.map_or(String::new(), |text| format!(" {text}"))
            }
            None => match answer.assessment().source {
                Some(Source::Rules) => "By the rules.".to_owned(),
                Some(Source::Proof) => self.by_certificate(certified),
                _ => self.by_tables(answer),
            },
        };
        if answer.is_followed {
            text += " Proved by the engine, which has followed all lines to their ends.";
        }
        text
    }

    fn by_tables(&self, answer: &Answer) -> String {
        let place = match self.knowledge.tables().map_or(&[][..], |tables| tables.dirs()) {
            [dir] => format!(" in '{}'", dir.display()),
            _ => String::new(),
        };
        let ahead = if answer.is_ahead { ", one turn ahead" } else { "" };
        format!("From the tables{place}{ahead}.")
    }

    fn by_certificate(&self, fact: Option<&CertificateFact>) -> String {
        let only = match self.knowledge.book().map_or(&[][..], |book| book.certificates()) {
            [only] => Some(only.path()),
            _ => None,
        };
        let file = fact.and_then(|fact| fact.file.as_deref()).or(only);
        match (self.has_own_book, file.map(|file| file.display())) {
            (true, Some(file)) => {
                format!("Proved by the certificate {file}, a part of this program.")
            }
            (true, None) => "Proved by certificates that are a part of this program.".to_owned(),
            (false, Some(file)) if only.is_some() => format!("Proved by the certificate {file}."),
            (false, Some(file)) => format!("Proved by certificates; the position is in {file}."),
            (false, None) => "Proved by certificates.".to_owned(),
        }
    }
}

/// The search and its cost as a sentence. Empty if there was none.
fn how_searched(answer: &Answer) -> String {
    let Some(found) = &answer.search else { return String::new() };
    let is_proved = answer.is_proved() && !answer.is_followed;
    let how = if is_proved { "Proved by a search of" } else { "Searched" };
    let stopped = if found.end == End::Stopped { ", then stopped" } else { "" };
    let time = duration(found.search.elapsed.as_secs_f64());
    format!("{how} {} positions in {time}{stopped}.", rounded(found.search.nodes))
}
