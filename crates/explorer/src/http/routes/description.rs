//! The description of the API, which the server serves.

use serde_json::{Value, json};
use utoipa::OpenApi;

use super::super::reply::ErrorAnswer;
use crate::answer::{CertificateAnswer, PositionAnswer, ReviewDone};

/// The parts of the description that are not of a route.
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
    components(schemas(CertificateAnswer, ErrorAnswer, PositionAnswer, ReviewDone))
)]
pub(super) struct Frame;

/// The description of the API: an OpenAPI document.
#[derive(Debug)]
pub(crate) struct Description {
    document: Value,
    text: String,
}

impl Description {
    /// Completes the document of all routes.
    pub(super) fn new(document: &utoipa::openapi::OpenApi) -> Self {
        let mut document = serde_json::to_value(document).expect("all keys are texts");
        let paths = document["paths"].as_object_mut().into_iter().flatten();
        for (_, operation) in paths.flat_map(|(_, path)| path.as_object_mut()).flatten() {
            let responses = &mut operation["responses"];
            responses["200"]["description"] = json!("The answer.");
            responses["default"] = json!({
                "description": "The error, with the correct input or the remedy.",
                "content": {
                    "application/json": {"schema": {"$ref": "#/components/schemas/ErrorAnswer"}},
                },
            });
        }
        if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
            let parts: Vec<_> = schemas.values().flat_map(parts_of).collect();
            let whole = schemas.iter_mut().filter(|(name, _)| !parts.contains(name));
            whole.for_each(|(_, schema)| close(schema));
        }
        let text = document.to_string();
        Self { document, text }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The names of the parameters that a route has.
    pub(crate) fn parameters(&self, path: &str) -> Vec<&str> {
        let parameters = self.document["paths"][path]["get"]["parameters"].as_array();
        parameters.into_iter().flatten().filter_map(|about| about["name"].as_str()).collect()
    }

    pub(super) fn method(&self, path: &str) -> &'static str {
        if self.document["paths"][path]["post"].is_object() { "POST" } else { "GET" }
    }
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
