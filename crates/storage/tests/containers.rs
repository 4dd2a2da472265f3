//! Containers: their layout, and damage.

#[path = "../examples/container.rs"]
mod example;

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use fanorona_storage::{
    Access, Container, ContainerWriter, FileError, FileKind, METADATA_LIMIT, PRELUDE, PartialKind,
    checksum, encode_metadata,
};

const KIND: FileKind = FileKind { name: "a test", magic: *b"FileTest", version: 3, oldest: 2 };
const PARTIAL: PartialKind = PartialKind::new("test");

const BODY: &[u8] = b"some bytes of a body";
const INDEX: &[u8] = b"and an index";

/// Metadata with a field of every form.
type Metadata = (u8, u32, String, Option<u64>, Vec<u16>);

fn metadata() -> Metadata {
    (1, 2, "three".to_owned(), Some(4), vec![5, 6])
}

/// Reading and mapping.
fn accesses() -> [Access; 2] {
    #[expect(unsafe_code, reason = "mapping is tested")]
    // SAFETY: tests replace mapped files and never change them.
    let map = unsafe { Access::map() };
    [Access::READ, map]
}

fn write(path: &Path) -> u64 {
    let mut writer = ContainerWriter::create(path, KIND, PARTIAL).unwrap();
    assert_eq!(writer.offset(), PRELUDE as u64);
    for part in BODY.chunks(7) {
        writer.write(part).unwrap();
    }
    assert_eq!(writer.offset(), (PRELUDE + BODY.len()) as u64);
    writer.finish(INDEX, &encode_metadata(&metadata()).unwrap()).unwrap()
}

/// A directory with a container, and its bytes.
fn sample() -> (tempfile::TempDir, PathBuf, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let length = write(&path);
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes.len() as u64, length);
    (dir, path, bytes)
}

