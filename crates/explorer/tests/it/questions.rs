//! The questions that every face answers alike.

use std::path::Path;

use axum::body::Body;
use axum::http::{Method, StatusCode};
use fanorona_explorer::{Explorer, Library, LibraryOptions, Settings};
use fanorona_tests::questions::{self, Question};

use crate::common::{ask, build_tables, request};
use crate::routes::events;

#[test]
fn the_api_answers_the_questions() {
    let (tables, asked) = questions::read();
    let dir = tempfile::tempdir().expect("a directory");
    for questions::Tables { board, rules, stones, metric } in &tables {
        let metric = metric.parse().expect("a metric");
        build_tables(dir.path(), board, rules, *stones, metric);
    }
    let mut options = LibraryOptions::new([dir.path().to_owned()]);
    // The files of the certificates that are a part of the program.
    let proofs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs");
    options.proofs = vec![proofs.clone(), proofs.join("openings")];
    // As many as can be at work have one thread each.
    let mut settings = Settings::default();
    settings.searches = 1 << 16;
    let explorer = Explorer::new(Library::new(options, Vec::new()), settings);
    let get = |route: &str, more: &str, question: &Question| {
        let Question { board, rules, position, .. } = question;
        let place = position.replace(' ', "%20").replace('+', "%2B");
        let address =
            format!("/api/v1/{route}?board={board}&rules={rules}&position={place}&{more}");
        let answer = ask(&explorer, request(Method::GET, &address).body(Body::empty()).unwrap());
        assert_eq!(answer.status, StatusCode::OK, "{address}: {}", answer.text());
        answer
    };
    let answer = |question: &Question| {
        let found = get("position", "detail=turns", question).json();
        let (mut turns, mut last) = (found["turns"].clone(), found.clone());
        if found["value"] == "unknown" {
            let more = format!("nodes={}", question.nodes);
            for (name, event) in events(&get("search", &more, question).text()) {
                match &*name {
                    "position" => turns = event["turns"].clone(),
                    "done" => last = event,
                    _ => {}
                }
            }
        }
        questions::answer(&last, &turns)
    };
    let found: Vec<_> = asked.iter().map(answer).collect();
    questions::compare("API", &asked, &found);
}
