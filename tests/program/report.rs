//! `report`: the page is well formed, says what `tables` says, and refers to nothing outside.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use roxmltree::{Document, Node, ParsingOptions};
use serde_json::Value;

use crate::tables::shared;
use crate::{fanorona, json, refused, words};

/// The report on some tables, as it is written.
fn written(tables: &Path, more: &str) -> (String, Value) {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("report.html");
    let args =
        format!("report --tables \"{}\" --output \"{}\" {more}", tables.display(), file.display());
    let reported = json(&args);
    let page = fs::read_to_string(&file).expect("it was written");
    assert_eq!(
        (&reported["bytes"], reported["output"].as_str()),
        (&page.len().into(), file.to_str())
    );
    (page, reported)
}

/// The page as XML, which it is too.
fn parse(page: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(page, options).expect("it is well formed")
}

fn all<'a, 'p>(node: Node<'a, 'p>, name: &str) -> Vec<Node<'a, 'p>> {
    node.descendants().filter(|node| node.tag_name().name() == name).collect()
}

fn text(node: Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect()
}

fn slices(report: &Value) -> &Vec<Value> {
    report["slices"].as_array().expect("a list")
}

#[test]
fn the_page_says_what_tables_says() {
    let (page, reported) = written(shared(), "");
    let page = parse(&page);
    let listed = json(&format!("tables --tables \"{}\"", shared().display()));
    let table = all(page.root(), "table").into_iter().next().expect("a table of slices");
    let rows: Vec<Vec<String>> = all(table, "tr")[1..]
        .iter()
        .map(|row| {
            let cells = row.children().filter(Node::is_element);
            // The first text of a cell; a share may stand below.
            cells
                .map(|cell| text(cell.descendants().find(Node::is_text).expect("a text")))
                .collect()
        })
        .collect();
    assert_eq!((rows.len(), slices(&reported).len()), (6, 6));
    for ((slice, row), reported) in slices(&listed).iter().zip(&rows).zip(slices(&reported)) {
        let name = format!("{}v{}", slice["own"], slice["opponent"]);
        let zugzwang = &slice["zugzwangs"];
        let counts = [
            &slice["positions"],
            &slice["win"],
            &slice["draw"],
            &slice["loss"],
            &slice["max_win"],
            &slice["max_loss"],
            &zugzwang["total"],
            &zugzwang["full"],
        ];
        let expected: Vec<_> = counts.iter().map(|count| count.to_string()).collect();
        let found: Vec<_> = row[1..].iter().map(|cell| cell.replace(',', "")).collect();
        assert_eq!((&row[0], found), (&name, expected));
        assert_eq!((&reported["win"], &reported["zugzwangs"]), (&slice["win"], zugzwang));

        // A picture of each position that `tables` shows, and its text.
        let sections = all(page.root(), "section");
        let id = format!("s{name}");
        let section = sections.iter().find(|section| section.attribute("id") == Some(&*id));
        let section = *section.expect("a section for each slice");
        let shown: Vec<_> = all(section, "code").into_iter().map(text).collect();
        let longest = [&slice["max_win_position"], &slice["max_loss_position"]].into_iter();
        let examples = zugzwang["examples"].as_array().expect("a list").iter();
        let positions = longest.chain(examples.map(|example| &example["position"]));
        let positions: Vec<_> = positions.filter_map(|position| position.as_str()).collect();
        assert_eq!(shown, positions);
        for (figure, position) in all(section, "figure").into_iter().zip(positions) {
            let stones = position.matches(['W', 'B']).count();
            assert_eq!(all(figure, "circle").len(), stones, "{position}");
        }

        // The line of play is as long as the distance, and ends the game.
        let lines = all(section, "p").into_iter().filter(|p| p.attribute("class") == Some("line"));
        let distances = [&slice["max_win"], &slice["max_loss"]];
        for (line, distance) in lines.zip(distances) {
            let line = text(line);
            let turns = line.split_whitespace().filter(|word| !word.ends_with('.'));
            assert_eq!(Some(turns.count() as u64), distance.as_u64(), "{name}: {line}");
        }
    }
}