/// Replaces a file, which may be mapped, by one with other bytes.
fn replace(path: &Path, bytes: &[u8]) {
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

fn put(bytes: &mut [u8], at: usize, number: u64) {
    bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
}

/// Updates the checksum of the prelude.
fn sign(bytes: &mut [u8]) {
    let sum = checksum(&bytes[..56]);
    put(bytes, 56, sum);
}

#[test]
fn the_layout_is_that_of_the_golden_file() {
    let (_dir, path, bytes) = sample();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/version-3");
    assert_eq!(bytes, fs::read(golden).unwrap());

    // The bytes, spelled out.
    let mut expected = Vec::new();
    expected.extend(b"FileTest\x03\0\0\0DONE");
    let tail = [
        INDEX,
        &[1, 2, 0, 0, 0],
        &[5, 0, 0, 0, 0, 0, 0, 0],
        b"three",
        &[1, 4, 0, 0, 0, 0, 0, 0, 0],
        &[2, 0, 0, 0, 0, 0, 0, 0, 5, 0, 6, 0],
    ]
    .concat();
    let index = (PRELUDE + BODY.len()) as u64;
    let (metadata_at, length) = (index + INDEX.len() as u64, index + tail.len() as u64);
    for word in [index, metadata_at, length, checksum(&tail), 0] {
        expected.extend(word.to_le_bytes());
    }
    let fingerprint = checksum(&expected);
    expected.extend(fingerprint.to_le_bytes());
    expected.extend(BODY);
    expected.extend(tail);
    assert_eq!(bytes, expected);

    for access in accesses() {
        let file = Container::open(&path, KIND, access).unwrap();
        assert_eq!((file.version(), file.file_length()), (3, length));
        assert_eq!((file.fingerprint(), file.checksum().unwrap()), (fingerprint, checksum(&bytes)));
        assert_eq!((file.path(), file.body()), (&*path, 64..index));
        assert_eq!(file.index_length(), INDEX.len() as u64);
        for at in 0..INDEX.len() as u64 {
            assert_eq!(file.index(at).unwrap(), [INDEX[at as usize]]);
        }
        assert!(file.index::<1>(INDEX.len() as u64).is_err());
        assert_eq!(file.metadata::<Metadata>(&[]).unwrap(), metadata());
        assert_eq!(file.mapped(), access.is_map().then_some(&*bytes));
        assert_eq!(file.read(64..index, &mut Vec::new()).unwrap(), BODY);
        assert_eq!(file.read(70..70, &mut vec![1]).unwrap(), b"");
        // The bytes are not metadata of another type.
        assert!(file.metadata::<(u64, u64)>(&[]).is_err());
        assert!(file.metadata::<Metadata>(&[0]).is_err());
        let (_, extra) = file.metadata::<(Metadata, u16)>(&[1, 2]).unwrap();
        assert_eq!(extra, 0x0201);
    }
    let ids = accesses().map(|access| Container::open(&path, KIND, access).unwrap().id());
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn files_cut_at_any_length_are_refused() {
    let (_dir, path, bytes) = sample();
    for length in (0..bytes.len()).chain([bytes.len() + 1]) {
        let other = [&bytes[..], b"x"].concat();
        replace(&path, &other[..length]);
        for access in accesses() {
            let error = Container::open(&path, KIND, access).unwrap_err();
            let is_kind = matches!(error, FileError::OtherKind { .. });
            assert_eq!(is_kind, length < PRELUDE, "{error}");
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
            assert!(!is_kind || error.to_string().contains("is not a test: it has"), "{error}");
            assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        }
    }
}

#[test]
fn any_changed_byte_is_detected() {
    let (_dir, path, bytes) = sample();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x40;
        replace(&path, &changed);
        let in_body = (PRELUDE..PRELUDE + BODY.len()).contains(&at);
        for access in accesses() {
            match Container::open(&path, KIND, access) {
                Ok(file) => {
                    assert!(in_body, "byte {at}");
                    assert_ne!(file.checksum().unwrap(), checksum(&bytes));
                }
                Err(error) => {
                    assert!(!in_body, "byte {at}: {error}");
                    let (is_kind, is_version) = (
                        matches!(error, FileError::OtherKind { .. }),
                        matches!(error, FileError::Version { .. }),
                    );
                    assert_eq!((is_kind, is_version), (at < 8, (8..12).contains(&at)), "{error}");
                    let is_unsupported = error.kind() == io::ErrorKind::Unsupported;
                    assert_eq!(is_unsupported, is_version, "{error}");
                }
            }
        }
    }
}

/// Wrong preludes with correct checksums.
#[test]
fn inconsistent_preludes_are_refused() {
    let (_dir, path, bytes) = sample();
    let (index, length) = ((PRELUDE + BODY.len()) as u64, bytes.len() as u64);
    let metadata_at = index + INDEX.len() as u64;
    let too_long = METADATA_LIMIT as u64 + 1;
    for (fields, what) in [
        (vec![(16, 63)], "out of order"),
        (vec![(16, 0), (24, 0)], "out of order"),
        (vec![(16, metadata_at + 1)], "out of order"),
        (vec![(24, length + 1)], "out of order"),
        (vec![(16, u64::MAX), (24, u64::MAX)], "out of order"),
        (vec![(32, length + 1)], "should have"),
        (vec![(48, 1)], "reserved"),
        (vec![(8, 3)], "never finished"),
        (vec![(40, 0)], "checksum of index and metadata"),
    ] {
        let mut changed = bytes.clone();
        fields.into_iter().for_each(|(at, number)| put(&mut changed, at, number));
        sign(&mut changed);
        replace(&path, &changed);
        for access in accesses() {
            let error = Container::open(&path, KIND, access).unwrap_err();
            assert!(matches!(error, FileError::Corrupt { .. }), "{error}");
            assert!(error.to_string().contains(what), "{error}");
        }
    }
    // Sparse files. Parts that are too long are refused before they are read.
    let limit = (1_u64 << 30) + 1;
    for (length, metadata_at, what) in [
        (metadata_at + too_long, metadata_at, "metadata are too long"),
        (index + limit, index + limit, "index is too long"),
    ] {
        let mut changed = bytes[..index as usize].to_vec();
        put(&mut changed, 24, metadata_at);
        put(&mut changed, 32, length);
        sign(&mut changed);
        replace(&path, &changed);
        OpenOptions::new().write(true).open(&path).unwrap().set_len(length).unwrap();
        for access in accesses() {
            let error = Container::open(&path, KIND, access).unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
        }
    }
}

#[test]
fn unsupported_versions_are_refused() {
    let (_dir, path, bytes) = sample();
    for version in [0_u32, 1, 2, 3, 4, u32::MAX] {
        let mut changed = bytes.clone();
        changed[8..12].copy_from_slice(&version.to_le_bytes());
        // Newer versions are refused whatever the rest of the file.
        if (2..=3).contains(&version) {
            sign(&mut changed);
        }
        replace(&path, &changed);
        match Container::open(&path, KIND, Access::READ) {
            Ok(file) => assert_eq!(file.version(), version),
            Err(FileError::Version { found, oldest: 2, newest: 3, .. }) => {
                assert_eq!(found, version);
                assert!(!(2..=3).contains(&version));
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn only_the_body_is_read() {
    let (_dir, path, bytes) = sample();
    let end = (PRELUDE + BODY.len()) as u64;
    for access in accesses() {
        let file = Container::open(&path, KIND, access).unwrap();
        let reversed = std::ops::Range { start: 70, end: 69 };
        for range in [63..65, 0..64, 64..end + 1, end + 1..end + 1, 0..u64::MAX, reversed] {
            let error = file.read(range.clone(), &mut Vec::new()).unwrap_err();
            assert!(matches!(error, FileError::Corrupt { .. }), "{range:?}: {error}");
        }
        assert_eq!(file.read(end..end, &mut Vec::new()).unwrap(), b"");
    }
    // Truncates a file while it is open for reading. A mapped file must not be truncated.
    let file = Container::open(&path, KIND, Access::READ).unwrap();
    OpenOptions::new().write(true).open(&path).unwrap().set_len(70).unwrap();
    let mut buffer = Vec::new();
    assert_eq!(file.read(64..70, &mut buffer).unwrap(), &bytes[64..70]);
    for error in [file.read(64..71, &mut buffer).map(drop), file.checksum().map(drop)] {
        let error = error.unwrap_err();
        assert!(matches!(error, FileError::Corrupt { .. }), "{error}");
        assert!(error.to_string().contains("truncated"), "{error}");
    }
    assert_eq!(file.metadata::<Metadata>(&[]).unwrap(), metadata(), "it was read before");
}

#[test]
fn an_unfinished_container_leaves_nothing() {
    let (dir, path, bytes) = sample();
    let mut writer = ContainerWriter::create(&path, KIND, PARTIAL).unwrap();
    writer.write(b"other").unwrap();
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 2);
    drop(writer);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn other_than_regular_files_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("missing");
    for (path, kind) in
        [(dir.path(), io::ErrorKind::IsADirectory), (missing.as_path(), io::ErrorKind::NotFound)]
    {
        for access in accesses() {
            let error = Container::open(path, KIND, access).unwrap_err();
            assert!(matches!(error, FileError::Io { .. }), "{error}");
            assert_eq!(error.kind(), kind, "{error}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_does_not_block() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let error = Container::open(&path, KIND, Access::READ).unwrap_err();
    let FileError::Io { source, .. } = error else { panic!("{error}") };
    assert!(source.to_string().contains("named pipe"), "{source}");
}

#[test]
fn metadata_have_a_limit() {
    let fits = vec![0_u8; METADATA_LIMIT - 8];
    let bytes = encode_metadata(&fits).unwrap();
    assert_eq!(bytes.len(), METADATA_LIMIT);
    assert_eq!(fanorona_storage::decode_metadata::<Vec<u8>>(&bytes).unwrap(), fits);
    let too_many = vec![0_u8; METADATA_LIMIT - 7];
    assert!(encode_metadata(&too_many).is_err());
    let bytes = [&bytes[..], &[0]].concat();
    assert!(fanorona_storage::decode_metadata::<(Vec<u8>, u8)>(&bytes).is_err());
    // A length without the bytes does not allocate memory.
    assert!(fanorona_storage::decode_metadata::<Vec<u64>>(&u64::MAX.to_le_bytes()).is_err());
}

#[test]
fn the_example_runs() {
    example::main().unwrap();
}
