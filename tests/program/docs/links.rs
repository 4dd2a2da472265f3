//! Links between pages.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{name, pages};

/// A Markdown page without its code, in which brackets are no links.
fn prose(text: &str) -> String {
    let mut prose = String::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            // Code within a line stands between backticks.
            line.split('`').step_by(2).for_each(|part| prose += part);
        }
        prose.push('\n');
    }
    prose
}

/// The targets of a page's links and pictures, `[text](target)` and `src="target"`.
fn targets(text: &str) -> Vec<String> {
    let prose = prose(text);
    let after = |marker: &str, end: char| {
        let parts = prose.split(marker).skip(1);
        parts.filter_map(|part| Some(part.split_once(end)?.0.to_owned())).collect::<Vec<_>>()
    };
    [after("](", ')'), after("src=\"", '"'), after("href=\"", '"')].concat()
}

/// The anchors that a page's headings make, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let mut in_block = false;
    let mut found: HashMap<String, usize> = HashMap::new();
    let mut anchors = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        }
        let heading = line.trim_start_matches('#');
        if in_block || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let anchor: String = heading
            .trim()
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let earlier = found.entry(anchor.clone()).or_default();
        anchors.push(if *earlier == 0 { anchor } else { format!("{anchor}-{earlier}") });
        *earlier += 1;
    }
    anchors
}

/// Why a link of a page leads nowhere, if it does.
fn broken(page: &Path, target: &str) -> Option<String> {
    let is_elsewhere = ["http://", "https://", "mailto:", "data:"];
    if is_elsewhere.iter().any(|scheme| target.starts_with(scheme)) {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file: PathBuf = match path {
        "" => page.to_owned(),
        path => page.parent().expect("a file has a directory").join(path),
    };
    if !file.exists() {
        return Some(format!("{}: no file {target}", name(page)));
    }
    if anchor.is_empty() || file.extension().is_none_or(|extension| extension != "md") {
        return None;
    }
    let text = fs::read_to_string(&file).expect("a page is text");
    let has_it = anchors(&text).iter().any(|found| found == anchor);
    (!has_it).then(|| format!("{}: no heading for {target}", name(page)))
}

#[test]
fn every_relative_link_leads_somewhere() {
    let mut checked = 0;
    let mut failures = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page is text");
        for target in targets(&text) {
            checked += 1;
            failures.extend(broken(&page, &target));
        }
    }
    assert!(checked > 50, "{checked} links");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_broken_link_is_noticed() {
    let page = super::root().join("README.md");
    assert_eq!(broken(&page, "CHANGELOG.md"), None);
    assert_eq!(broken(&page, "https://example.org/none"), None);
    assert!(broken(&page, "crates/nowhere.md").is_some());
    assert!(broken(&page, "README.md#no-such-heading").is_some());
    let text = "# A *b* c\n\n```\n# no\n[x](y)\n```\n`[x](z)` [x](w) <img src=\"v\">\n## A b c\n";
    assert_eq!(anchors(text), ["a-b-c", "a-b-c-1"]);
    assert_eq!(targets(text), ["w", "v"]);
}
