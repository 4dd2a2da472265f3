//! Writes a container, and reads it again part by part.
//!
//! ```sh
//! cargo run -p fanorona-storage --example container
//! ```

use std::error::Error;

use fanorona_storage::{
    Access, Container, ContainerWriter, FileKind, PartialKind, checksum, compress, decompress,
    encode_metadata,
};

/// A format of its own: lines of text in compressed blocks.
const KIND: FileKind = FileKind { magic: *b"Lines\0\0\0", version: 1, oldest: 1 };

const LINES: [&str; 3] = ["one line", "another line", "the last line"];

fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("lines");

    // The body is a block for each line. The index says where it ends, and has its checksum.
    let mut writer = ContainerWriter::create(&path, KIND, PartialKind::new("lines"))?;
    let mut index = Vec::new();
    for line in LINES {
        let block = compress(line.as_bytes(), 3)?;
        writer.write(&block)?;
        index.extend(writer.offset().to_le_bytes());
        index.extend(checksum(&block).to_le_bytes());
    }
    // The metadata say how long the longest line is.
    let longest = LINES.iter().map(|line| line.len()).max();
    let bytes = writer.finish(&index, &encode_metadata(&longest)?)?;
    println!("{} bytes", bytes);

    // `unsafe { Access::map() }` would map the file, where nobody changes it.
    let file = Container::open(&path, KIND, Access::READ)?;
    let longest: Option<usize> = file.metadata(&[])?;
    let mut line = vec![0; longest.unwrap_or(0)];
    let mut begin = file.body().start;
    for entry in file.index().chunks_exact(16) {
        let end = u64::from_le_bytes(entry[..8].try_into()?);
        let mut buffer = Vec::new();
        let block = file.read(begin..end, &mut buffer)?;
        if checksum(block).to_le_bytes() != entry[8..] {
            return Err(file.corrupt("a line is not what was written", begin).into());
        }
        let length = decompress(block, &mut line)?;
        println!("{}", std::str::from_utf8(&line[..length])?);
        begin = end;
    }
    Ok(())
}
