//! The folder of static files: its page, and the answers in it.

use std::collections::BTreeSet;

use axum::body::Body;
use axum::http::{Method, StatusCode};
use fanorona_explorer::site::{Checksum, Manifest};
use fanorona_explorer::site::{
    PreparedAnswer, SERVICE_WORKER, answer, page_files, prepared_requests, service_worker,
};
use fanorona_explorer::{ProblemKind, Settings, Variant};

use crate::common::{WITHOUT_BOOKS, explorer_in, request, send};

#[test]
fn prepared_answers_are_those_of_the_server() {
    let variant = |board, rules| Variant::parse(Some(board), Some(rules), None).unwrap();
    let variants =
        [Variant::default(), variant("5x5", "vela+stones-1"), variant("3x3", "standard")];
    let requests = prepared_requests(&variants);
    assert_eq!(requests.len(), 1 + 2 * variants.len());
    for address in requests {
        let asked = request(Method::GET, &format!("/{address}")).body(Body::empty()).unwrap();
        let expected = send(&WITHOUT_BOOKS, asked);
        assert_eq!(expected.status, StatusCode::OK, "{address}");
        assert_eq!(answer(&WITHOUT_BOOKS, &address).unwrap(), expected.bytes, "{address}");
    }
    let problem = answer(&WITHOUT_BOOKS, "api/v1/board?board=4x4").unwrap_err();
    assert_eq!(problem.kind, ProblemKind::Internal);
    assert!(problem.message.contains("bad_board"), "{problem}");
    assert!(answer(&WITHOUT_BOOKS, "not an address").is_err());
}

/// With the files of a page that needs no server, the server's own page leads to it.
#[test]
fn the_server_also_has_the_page_that_needs_none() {
    let mut settings = Settings::default();
    settings.static_files = page_files(&[]);
    settings.static_files.push(("assets/fanorona_bg.packed".to_owned(), b"\x1f\x8b".into()));
    let files = settings.static_files.clone();
    let get = |explorer: &_, path: &str| {
        send(explorer, request(Method::GET, path).body(Body::empty()).unwrap())
    };
    let explorer = explorer_in(None, &[], settings);
    for (path, bytes) in &files {
        let found = get(&explorer, &format!("/static/{path}"));
        assert_eq!(found.status, StatusCode::OK, "{path}");
        assert_eq!(found.bytes, **bytes, "{path}");
        let policies: Vec<_> = found.headers.get_all("content-security-policy").iter().collect();
        assert_eq!(policies.len(), 2, "{policies:?}");
        assert!(policies[0].to_str().unwrap().contains("'wasm-unsafe-eval'"), "{path}");
        assert_eq!(found.headers["x-content-type-options"], "nosniff");
    }
    assert!(get(&explorer, "/static/").text().contains("data-backend=\"worker\""));
    let module = get(&explorer, "/static/assets/fanorona_bg.packed");
    assert_eq!(module.headers["content-type"], "application/octet-stream");
    for path in ["/static/none.js", "/static/assets", "/static/../index.html"] {
        assert_eq!(get(&explorer, path).status, StatusCode::NOT_FOUND, "{path}");
    }
    assert!(get(&explorer, "/").text().contains("<html data-static "));
    // Without them, it does not.
    assert_eq!(get(&WITHOUT_BOOKS, "/static/").status, StatusCode::NOT_FOUND);
    assert!(!get(&WITHOUT_BOOKS, "/").text().contains("data-static"));
}

/// The element has what the header has, and what a module in a worker needs besides.
#[test]
fn the_policy_is_that_of_the_server() {
    let asked = request(Method::GET, "/").body(Body::empty()).unwrap();
    let served = send(&WITHOUT_BOOKS, asked);
    let files = page_files(&[]);
    let (_, page) = files.iter().find(|(path, _)| path == "index.html").unwrap();
    let page = String::from_utf8_lossy(page);
    let (_, rest) = page.split_once("http-equiv=\"Content-Security-Policy\" content=\"").unwrap();
    let (policy, _) = rest.split_once('"').unwrap();
    let parts = |policy: &str| -> BTreeSet<String> {
        policy.split(';').map(|part| part.trim().to_owned()).collect()
    };
    let (folder, server) = (parts(policy), parts(served.header("content-security-policy")));
    let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| -> Vec<String> {
        a.difference(b).cloned().collect()
    };
    assert_eq!(only(&server, &folder), ["frame-ancestors 'none'", "script-src 'self'"]);
    let more = ["manifest-src 'self'", "script-src 'self' 'wasm-unsafe-eval'", "worker-src 'self'"];
    assert_eq!(only(&folder, &server), more);
}

#[test]
fn the_page_is_that_of_the_server() {
    let answers =
        [PreparedAnswer { request: "api/v1/about".to_owned(), path: "answers/0.json".to_owned() }];
    let files = page_files(&answers);
    let mut compared = 0;
    for (path, bytes) in &files {
        // The service worker of an older version must never be taken for a file of this one.
        assert_ne!(path, SERVICE_WORKER);
        let asked = request(Method::GET, &format!("/{path}")).body(Body::empty()).unwrap();
        let served = send(&WITHOUT_BOOKS, asked);
        if path.starts_with("assets/") && served.status == StatusCode::OK {
            assert_eq!(served.bytes, **bytes, "{path}");
            compared += 1;
        }
    }
    assert!(compared > 7, "{compared}");
    let index = files.iter().find(|(path, _)| path == "index.html").unwrap();
    let index = String::from_utf8_lossy(&index.1);
    assert!(index.contains("href=\"answers/0.json\"") && !index.contains("api/v1"), "{index}");
}

#[test]
fn the_service_worker_has_the_version() {
    let version = Checksum(7);
    if let Some(script) = service_worker(version) {
        assert_eq!(script.matches(&format!("\"{version}\"")).count(), 1, "{script}");
        assert!(!script.contains("\"VERSION\""));
    }
    let manifest = Manifest::new(32 << 10);
    assert_eq!(manifest.clone().with_version(), manifest.clone().with_version());
    assert_ne!(manifest.clone().with_version().version, manifest.version);
}
