//! The list of what is in a folder of static files.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The version of the manifest and of the layout of the folder.
const FORMAT: u32 = 1;

/// The contents of a folder of static files, as `manifest.json` lists them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Manifest {
    /// The version of this list.
    pub format: u32,
    /// The name and the version of the program that wrote the folder.
    pub program: String,
    /// Changes when anything in the folder changes.
    pub version: Checksum,
    /// The bytes of a shard.
    pub shard: u32,
    /// The files except shards, the manifest and the service worker.
    pub assets: Vec<Asset>,
    /// The beginnings and the metadata of all tables, in their order: the first bytes that a reader
    /// needs of each, without a request for each. `None` if there are no tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heads: Option<ShardedFile>,
    pub tables: Vec<Table>,
    /// The certificates of starts.
    pub proofs: Vec<ShardedFile>,
    /// The answers that were made beforehand.
    pub answers: Vec<PreparedAnswer>,
}

/// A file of the folder.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Asset {
    /// Its path in the folder, with slashes.
    pub path: String,
    pub bytes: u64,
    /// In hexadecimal digits.
    pub sha256: String,
}

/// A file that the folder has in shards.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ShardedFile {
    pub name: String,
    pub bytes: u64,
    /// The checksum at the root of the tree of shards.
    pub root: Checksum,
    /// Of the whole file, in hexadecimal digits.
    pub sha256: String,
}

/// A table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Table {
    /// Its file.
    #[serde(flatten)]
    pub file: ShardedFile,
    /// The offset of its metadata, which are the end of the file.
    pub metadata: u64,
    /// Whether readers should go on without it: a page without a network has some tables only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub absent: bool,
}

/// An answer that was made when the folder was written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PreparedAnswer {
    /// The address, as the page asks for it.
    pub request: String,
    /// The path of the file with the answer.
    pub path: String,
}

/// A checksum, which is a text of 16 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Checksum(pub u64);

impl Checksum {
    /// Reads 16 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_one = text.len() == 16 && text.bytes().all(is_digit);
        u64::from_str_radix(text, 16).ok().filter(|_| is_one).map(Self)
    }

    /// The path in the folder of the shard that has this checksum, as in `shards/ab/cdef0123456789`.
    pub fn shard_path(self) -> String {
        let digits = self.to_string();
        let (first, rest) = digits.split_at(2);
        format!("{SHARDS}/{first}/{rest}")
    }
}

/// The folder of the shards.
pub const SHARDS: &str = "shards";

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for Checksum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Checksum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let expected = "a checksum of 16 lower-case hexadecimal digits";
        Self::parse(&text)
            .ok_or_else(|| serde::de::Error::custom(format!("'{text}' is not {expected}")))
    }
}

impl Manifest {
    /// The name of its file.
    pub const FILE: &str = "manifest.json";

    /// A folder of this version of the program, with nothing in it.
    pub fn new(shard: u32) -> Self {
        Self {
            format: FORMAT,
            program: format!("fanorona {}", env!("CARGO_PKG_VERSION")),
            version: Checksum::default(),
            shard,
            assets: Vec::new(),
            heads: None,
            tables: Vec::new(),
            proofs: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// If it is not one, or of another format.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let manifest: Self = serde_json::from_str(text)?;
        match manifest.format {
            FORMAT => Ok(manifest),
            other => Err(serde::de::Error::custom(format!(
                "the format is {other}, but this program reads {FORMAT}"
            ))),
        }
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        text.expect("texts, numbers and lists can be written") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_back() {
        let mut manifest = Manifest::new(32 << 10);
        let root = Checksum(0x00ab_cdef_0123_4567);
        let file =
            ShardedFile { name: "a".to_owned(), bytes: 1 << 40, root, sha256: "00".to_owned() };
        manifest.tables.push(Table { file: file.clone(), metadata: 1 << 39, absent: false });
        manifest.heads = Some(file);
        let first = manifest.clone().with_version_of(b"worker");
        assert_eq!(Manifest::parse(&first.text()).unwrap(), first);
        assert!(first.text().contains("\"00abcdef01234567\""));
        assert_eq!(root.shard_path(), "shards/00/abcdef01234567");

        // The version does not depend on an earlier one, and changes with everything.
        assert_eq!(first.clone().with_version_of(b"worker"), first);
        assert_ne!(manifest.clone().with_version_of(b"worker 2").version, first.version);
        manifest.tables[0].file.root.0 += 1;
        assert_ne!(manifest.with_version_of(b"worker").version, first.version);
    }

    #[test]
    fn other_texts_are_refused() {
        let text = Manifest::new(32 << 10).text();
        for (good, bad) in [
            ("\"format\": 1", "\"format\": 2"),
            ("\"shard\": 32768", "\"shard\": -1"),
            ("0000000000000000", "000000000000000"),
            ("0000000000000000", "+000000000000000"),
            ("0000000000000000", "A000000000000000"),
            ("\"tables\": [],", ""),
            ("\"tables\": [],", "\"tables\": [{\"name\": \"a\"}],"),
        ] {
            let changed = text.replace(good, bad);
            assert_ne!(changed, text, "{good}");
            assert!(Manifest::parse(&changed).is_err(), "{bad}");
        }
        assert!(Manifest::parse("").is_err());
    }
}
