//! Writes a container, and reads it part by part.
//!
//! ```sh
//! cargo run -p fanorona-storage --example container
//! ```

use std::error::Error;

use fanorona_storage::{
    Access, Container, ContainerWriter, FileKind, PartialKind, checksum, compress, decompress,
    encode_metadata,
};

/// A new format: lines of text in compressed blocks.
const KIND: FileKind =
    FileKind { name: "a list of lines", magic: *b"Lines\0\0\0", version: 1, oldest: 1 };

const LINES: [&str; 3] = ["one line", "another line", "the last line"];

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("lines");

    // The body has a block for each line. The index has the end and the checksum of each block.
    let mut writer = ContainerWriter::create(&path, KIND, PartialKind::new("lines"))?;
    let mut index = Vec::new();
    for line in LINES {
        let block = compress(line.as_bytes(), 3)?;
        writer.write(&block)?;
        index.extend(writer.offset().to_le_bytes());
        index.extend(checksum(&block).to_le_bytes());
    }
    // The metadata are the length of the longest line.
    let longest = LINES.iter().map(|line| line.len()).max();
    let bytes = writer.finish(&index, &encode_metadata(&longest)?)?;
    println!("{bytes} bytes");

    // If nobody changes the file, `unsafe { Access::map() }` is allowed and faster.
    let file = Container::open(&path, KIND, Access::READ)?;
    let longest: Option<usize> = file.metadata(&[])?;
    let mut line = vec![0; longest.unwrap_or(0)];
    let mut begin = file.body().start;
    for at in (0..file.index_length()).step_by(16) {
        let (end, expected) = (u64::from_le_bytes(file.index(at)?), file.index::<8>(at + 8)?);
        let mut buffer = Vec::new();
        let block = file.read(begin..end, &mut buffer)?;
        if checksum(block).to_le_bytes() != expected {
            return Err(file.corrupt("the checksum of a line differs", begin).into());
        }
        let length = decompress(block, &mut line)?;
        println!("{}", std::str::from_utf8(&line[..length])?);
        begin = end;
    }
    Ok(())
}
