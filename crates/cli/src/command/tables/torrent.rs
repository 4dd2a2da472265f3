//! Torrents: files in pieces with SHA-1, for BitTorrent (BEP 3), with a web seed (BEP 19).

use std::mem;

use sha1::{Digest, Sha1};

/// Pieces are as short as possible, at least this, so that there are not many.
const SHORTEST: u64 = 256 << 10;
const PIECES: u64 = 2048;

/// A torrent of files, whose bytes are added one after another.
pub(super) struct Torrent {
    name: String,
    piece_length: u64,
    /// The hashes of full pieces.
    pieces: Vec<u8>,
    piece: Sha1,
    /// The bytes of the last piece, and those of the last file.
    in_piece: u64,
    in_file: u64,
    files: Vec<(String, u64)>,
}

impl Torrent {
    /// A torrent without files. `expected` bytes are going to come, more or less.
    pub(super) fn new(name: &str, expected: u64) -> Self {
        Self {
            name: name.to_owned(),
            piece_length: expected.div_ceil(PIECES).next_power_of_two().max(SHORTEST),
            pieces: Vec::new(),
            piece: Sha1::new(),
            in_piece: 0,
            in_file: 0,
            files: Vec::new(),
        }
    }

    /// Adds bytes of a file.
    pub(super) fn add(&mut self, mut bytes: &[u8]) {
        self.in_file += bytes.len() as u64;
        while !bytes.is_empty() {
            let room = (self.piece_length - self.in_piece).min(bytes.len() as u64);
            let (now, later) = bytes.split_at(room as usize);
            self.piece.update(now);
            self.in_piece += room;
            bytes = later;
            if self.in_piece == self.piece_length {
                self.end_piece();
            }
        }
    }

    /// Ends a file.
    pub(super) fn end_file(&mut self, name: &str) {
        self.files.push((name.to_owned(), mem::take(&mut self.in_file)));
    }

    fn end_piece(&mut self) {
        self.pieces.extend(self.piece.finalize_reset());
        self.in_piece = 0;
    }

    /// The bytes of the torrent's own file.
    pub(super) fn finish(mut self, web_seed: Option<&str>) -> Vec<u8> {
        if self.in_piece > 0 {
            self.end_piece();
        }
        // Keys are in alphabetical order.
        let mut out = b"d10:created by8:fanorona4:infod5:filesl".to_vec();
        for (name, length) in &self.files {
            out.extend(format!("d6:lengthi{length}e4:pathl").bytes());
            text(&mut out, name.as_bytes());
            out.extend(b"ee");
        }
        out.extend(b"e4:name");
        text(&mut out, self.name.as_bytes());
        out.extend(format!("12:piece lengthi{}e6:pieces", self.piece_length).bytes());
        text(&mut out, &self.pieces);
        out.push(b'e');
        if let Some(address) = web_seed {
            out.extend(b"8:url-listl");
            text(&mut out, address.as_bytes());
            out.push(b'e');
        }
        out.push(b'e');
        out
    }
}

/// Appends a text with its length.
fn text(out: &mut Vec<u8>, text: &[u8]) {
    out.extend(format!("{}:", text.len()).bytes());
    out.extend(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_go_across_files() {
        let mut torrent = Torrent::new("set", 1);
        torrent.add(b"ab");
        torrent.end_file("one");
        torrent.add(b"c");
        torrent.end_file("two");
        // The SHA-1 of "abc" is an example in FIPS 180.
        let hash =
            b"\xa9\x99\x3e\x36\x47\x06\x81\x6a\xba\x3e\x25\x71\x78\x50\xc2\x6c\x9c\xd0\xd8\x9d";
        let before: &[u8] = b"d10:created by8:fanorona4:infod5:filesl\
            d6:lengthi2e4:pathl3:oneeed6:lengthi1e4:pathl3:twoeee\
            4:name3:set12:piece lengthi262144e6:pieces20:";
        assert_eq!(
            torrent.finish(Some("http://h/")),
            [before, hash, b"e8:url-listl9:http://h/ee"].concat()
        );
    }

    #[test]
    fn long_sets_have_long_pieces() {
        let mut torrent = Torrent::new("set", 3 << 30);
        assert_eq!(torrent.piece_length, 2 << 20);
        for _ in 0..5 {
            torrent.add(&[0; 1 << 20]);
        }
        assert_eq!(torrent.pieces.len(), 2 * 20);
        assert_eq!(torrent.pieces[..20], torrent.pieces[20..]);
    }
}
