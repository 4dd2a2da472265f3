//! Who may ask, and what caches learn.

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use fanorona_explorer::Settings;
use std::time::Duration;

use crate::common::{explorer_with, get, json_request, request, send};

const ADDRESS: &str = "/api/v1/position?board=5x5&position=5/5/1W1B1/5/5%20w";

#[test]
fn other_names_are_refused() {
    let mut settings = Settings::default();
    settings.hosts = vec!["fanorona.example".to_owned()];
    let explorer = explorer_with(settings);
    let ask = |hosts: &[&str], address: &str| {
        let mut request = Request::get(address);
        for host in hosts {
            request = request.header("host", *host);
        }
        send(&explorer, request.body(Body::empty()).unwrap())
    };
    for host in
        ["localhost", "127.0.0.1:7878", "[::1]:7878", "fanorona.example", "Fanorona.Example:443"]
    {
        assert_eq!(ask(&[host], ADDRESS).status, StatusCode::OK, "{host}");
    }
    for hosts in [
        &[][..],
        &["evil.example"],
        &["127.0.0.1.evil.example"],
        &["localhost@evil.example"],
        &["localhost", "evil.example"],
        &[""],
    ] {
        for address in [ADDRESS, "/", "/nothing"] {
            let answer = ask(hosts, address);
            assert_eq!(answer.status, StatusCode::MISDIRECTED_REQUEST, "{hosts:?} {address}");
            assert_eq!(answer.json()["error"]["code"], "wrong_host");
        }
    }
    // The name within the address counts too.
    let absolute = "http://evil.example/api/v1/about";
    assert_eq!(ask(&["localhost"], absolute).status, StatusCode::MISDIRECTED_REQUEST);
    // Who watches over the server asks by its address.
    assert_eq!(ask(&["10.0.0.7:7878"], "/healthz").status, StatusCode::OK);
}

#[test]
fn pages_of_other_sites_may_not_ask() {
    let explorer = explorer_with(Settings::default());
    let ask = |name: &str, value: &str, address: &str| {
        let request = request(Method::GET, address).header(name, value);
        send(&explorer, request.body(Body::empty()).unwrap()).status
    };
    for origin in ["http://evil.example", "null", "http://localhost.evil.example:7878"] {
        assert_eq!(ask("origin", origin, ADDRESS), StatusCode::FORBIDDEN, "{origin}");
    }
    assert_eq!(ask("sec-fetch-site", "cross-site", ADDRESS), StatusCode::FORBIDDEN);
    assert_eq!(ask("origin", "http://localhost:7878", ADDRESS), StatusCode::OK);
    assert_eq!(ask("sec-fetch-site", "same-origin", ADDRESS), StatusCode::OK);
    // A link may lead to the page.
    assert_eq!(ask("sec-fetch-site", "cross-site", "/"), StatusCode::OK);
}

#[test]
fn every_answer_has_the_headers_of_safety() {
    for address in ["/", "/healthz", "/api/v1/about", "/api/v1/nothing", "/api/v1/position?board=1"]
    {
        let answer = get(address);
        let policy = answer.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self';"),
            "{address}: {policy}"
        );
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"));
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
    }
}

#[test]
fn an_answer_that_is_known_is_not_sent_again() {
    let explorer = explorer_with(Settings::default());
    for address in
        [ADDRESS, "/", "/api/v1/board", "/api/v1/line", "/api/v1/tables", "/api/v1/openapi.json"]
    {
        let ask = |tag: Option<&str>| {
            let mut request = request(Method::GET, address);
            if let Some(tag) = tag {
                request = request.header("if-none-match", tag);
            }
            send(&explorer, request.body(Body::empty()).unwrap())
        };
        let first = ask(None);
        let tag = first.header("etag").to_owned();
        assert!(tag.starts_with("W/\""), "{address}");
        let again = ask(Some(&tag));
        assert_eq!((again.status, again.bytes.len()), (StatusCode::NOT_MODIFIED, 0), "{address}");
        assert_eq!(again.header("etag"), tag);
        let list = format!("\"other\", {tag}");
        assert_eq!(ask(Some(&list)).status, StatusCode::NOT_MODIFIED);
        assert_eq!(ask(Some("\"other\"")).status, StatusCode::OK);
    }
}

#[test]
fn answers_are_compressed_if_the_client_can_read_it() {
    let explorer = explorer_with(Settings::default());
    let request = request(Method::GET, "/api/v1/openapi.json").header("accept-encoding", "gzip");
    let answer = send(&explorer, request.body(Body::empty()).unwrap());
    assert_eq!(answer.header("content-encoding"), "gzip");
    assert_eq!(answer.bytes[..2], [0x1f, 0x8b]);
    let plain = get("/api/v1/openapi.json");
    assert!(answer.bytes.len() * 3 < plain.bytes.len());
}

#[test]
fn searches_and_opponents_may_not_be_offered() {
    let mut settings = Settings::default();
    settings.searches = 0;
    settings.opponents = 0;
    let explorer = explorer_with(settings);
    let search = request(Method::GET, "/api/v1/search").body(Body::empty()).unwrap();
    let turn = json_request("/api/v1/opponent", r#"{"turns": [], "level": 1}"#);
    for request in [search, turn] {
        let answer = send(&explorer, request);
        assert_eq!(answer.status, StatusCode::FORBIDDEN);
        let error = answer.json()["error"].clone();
        assert_eq!(error["code"], "not_offered");
        assert!(error["message"].as_str().is_some_and(|text| text.contains("offers no ")));
        assert!(answer.header("retry-after").is_empty(), "it does not help to ask again");
    }
}

#[test]
fn an_answer_may_not_take_for_ever() {
    let mut settings = Settings::default();
    settings.request_time = Duration::from_millis(50);
    let explorer = explorer_with(settings);
    let body = r#"{"turns": [], "level": 8, "seconds": 10}"#;
    let answer = send(&explorer, json_request("/api/v1/opponent", body));
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.json()["error"]["code"], "timeout");
}
