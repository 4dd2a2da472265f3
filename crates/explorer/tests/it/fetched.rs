//! A library whose files come in shards, against one with the files on the disk.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_core::{Side, SplitMix64, Turn, Value};
use fanorona_engine::{Game, Level, Options};
use fanorona_explorer::answer::{Detail, Opponent, PositionAnswer};
use fanorona_explorer::{Library, LibraryOptions, OpenVariant, Problem, ProblemKind, Variant};
use fanorona_storage::{FetchedFile, FetchedFiles, ShardStore, Shards, cut};
use fanorona_tablebase::{Access, Metric};

use crate::common::{build_tables, proof};

const SIZE: u32 = 512;

/// A host with the shards of some files, and a reader of it.
struct Host {
    shards: HashMap<u64, Vec<u8>>,
    store: Arc<ShardStore>,
}

impl Host {
    fn cut(&mut self, path: &Path) -> FetchedFile {
        self.cut_by(path, SIZE)
    }

    fn cut_by(&mut self, path: &Path, size: u32) -> FetchedFile {
        let shards = &mut self.shards;
        let (length, root) = cut(File::open(path).unwrap(), size, |checksum, bytes| {
            shards.insert(checksum, bytes.to_vec());
            Ok(())
        })
        .unwrap();
        FetchedFile::new(self.store.clone(), Shards::new(length, size).unwrap(), root)
    }

    /// The answer when all is there that it needs, and how often something was fetched before.
    fn answer(&self, open: impl Fn() -> Result<String, Problem>) -> (String, u32) {
        self.store.begin();
        for rounds in 0..50 {
            let answer = open();
            let wanted = self.store.wanted();
            if wanted.is_empty() {
                return (answer.unwrap(), rounds);
            }
            for checksum in wanted {
                self.store.put(checksum, &self.shards[&checksum]).unwrap();
            }
        }
        panic!("there is no end");
    }
}

fn answer(open: &OpenVariant, text: &str) -> Result<String, Problem> {
    let position = open.variant().position(Some(text))?;
    let answer = PositionAnswer::new(open, &position, Detail::Tree)?;
    Ok(serde_json::to_string(&answer).unwrap())
}

#[test]
fn answers_are_those_of_files() {
    let dir = tempfile::tempdir().unwrap();
    build_tables(dir.path(), "5x5", "standard", 4, Metric::Dtw);
    let proofs = proof("5x5-standard").parent().unwrap().to_owned();
    let mut host = Host { shards: HashMap::new(), store: Arc::new(ShardStore::new(1 << 13)) };
    let (mut all, mut as_they_are) = (FetchedFiles::default(), FetchedFiles::default());
    for file in fs::read_dir(dir.path()).unwrap() {
        let path = file.unwrap().path();
        let (name, file) = (path.file_name().unwrap().to_str().unwrap(), host.cut(&path));
        all.add("tables", name, file.clone());
        as_they_are.add("tables", name, file.as_it_is());
    }
    all.add("", "5x5-standard.proof", host.cut(&proof("5x5-standard")));

    let mut options = LibraryOptions::new([PathBuf::from("tables")]);
    options.tables.access = Access::fetch(Box::leak(Box::new(all)));
    options.search_access = Some(Access::fetch(Box::leak(Box::new(as_they_are))));
    options.proofs = vec![PathBuf::new()];
    let fetched = Library::new(options, Vec::new());
    let mut options = LibraryOptions::new([dir.path().to_owned()]);
    options.proofs = vec![proofs];
    let files = Library::new(options, Vec::new());
    assert_eq!(fetched.contents(), files.contents());

    let variant = Variant::parse(Some("5x5"), None, None).unwrap();
    let files = files.open(variant).unwrap();
    let mut most = 0;
    for text in [
        "5/5/1W1B1/5/5 w",
        "5/1B3/2W2/3B1/W4 b",
        "1B3/4W/5/W4/3B1 w",
        "BBBBB/BBBBB/WB1WB/WWWWW/WWWWW w",
        "5/1B1B1/2W2/1BW2/5 b",
        "5/5/W4/5/5 b",
    ] {
        let (found, rounds) = host.answer(|| answer(&fetched.open(variant)?, text));
        assert_eq!(found, answer(&files, text).unwrap(), "{text}");
        most = most.max(rounds);
        // Searches do with what is there.
        let open = fetched.open(variant).unwrap();
        let tables = open.knowledge().search_tables().unwrap();
        let position = variant.position(Some(text)).unwrap();
        host.store.wanted();
        let of_files = files.knowledge().tables().unwrap().probe(&position);
        match tables.probe(&position) {
            Ok(value) => assert_eq!(value, of_files.unwrap(), "{text}"),
            Err(error) => assert!(error.is_absent(), "{error}"),
        }
        assert!(!host.store.is_waiting(), "{text}");
    }
    // Values that do not wait for each other are fetched together: the way down a tree and its turns.
    assert!((3..20).contains(&most), "{most}");

    // A whole table is fetched together.
    let (open, of_files) = (fetched.open(variant).unwrap(), files.knowledge().tables().unwrap());
    for file in of_files.all().unwrap() {
        let (slice, metric) = (file.metadata().slice, file.metadata().metric);
        let checksum = || {
            let table = open.knowledge().tables().unwrap().table(slice, metric)?;
            Ok(table.expect("it is there").checksum()?.to_string())
        };
        let (found, rounds) = host.answer(checksum);
        assert_eq!(found, file.checksum().unwrap().to_string());
        assert!(rounds <= 5, "{rounds}");
    }
}

