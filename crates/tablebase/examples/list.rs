//! Lists the tables of a directory, of any board and rule set.
//!
//! ```sh
//! cargo run --release -p fanorona-tablebase --example list -- DIRECTORY
//! ```

use std::error::Error;
use std::path::Path;

use fanorona_core::Value;
use fanorona_tablebase::{TableFile, TableKey};

fn main() -> Result<(), Box<dyn Error>> {
    let dir = std::env::args_os().nth(1).ok_or("give a directory")?;
    for line in list(Path::new(&dir))? {
        println!("{line}");
    }
    Ok(())
}

/// A line for each file whose name is that of a table.
pub(crate) fn list(dir: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut lines = Vec::new();
    for file in std::fs::read_dir(dir)? {
        let path = file?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some((key, layout)) = TableKey::of_file_name(&name) else { continue };
        let table = TableFile::open(&path)?;
        let found = &table.metadata().statistics;
        let longest = found.longest(Value::Win);
        lines.push(format!(
            "{key}, {layout:?}: {} wins, {} draws, {} losses, longest win {longest:?}",
            found.win, found.draw, found.loss,
        ));
    }
    lines.sort();
    Ok(lines)
}
