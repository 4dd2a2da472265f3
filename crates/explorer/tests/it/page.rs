//! The files of the page agree with each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use fanorona_core::RuleSet;
use fanorona_explorer::ProblemKind;

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
    let files = fs::read_dir(web("lang")).expect("a directory");
    let names = files.map(|file| file.expect("it can be listed").file_name().into_string());
    let languages: BTreeSet<_> = names
        .filter_map(|name| name.expect("it is text").strip_suffix(".json").map(str::to_owned))
        .collect();
    // The list of languages has each of them under its own name.
    let list = &modules()["i18n.js"];
    let (_, list) = list.split_once("LANGUAGES = ").expect("the list of languages");
    let (list, _) = list.split_once("});").expect("the end of the list");
    let offered = list.lines().filter_map(|line| line.trim().split_once(": \""));
    assert_eq!(offered.map(|(code, _)| code.to_owned()).collect::<BTreeSet<_>>(), languages);
    for language in languages {
        let language = language.as_str();
        let other = texts(language);
        let keys = |texts: &BTreeMap<String, String>| texts.keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&other), keys(&english), "{language}");
        for (key, text) in &other {
            assert_eq!(text.is_empty(), english[key].is_empty(), "{language}: {key}");
            assert_eq!(places(text), places(&english[key]), "{language}: {key}");
        }
    }
}

/// A text with a number has a form for one and a form for the others.
#[test]
fn texts_with_numbers_have_both_forms() {
    let english = texts("en");
    for (key, text) in &english {
        let form = |end| key.strip_suffix(end).is_some();
        assert!(!text.contains("{n}") || form(".one") || form(".other"), "{key}: {text}");
        for (this, that) in [(".one", ".other"), (".other", ".one")] {
            if let Some(name) = key.strip_suffix(this) {
                assert!(english.contains_key(&format!("{name}{that}")), "{key} has no {that}");
            }
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

/// The server sends codes, and the page has words for them in every language.
#[test]
fn every_code_of_an_error_has_a_text() {
    let english = texts("en");
    for kind in ProblemKind::ALL {
        let key = format!("error.{}", kind.code());
        assert!(english.contains_key(&key), "{key}");
    }
}

#[test]
fn every_text_is_used() {
    let all: String = modules().into_values().collect();
    // A name is written as a whole, or begins in a template and ends with a value.
    let begun = all.split('`').filter_map(|part| part.split_once("${")).map(|(begun, _)| begun);
    let begun: BTreeSet<_> = begun.filter(|begun| begun.contains('.')).collect();
    for key in texts("en").keys() {
        let name = key.strip_suffix(".one").or(key.strip_suffix(".other")).unwrap_or(key);
        let is_whole = all.contains(&format!("\"{name}\"")) || all.contains(&format!("`{name}`"));
        assert!(is_whole || begun.iter().any(|begun| name.starts_with(begun)), "{key}");
    }
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
    let (rules, english) = (&modules()["rules.js"], texts("en"));
    // The page has a field for the number of stones.
    for option in RuleSet::VELA.options().into_iter().filter(|option| *option != "stones-N") {
        assert!(rules.contains(&format!("\"{option}\"")), "{option} is not in OPTIONS");
        assert!(english.contains_key(&format!("option.{option}")), "{option} has no text");
    }
    // A kind of options has a text too.
    let kinds = rules.lines().filter_map(|line| line.trim().split_once(": [\""));
    assert!(kinds.clone().count() >= 4);
    for (kind, _) in kinds {
        assert!(english.contains_key(&format!("option.{kind}")), "{kind} has no text");
    }
}

#[test]
fn sheets_use_the_variables_that_they_define() {
    let files = fs::read_dir(web("style")).expect("a directory");
    let sheets = files.map(|file| file.expect("it can be listed").path());
    let sheets = sheets.filter(|path| path.extension().is_some_and(|extension| extension == "css"));
    let all: String = sheets.map(|path| fs::read_to_string(path).expect("it is text")).collect();
    let name = |rest: &str| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        end.map(|end| (rest[..end].to_owned(), rest[end..].starts_with(':')))
    };
    let used = all.split("var(--").skip(1).filter_map(name).map(|(name, _)| name);
    let used: BTreeSet<_> = used.collect();
    let in_sheets = all.split("--").skip(1).filter_map(name).filter(|(_, defines)| *defines);
    let scripts: String = modules().into_values().collect();
    let in_scripts = scripts.split("\"--").skip(1).filter_map(name);
    let defined: BTreeSet<_> = in_sheets.chain(in_scripts).map(|(name, _)| name).collect();
    assert_eq!(defined, used);
}

/// The face of headings is a small file with its licence beside it, and the sheets have the sizes of texts
/// from one place.
#[test]
fn type_is_in_one_place() {
    let face = fs::metadata(web("style/young-serif.woff2")).expect("the file is there");
    assert!(face.len() <= 25 * 1024, "{}", face.len());
    let licence = fs::read_to_string(web("style/young-serif-licence.txt")).expect("it is text");
    assert!(licence.contains("SIL Open Font License, Version 1.1"));
    for sheet in ["layout.css", "panel.css", "print.css"] {
        let source = fs::read_to_string(web(&format!("style/{sheet}"))).expect("it is text");
        for rest in source.split("font-size: ").skip(1) {
            let uses = rest.starts_with("var(--") || rest.starts_with("calc(");
            assert!(uses, "{sheet}: {}", rest.lines().next().unwrap_or_default());
        }
    }
}