/// The level that cannot lose asks a few positions for each turn; its searches do with what is there.
#[test]
fn a_turn_of_the_level_that_cannot_lose_needs_few_shards() {
    let dir = tempfile::tempdir().unwrap();
    build_tables(dir.path(), "5x5", "standard", 6, Metric::Wdl);
    let mut host = Host { shards: HashMap::new(), store: Arc::new(ShardStore::new(1 << 24)) };
    let proofs = proof("5x5-standard");
    let (mut all, mut as_they_are) = (FetchedFiles::default(), FetchedFiles::default());
    let mut bytes = proofs.metadata().unwrap().len();
    for file in fs::read_dir(dir.path()).unwrap() {
        let path = file.unwrap().path();
        let (name, file) = (path.file_name().unwrap().to_str().unwrap(), host.cut(&path));
        bytes += path.metadata().unwrap().len();
        all.add("tables", name, file.clone());
        as_they_are.add("tables", name, file.as_it_is());
    }
    all.add("", "5x5-standard.proof", host.cut(&proofs).read_ahead());
    let mut options = LibraryOptions::new([PathBuf::from("tables")]);
    options.tables.access = Access::fetch(Box::leak(Box::new(all)));
    options.search_access = Some(Access::fetch(Box::leak(Box::new(as_they_are))));
    options.proofs = vec![PathBuf::new()];
    let library = Library::new(options, Vec::new());
    let variant = Variant::parse(Some("5x5"), None, None).unwrap();
    let mut player = Options::default();
    (player.level, player.seed) = (Level::UNBEATABLE, Some(1));
    let opponent = Opponent { player, time: Duration::from_millis(20) };

    let mut most = 0;
    for seed in 0..4 {
        let mut random = SplitMix64::new(seed);
        let mut game = Game::new(variant.rules, variant.board.start());
        loop {
            let turns = variant.rules.turns(game.position());
            if turns.is_empty() || game.turns().len() > 40 {
                break;
            }
            if game.turns().len() as u64 % 2 != seed % 2 {
                game.play(turns[random.below(turns.len() as u64) as usize].clone());
                continue;
            }
            let before = host.store.bytes();
            let play = || {
                let answer = opponent.play(&library.open(variant)?, &game, &AtomicBool::new(false));
                Ok(answer?.chosen.turn)
            };
            let (played, rounds) = host.answer(play);
            most = most.max(host.store.bytes() - before);
            assert!(rounds < 40, "{rounds}");
            let is_it = |turn: &&Turn| turn.text(variant.board).to_string() == played;
            game.play(turns.iter().find(is_it).unwrap().clone());
        }
        let outcome = variant.rules.outcome(game.position());
        let side = [Side::White, Side::Black][seed as usize % 2];
        assert!(outcome.is_none_or(|outcome| outcome.value_for(side) != Value::Loss), "{seed}");
    }
    assert!(8 * most < bytes, "{most} of {bytes}");
}

/// A page that shows the start of 9x5 fetches a part of the certificates that know its first turns.
#[test]
fn the_start_needs_few_shards() {
    let mut host = Host { shards: HashMap::new(), store: Arc::new(ShardStore::new(1 << 24)) };
    let mut all = FetchedFiles::default();
    let mut bytes = 0;
    for name in ["9x5-standard", "openings/9x5-standard-d2-e3A", "openings/9x5-standard-d3-e3A"] {
        let path = proof(name);
        bytes += path.metadata().unwrap().len();
        let name = path.file_name().unwrap().to_str().unwrap();
        all.add("", name, host.cut_by(&path, 32 << 10));
    }
    let mut options = LibraryOptions::new([]);
    options.tables.access = Access::fetch(Box::leak(Box::new(all)));
    options.proofs = vec![PathBuf::new()];
    let library = Library::new(options, Vec::new());
    let variant = Variant::parse(Some("9x5"), None, None).unwrap();
    let start = variant.board.start();
    let (found, rounds) = host.answer(|| answer(&library.open(variant)?, &start.to_string()));
    assert!(
        ["f2-e3A", "d2-e3A", "d3-e3A"]
            .iter()
            .all(|turn| { found.contains(&format!("{{\"turn\":\"{turn}\",\"value\":\"draw\"")) })
    );
    assert!(rounds <= 8 && 4 * host.store.bytes() < bytes, "{rounds} {}", host.store.bytes());
    let line = || Ok(format!("{:?}", library.open(variant)?.knowledge().line(&start, 100)?.end));
    let (end, rounds) = host.answer(line);
    assert_eq!(end, "Length");
    assert!(rounds <= 8 && 4 * host.store.bytes() < bytes, "{rounds} {}", host.store.bytes());
}

/// A page is told if a shard cannot be had.
#[test]
fn missing_shards_are_an_error_of_a_file() {
    let mut host = Host { shards: HashMap::new(), store: Arc::new(ShardStore::new(0)) };
    let mut all = FetchedFiles::default();
    all.add("", "3x3-standard.proof", host.cut(&proof("3x3-standard")));
    let mut options = LibraryOptions::new([]);
    options.tables.access = Access::fetch(Box::leak(Box::new(all)));
    options.proofs = vec![PathBuf::new()];
    let library = Library::new(options, Vec::new());
    let variant = Variant::parse(Some("3x3"), None, None).unwrap();
    let problem = library.open(variant).unwrap_err();
    assert_eq!(problem.kind, ProblemKind::DamagedFile, "{problem}");
    assert!(host.store.is_waiting());
}
