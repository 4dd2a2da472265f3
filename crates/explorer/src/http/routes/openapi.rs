//! The description of the API, which the server serves.

use std::sync::OnceLock;

use axum::body::Body;
use axum::http::{HeaderMap, Response};
use serde_json::Value;
use utoipa::OpenApi;

use super::super::reply::{ErrorAnswer, Freshness, Tag, of_bytes};
use super::super::state::App;
use super::{about, game, position, search, tables};
use crate::answer::CertificateAnswer;
use crate::problem::{Problem, ProblemKind};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Fanorona",
        description = "Positions, values, turns, proofs and play of the board game Fanorona. \
                       The value of a position is for the side to move. The value of a turn or a \
                       step is for the side that makes it. Distances (dtw) are turns of both sides \
                       until the end of the game.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    paths(
        about::about,
        about::board,
        position::position,
        position::positions,
        position::line,
        game::turn,
        game::game,
        game::record,
        game::opponent,
        search::search,
        tables::tables,
        tables::drill,
    ),
    components(schemas(CertificateAnswer, ErrorAnswer))
)]
struct Api;

/// The document, as text.
fn text() -> Result<&'static str, Problem> {
    static TEXT: OnceLock<Result<String, String>> = OnceLock::new();
    let text = TEXT.get_or_init(|| {
        let mut document = serde_json::to_value(Api::openapi()).map_err(|e| e.to_string())?;
        if let Some(Value::Object(schemas)) = document.pointer_mut("/components/schemas") {
            let parts: Vec<_> = schemas.values().flat_map(parts_of).collect();
            let whole = schemas.iter_mut().filter(|(name, _)| !parts.contains(name));
            whole.for_each(|(_, schema)| close(schema));
        }
        serde_json::to_string(&document).map_err(|e| e.to_string())
    });
    let failed = |error: &String| Problem::new(ProblemKind::Internal, error, "nothing: report it");
    text.as_deref().map_err(failed)
}

/// The names of the types whose fields a type has besides its own. They have to be open.
fn parts_of(schema: &Value) -> Vec<String> {
    let parts = schema["allOf"].as_array().into_iter().flatten();
    let names = parts.filter_map(|part| part["$ref"].as_str()?.rsplit('/').next());
    names.map(str::to_owned).collect()
}

/// Objects have the described fields and no others.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) if fields.contains_key("allOf") => {
            fields.insert("unevaluatedProperties".to_owned(), Value::Bool(false));
        }
        Value::Object(fields) => {
            if fields.get("properties").is_some_and(Value::is_object)
                && fields.get("type").is_some_and(|kind| kind == "object")
            {
                fields.entry("additionalProperties").or_insert(Value::Bool(false));
            }
            fields.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// The description of the API.
pub(super) async fn document(
    App { 0: app, .. }: App,
    request: HeaderMap,
) -> Result<Response<Body>, Problem> {
    let text = text()?;
    let tag = Tag::of_file(text.as_bytes());
    if tag.is_known(&request) {
        app.metrics.cache_hits.inc();
        return Ok(tag.not_modified(Freshness::Ask));
    }
    let mut response = of_bytes(text);
    tag.mark(&mut response, Freshness::Ask);
    Ok(response)
}
