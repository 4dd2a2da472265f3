//! The files of the page agree with each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use fanorona_core::RuleSet;

fn web(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("web").join(path)
}

fn texts(language: &str) -> BTreeMap<String, String> {
    let file = fs::read(web(&format!("lang/{language}.json"))).expect("it can be read");
    serde_json::from_slice(&file).expect("it is an object of texts")
}

/// The names in braces that a text has room for.
fn places(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect()
}

fn modules() -> BTreeMap<String, String> {
    let files = fs::read_dir(web("js")).expect("a directory");
    files
        .map(|file| {
            let file = file.expect("it can be listed");
            let name = file.file_name().into_string().expect("it is text");
            (name, fs::read_to_string(file.path()).expect("it is text"))
        })
        .filter(|(name, _)| name.ends_with(".js"))
        .collect()
}

#[test]
fn every_language_has_every_text() {
    let english = texts("en");
    assert!(english.len() > 100);
    for language in ["fr", "nl"] {
        let other = texts(language);
        let keys = |texts: &BTreeMap<String, String>| texts.keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&other), keys(&english), "{language}");
        for (key, text) in &other {
            assert_eq!(text.is_empty(), english[key].is_empty(), "{language}: {key}");
            assert_eq!(places(text), places(&english[key]), "{language}: {key}");
        }
    }
}

#[test]
fn every_text_that_modules_name_exists() {
    let english = texts("en");
    // A text that depends on a number has a form for each category of the language's plurals.
    let exists =
        |key: &str| english.contains_key(key) || english.contains_key(&format!("{key}.other"));
    let mut named = 0;
    for (file, source) in modules() {
        for call in source.split("t(\"").skip(1) {
            let key = call.split('"').next().expect("a split has a first part");
            // Elements and hooks have names without a dot, and so have a few texts.
            if key.contains('.') && !key.contains(['/', ' ', '-']) {
                assert!(exists(key), "{file}: {key}");
                named += 1;
            }
        }
    }
    assert!(named > 100, "{named}");
}

#[test]
fn the_page_preloads_its_modules() {
    let page = fs::read_to_string(web("index.html")).expect("it is text");
    let preloaded: BTreeSet<_> = page
        .split("<link rel=\"modulepreload\" href=\"assets/js/")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .map(str::to_owned)
        .collect();
    let others = |name: &String| name != "main.js";
    assert_eq!(preloaded, modules().into_keys().filter(others).collect());
}

#[test]
fn every_rule_option_is_on_the_page() {
    // The message lists all options. The page leaves out the one that is the same as none, and has a
    // field for the number of stones.
    let message = "vela+none".parse::<RuleSet>().expect_err("no option").to_string();
    let options = message.split([',', ' ']).filter(|word| word.contains('-'));
    let options = options.filter(|option| !["victor-white", "stones-N"].contains(option));
    let options: Vec<_> = options.collect();
    assert!(options.len() >= 9, "{message}");
    let (rules, english) = (&modules()["rules.js"], texts("en"));
    for option in options {
        assert!(rules.contains(&format!("\"{option}\"")), "{option} is not in OPTIONS");
        assert!(english.contains_key(&format!("option.{option}")), "{option} has no text");
    }
    // A kind of options has a text too.
    let kinds = rules.lines().filter_map(|line| line.trim().split_once(": [\""));
    assert!(kinds.clone().count() >= 7);
    for (kind, _) in kinds {
        assert!(english.contains_key(&format!("option.{kind}")), "{kind} has no text");
    }
}
