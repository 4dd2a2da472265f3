//! Replies: JSON, errors, and what caches need to know.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use serde::Serialize;
use utoipa::ToSchema;
use xxhash_rust::xxh3::Xxh3;

use crate::problem::{Problem, ProblemKind};

pub(crate) type Answer = Result<Response<Body>, Problem>;

/// The body of every answer with a status from 400.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ErrorAnswer {
    /// The error, with its kind and a message.
    pub error: ErrorDetails,
}

/// An error in a request, or in making its answer.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ErrorDetails {
    /// The kind of the error: one of a fixed list of words.
    pub code: &'static str,
    /// The error in words.
    pub message: String,
    /// A correct input instead, or the remedy.
    pub expected: String,
    /// The parameter or the field of the body that is wrong. Null if it is none of them.
    #[schema(required)]
    pub field: Option<&'static str>,
}

/// After how many seconds a client may ask again if the server is busy.
const RETRY_AFTER: &str = "2";

impl From<Problem> for ErrorAnswer {
    fn from(problem: Problem) -> Self {
        let Problem { kind, message, expected, field } = problem;
        Self { error: ErrorDetails { code: kind.code(), message, expected, field } }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        let status = self.kind.status();
        let mut response = json(&ErrorAnswer::from(self));
        *response.status_mut() = status;
        if status == StatusCode::SERVICE_UNAVAILABLE {
            let seconds = HeaderValue::from_static(RETRY_AFTER);
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        not_stored(response)
    }
}

pub(crate) fn json(answer: &impl Serialize) -> Response<Body> {
    match serde_json::to_vec(answer) {
        Ok(bytes) => of_bytes(bytes),
        Err(error) => Problem::bug(error).into_response(),
    }
}

/// JSON that is already written.
pub(crate) fn of_bytes(bytes: impl Into<Body>) -> Response<Body> {
    of_type("application/json", bytes)
}

pub(crate) fn of_type(media_type: &'static str, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    let media_type = HeaderValue::from_static(media_type);
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    response
}

/// The same response, which nobody may keep.
pub(crate) fn not_stored(mut response: Response<Body>) -> Response<Body> {
    let no_store = HeaderValue::from_static("no-store");
    response.headers_mut().insert(header::CACHE_CONTROL, no_store);
    response
}

/// The tag of an answer, which changes when the answer may change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tag(String);

impl Tag {
    /// The tag of an answer that follows from these texts, from the tables with this identity, and
    /// from the version of the program.
    pub(crate) fn new(identity: u64, parts: &[&str]) -> Self {
        let mut hash = Xxh3::new();
        hash.update(env!("CARGO_PKG_VERSION").as_bytes());
        hash.update(&identity.to_le_bytes());
        for part in parts {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        // Weak: the answer may be compressed in different ways.
        Self(format!("W/\"{:016x}\"", hash.digest()))
    }

    /// The tag of a file.
    pub(crate) fn of_file(bytes: &[u8]) -> Self {
        Self(format!("W/\"{:016x}\"", xxhash_rust::xxh3::xxh3_64(bytes)))
    }

    /// The answer with this tag, which is made unless the client has it.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn answer(
        &self,
        request: &HeaderMap,
        freshness: Freshness,
        make: impl FnOnce() -> Answer,
    ) -> Answer {
        let mut response = if self.is_known(request) {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            make()?
        };
        let headers = response.headers_mut();
        if let Ok(tag) = HeaderValue::from_str(&self.0) {
            headers.insert(header::ETAG, tag);
        }
        headers.entry(header::CACHE_CONTROL).or_insert(freshness.header());
        Ok(response)
    }

    /// Whether the client has the answer with this tag.
    fn is_known(&self, request: &HeaderMap) -> bool {
        let strong = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
        request.get_all(header::IF_NONE_MATCH).iter().any(|value| {
            let tags = value.to_str().unwrap_or_default().split(',');
            tags.map(strong).any(|tag| tag == "*" || tag == strong(&self.0))
        })
    }
}

/// How long an answer may be used without asking again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Freshness {
    /// For an hour: it cannot change while the program has this version.
    Exact,
    /// Ask each time whether it has changed.
    Ask,
}

impl Freshness {
    pub(crate) fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Exact => "public, max-age=3600",
            Self::Ask => "no-cache",
        })
    }
}

/// The answer for an address that leads nowhere.
pub(crate) fn nothing_here() -> Problem {
    Problem::new(
        ProblemKind::NotFound,
        "there is nothing at this address",
        "an address of /api/v1/openapi.json, or /",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_differ_where_answers_may() {
        let tag = |identity, parts: &[&str]| Tag::new(identity, parts);
        let some = tag(1, &["ab", "c"]);
        assert_eq!(some, tag(1, &["ab", "c"]));
        let others: [(u64, &[&str]); 5] =
            [(2, &["ab", "c"]), (1, &["a", "bc"]), (1, &["abc"]), (1, &["ab", "c", ""]), (1, &[])];
        for (identity, parts) in others {
            assert_ne!(some, tag(identity, parts), "{identity} {parts:?}");
        }
    }
}
