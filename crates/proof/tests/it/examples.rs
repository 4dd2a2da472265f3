//! Runs the examples of the crate.

use std::path::Path;

#[expect(dead_code, reason = "its main function is not called")]
#[path = "../../examples/check.rs"]
mod check;

fn run(file: &str, tables: Option<&str>) -> Result<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = |path: &str| root.join(path).to_str().unwrap().to_owned();
    let mut out = Vec::new();
    let tables = tables.map(path);
    let checked = check::check(&path(file), tables.as_deref(), &mut out);
    checked.map_err(|error| error.to_string())?;
    Ok(String::from_utf8(out).unwrap())
}

/// The output is that in the documentation of the example.
#[test]
fn the_example_checks_certificates() {
    let page = include_str!("../../examples/check.rs");
    let printed = run("data/proofs/3x5-standard.proof", None).unwrap();
    let shown = page.lines().skip_while(|line| !line.contains("$ cargo run")).skip(1);
    let shown = shown.take_while(|line| !line.contains("```"));
    let shown: String = shown.map(|line| format!("{}\n", &line["//! ".len()..])).collect();
    assert_eq!(printed, shown);

    let (file, tables) =
        ("crates/proof/tests/golden/table.cert", "crates/tablebase/tests/golden/version-1");
    let printed = run(file, Some(tables)).unwrap();
    assert!(printed.contains("needs 1 tables\nproved"), "{printed}");
    let error = run(file, None).unwrap_err();
    assert!(error.contains("rests on 1 wdl tables"), "{error}");
}
