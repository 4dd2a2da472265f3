//! The WebAssembly module.

use std::borrow::Cow;
use std::path::Path;

use anyhow::Context;
use fanorona_explorer::site::ASSETS;

use crate::failure::Failure;
use crate::files::read_at_most;

/// The names of its files.
const MODULE: [&str; 2] = ["fanorona.js", PACKED];

/// The module, packed by gzip.
const PACKED: &str = "fanorona_bg.packed";

/// The module that is a part of this program, if it was built with one.
const EMBEDDED: Option<[&[u8]; 2]> = include!(concat!(env!("OUT_DIR"), "/module.rs"));

/// The most bytes of a file.
const MOST: u64 = 64 << 20;

/// The first bytes of what gzip has packed.
const MAGIC: &[u8] = &[0x1f, 0x8b];

/// The bytes of the module's files.
pub(super) struct Module([Cow<'static, [u8]>; 2]);

impl Module {
    /// The module of this program.
    pub(super) fn embedded() -> Option<Self> {
        EMBEDDED.map(|files| Self(files.map(Cow::Borrowed)))
    }

    /// The module of a directory, or that of this program.
    pub(super) fn of(dir: Option<&Path>) -> anyhow::Result<Self> {
        let Some(dir) = dir else {
            return Self::embedded().ok_or_else(|| {
                Failure::input(
                    "the page needs a WebAssembly module, and this program was built without one: \
                     build it with tools/wasm, and name its directory with --module",
                )
            });
        };
        let read = |name| -> anyhow::Result<Cow<'static, [u8]>> {
            let file = dir.join(name);
            let bytes = read_at_most(&file, MOST);
            let bytes = bytes.with_context(|| {
                format!("cannot read '{}', a file of the module of --module", file.display())
            })?;
            if bytes.len() as u64 > MOST {
                let most = MOST >> 20;
                let name = file.display();
                return Err(Failure::input(format!("'{name}' has more than {most} MiB")));
            }
            Ok(Cow::Owned(bytes))
        };
        let files = [read(MODULE[0])?, read(PACKED)?];
        if !files[1].starts_with(MAGIC) {
            let file = dir.join(PACKED);
            let name = file.display();
            return Err(Failure::input(format!("'{name}' is not a packed WebAssembly module")));
        }
        Ok(Self(files))
    }

    /// Its files, by their paths in the folder.
    pub(super) fn files(self) -> impl Iterator<Item = (String, Cow<'static, [u8]>)> {
        MODULE.map(|name| format!("{ASSETS}/{name}")).into_iter().zip(self.0)
    }
}