#[test]
fn lines_of_play_are_legal_and_win() {
    let (page, _) = written(shared(), "");
    let page = parse(&page);
    let mut lines = 0;
    for figure in all(page.root(), "figure") {
        let Some(line) = all(figure, "p").into_iter().next() else { continue };
        let position = text(all(figure, "code")[0]);
        let turns: Vec<_> = text(line)
            .split_whitespace()
            .filter(|t| !t.ends_with('.'))
            .map(str::to_owned)
            .collect();
        let after = turns.join(" ");
        let end = json(&format!("moves --position \"{position}\" --after \"{after}\""));
        assert_eq!(end["turns"].as_array().map(Vec::len), Some(0), "{position} {after}");
        lines += 1;
    }
    assert_eq!(lines, 12);
}

#[test]
fn pictures_have_titles_and_nothing_is_fetched() {
    let (page, _) = written(shared(), "");
    let parsed = parse(&page);
    let pictures = all(parsed.root(), "svg");
    // The shares, and then each slice with its distances, two longest, and zugzwangs.
    assert_eq!(pictures.len(), 1 + 6 + 12 + all(parsed.root(), "code").len() - 12);
    let titles: Vec<_> = pictures
        .iter()
        .map(|picture| {
            assert_eq!(picture.attribute("role"), Some("img"));
            text(picture.first_element_child().expect("a title comes first"))
        })
        .collect();
    assert!(titles.iter().all(|title| !title.is_empty()));
    assert_eq!(titles.iter().collect::<BTreeSet<_>>().len(), titles.len(), "{titles:?}");

    for name in ["script", "link", "img", "iframe", "object"] {
        assert!(all(parsed.root(), name).is_empty(), "{name}");
    }
    assert!(!page.contains("url(") && !page.contains("@import"));
    let ids: Vec<_> = parsed.descendants().filter_map(|node| node.attribute("id")).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
    for link in all(parsed.root(), "a") {
        let to = link.attribute("href").and_then(|href| href.strip_prefix('#'));
        assert!(to.is_some_and(|id| ids.contains(&id)), "{link:?}");
    }
    for attribute in ["src", "srcset", "poster"] {
        assert!(parsed.descendants().all(|node| node.attribute(attribute).is_none()));
    }
    // The same again, to the byte.
    assert_eq!(written(shared(), "").0, page);
}

#[test]
fn tables_without_distances_have_a_page_too() {
    let dir = tempfile::tempdir().expect("a directory");
    let build = |more: &str| {
        json(&format!("build --board 3x3 --tables \"{}\" {more}", dir.path().display()))
    };
    build("--stones 4 --metric wdl --rules free-capture");
    let (page, reported) = written(dir.path(), "--board 3x3 --rules free-capture");
    let parsed = parse(&page);
    assert_eq!(slices(&reported).len(), 6);
    assert!(text(parsed.root()).contains("no distances"));
    // With distances for a part: each slice once, with them where they are.
    build("--stones 3 --metric dtw --rules free-capture");
    let (page, reported) = written(dir.path(), "--board 3x3 --rules free-capture");
    let metrics: Vec<_> =
        slices(&reported).iter().filter_map(|slice| slice["metric"].as_str()).collect();
    assert_eq!(metrics, ["dtw", "dtw", "dtw", "wdl", "wdl", "wdl"]);
    assert_eq!(all(parse(&page).root(), "section").len(), 6);
}

#[test]
fn a_line_of_play_ends_where_the_tables_do() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = "9x5_standard_2v2.dtw.fano";
    fs::copy(shared().join(file), dir.path().join(file)).expect("it can be copied");
    let (page, _) = written(dir.path(), "");
    assert!(text(parse(&page).root()).contains("continues in slices without a table"));
}

#[test]
fn what_cannot_be_reported_is_refused() {
    let tables = shared().display();
    refused("report", 2, &["--output"]);
    refused(
        &format!("report --tables \"{tables}\" --output /dev/null/page"),
        2,
        &["/dev/null/page"],
    );
    refused(
        &format!("report --tables \"{tables}\" --board 5x5 --output page"),
        2,
        &["5x5", "build"],
    );
    refused("report --tables /dev/null/tables --output page", 2, &["/dev/null/tables"]);
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("9x5_standard_1v1.dtw.fano"), "damage").expect("it can be written");
    let args = format!("report --tables \"{}\" --output page", dir.path().display());
    refused(&args, 2, &["9x5_standard_1v1.dtw.fano"]);
    assert!(!Path::new("page").exists());
    fanorona(words(&format!("report --tables \"{tables}\" --output")))
        .arg(dir.path().join("page.html"))
        .assert()
        .success()
        .stdout(predicates::str::starts_with("6 slices in "));
}
