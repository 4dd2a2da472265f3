//! Asking the server without a socket. Every answer is compared with the description of the API.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, Response, StatusCode};
use fanorona_builder::{BuildOptions, build};
use fanorona_core::{Board, Position, RuleSet};
use fanorona_explorer::{Explorer, Library, LibraryOptions, Settings};
use fanorona_proof::Certificate;
use fanorona_tablebase::{Metric, Tables};
use http_body_util::BodyExt;
use jsonschema::Validator;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tower::ServiceExt;

pub(crate) static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Runtime::new().expect("threads can be started"));

/// Tables of 5x5: distances to 4 stones, and values to 5 under standard rules.
pub(crate) static TABLES: LazyLock<TempDir> = LazyLock::new(|| {
    let dir = tempfile::tempdir().expect("a directory");
    for rules in ["standard", "free-capture", "forced-relay"] {
        build_tables(dir.path(), "5x5", rules, 4, Metric::Dtw);
    }
    build_tables(dir.path(), "5x5", "standard", 5, Metric::Wdl);
    build_tables(dir.path(), "5x5", "vela+stones-1", 3, Metric::Dtw);
    dir
});

pub(crate) fn build_tables(dir: &Path, board: &str, rules: &str, stones: u32, metric: Metric) {
    let (board, rules): (Board, RuleSet) = (board.parse().unwrap(), rules.parse().unwrap());
    let options = BuildOptions::new(dir, board, rules, stones).with_metric(metric);
    build(&options, &(), &AtomicBool::new(false)).expect("they can be built");
}

pub(crate) fn open_tables(rules: &str) -> Tables {
    Tables::open(TABLES.path(), Board::dimy(), rules.parse().unwrap()).expect("they are there")
}

/// A certificate of this repository.
pub(crate) fn proof(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs").join(format!("{name}.proof"))
}

/// A server with the tables and the certificates of small boards.
pub(crate) fn explorer_with(settings: Settings) -> Arc<Explorer> {
    let books = ["3x3-standard", "5x3-standard", "3x5-standard", "5x5-standard"];
    explorer_in(Some(TABLES.path().to_owned()), &books, settings)
}

pub(crate) fn explorer_in(
    dir: Option<PathBuf>,
    books: &[&str],
    settings: Settings,
) -> Arc<Explorer> {
    let certificates = books.iter().map(|name| Certificate::open(proof(name)).unwrap());
    let library = Library::new(LibraryOptions::new(dir), certificates.collect());
    Explorer::new(library, settings)
}

/// A server with a library of these options alone.
pub(crate) fn library_explorer(options: LibraryOptions) -> Arc<Explorer> {
    Explorer::new(Library::new(options, Vec::new()), Settings::default())
}

/// A server with the tables, and without certificates.
pub(crate) static WITHOUT_BOOKS: LazyLock<Arc<Explorer>> =
    LazyLock::new(|| explorer_in(Some(TABLES.path().to_owned()), &[], Settings::default()));

static SHARED: LazyLock<Arc<Explorer>> = LazyLock::new(|| explorer_with(Settings::default()));

#[derive(Debug)]
pub(crate) struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).expect("it is JSON")
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.bytes.clone()).expect("it is text")
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("it is text"))
    }
}

/// A request for this machine.
pub(crate) fn request(method: Method, address: &str) -> axum::http::request::Builder {
    Request::builder().method(method).uri(address).header("host", "localhost:7878")
}

pub(crate) fn send(explorer: &Arc<Explorer>, request: Request<Body>) -> Answer {
    RUNTIME.block_on(async {
        let response = explorer.router().oneshot(request).await.expect("it never fails");
        collect(response).await
    })
}

async fn collect(response: Response<Body>) -> Answer {
    let (head, body) = response.into_parts();
    let bytes = body.collect().await.expect("it is complete").to_bytes().to_vec();
    Answer { status: head.status, headers: head.headers, bytes }
}

/// Asks a server, and compares the answer with the description of the API.
pub(crate) fn ask(explorer: &Arc<Explorer>, request: Request<Body>) -> Answer {
    let method = request.method().as_str().to_lowercase();
    let path = request.uri().path().to_owned();
    let answer = send(explorer, request);
    if path.starts_with("/api/") && answer.status != StatusCode::NOT_MODIFIED {
        check_described(&method, &path, &answer);
    }
    answer
}

/// The answer to GET.
pub(crate) fn get(address: &str) -> Answer {
    ask(&SHARED, request(Method::GET, address).body(Body::empty()).unwrap())
}

/// The answer to GET, which must be 200.
pub(crate) fn good(address: &str) -> Value {
    let answer = get(address);
    assert_eq!(answer.status, StatusCode::OK, "{address}: {}", answer.text());
    answer.json()
}

pub(crate) fn json_request(address: &str, body: impl Into<Body>) -> Request<Body> {
    request(Method::POST, address)
        .header("content-type", "application/json")
        .body(body.into())
        .unwrap()
}

/// The answer to POST.
pub(crate) fn post(address: &str, body: &Value) -> Answer {
    ask(&SHARED, json_request(address, body.to_string()))
}

/// The answer to POST, which must be 200.
pub(crate) fn good_post(address: &str, body: &Value) -> Value {
    let answer = post(address, body);
    assert_eq!(answer.status, StatusCode::OK, "{address} {body}: {}", answer.text());
    answer.json()
}

/// The address of a position of 5x5.
pub(crate) fn of_position(route: &str, rules: &str, position: &Position) -> String {
    let position = position.to_string().replace(' ', "%20");
    format!("/api/v1/{route}?board={}&rules={rules}&position={position}", board_of(&position))
}

fn board_of(position: &str) -> Board {
    position.replace("%20", " ").parse::<Position>().expect("a position").board()
}

/// The description of the API.
pub(crate) static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let address = "/api/v1/openapi.json";
    let answer = send(&SHARED, request(Method::GET, address).body(Body::empty()).unwrap());
    assert_eq!(answer.status, StatusCode::OK);
    answer.json()
});

static VALIDATORS: LazyLock<HashMap<String, Validator>> = LazyLock::new(|| {
    let schemas = DOCUMENT["components"]["schemas"].as_object().expect("there are schemas");
    let validator = |name: &String| {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$ref": format!("#/components/schemas/{name}"),
            "components": DOCUMENT["components"],
        });
        jsonschema::validator_for(&schema).expect("the schema is one")
    };
    schemas.keys().map(|name| (name.clone(), validator(name))).collect()
});

/// Compares JSON with a schema of the document.
pub(crate) fn check_schema(name: &str, value: &Value) {
    let errors: Vec<_> = VALIDATORS[name]
        .iter_errors(value)
        .map(|error| format!("{} at {}", error, error.instance_path))
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:?}");
}

/// Compares an answer with what the document says of its route.
fn check_described(method: &str, path: &str, answer: &Answer) {
    if path == "/api/v1/openapi.json" && answer.status == StatusCode::OK {
        return;
    }
    let responses = &DOCUMENT["paths"][path][method]["responses"];
    if !responses.is_object() {
        assert!(!answer.status.is_success(), "{method} {path} is not described");
        return check_schema("ErrorAnswer", &answer.json());
    }
    let response = match answer.status {
        StatusCode::OK => &responses["200"],
        _ => &responses["default"],
    };
    let (kind, content) = response["content"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(answer.header("content-type"), kind, "{path}");
    if kind != "application/json" {
        return;
    }
    let reference = content["schema"]["$ref"].as_str().expect("it is a reference");
    check_schema(reference.rsplit('/').next().unwrap(), &answer.json());
}
