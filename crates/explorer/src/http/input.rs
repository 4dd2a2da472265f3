//! Input of requests: parameters of the address, and JSON bodies.

use std::error::Error as _;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, MatchedPath};
use axum::http::request::Parts;
use axum::http::{Request, header};
use fanorona_core::Position;
use http_body_util::LengthLimitError;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use utoipa::IntoParams;

use super::routes::description;
use crate::problem::{Problem, ProblemKind};
use crate::variant::Variant;

/// The largest body of a request, in bytes.
pub(crate) const MAX_BODY: usize = 64 << 10;

/// The longest address of a request, in bytes.
const MAX_ADDRESS: usize = 4 << 10;

/// The parameters that [`Parameters::variant`] reads, for the API's description.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only described")]
pub(crate) struct GameParameters {
    /// The size of the board, as in 9x5; if it is not given, that of the position, or 9x5.
    board: Option<String>,
    /// The preset and its options, as in forced-relay+no-turns-draw; standard if it is not given.
    rules: Option<String>,
}

/// The parameter with a position, for the API's description.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only described")]
pub(crate) struct PositionParameter {
    /// The position; the start of the board if it is not given.
    position: Option<String>,
}

/// The parameters of an address: those that the description of its route has, each at most once.
#[derive(Clone, Debug)]
pub(crate) struct Parameters(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Parameters {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        if query.len() > MAX_ADDRESS {
            let message = format!("the address has {} bytes of parameters", query.len());
            let expected = format!("at most {MAX_ADDRESS} bytes");
            return Err(Problem::new(ProblemKind::TooLarge, message, expected));
        }
        let pairs = axum::extract::Query::from_request_parts(parts, state).await;
        let axum::extract::Query(pairs) = pairs.map_err(|error| {
            let expected = "name=value, joined by &, in UTF-8 with percent signs";
            Problem::new(ProblemKind::BadParameter, error.body_text(), expected)
        })?;
        let path = parts.extensions.get::<MatchedPath>();
        let names = path.map(|path| description().parameters(path.as_str())).unwrap_or_default();
        Self(pairs).only(&names)
    }
}

impl Parameters {
    /// Refuses parameters with other names than these, and those that are given twice.
    fn only(self, names: &[&str]) -> Result<Self, Problem> {
        for (i, (name, _)) in self.0.iter().enumerate() {
            let problem = if !names.contains(&name.as_str()) {
                "there is no such parameter here"
            } else if self.0[..i].iter().any(|(earlier, _)| earlier == name) {
                "a parameter is given twice"
            } else {
                continue;
            };
            let expected = format!("each at most once: {}", names.join(", "));
            return Err(Problem::new(ProblemKind::BadParameter, problem, expected));
        }
        Ok(self)
    }

    /// The text of a parameter.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(found, _)| found == name).map(|(_, text)| text.as_str())
    }

    /// A number within a range.
    pub(crate) fn number<T>(
        &self,
        name: &'static str,
        range: RangeInclusive<T>,
    ) -> Result<Option<T>, Problem>
    where
        T: FromStr + PartialOrd + Display,
    {
        let Some(text) = self.text(name) else { return Ok(None) };
        let number = text.parse().ok().filter(|number| range.contains(number));
        let wrong = || {
            let expected = format!("a number from {} to {}", range.start(), range.end());
            let message = format!("{name} is not {expected}");
            Problem::new(ProblemKind::BadNumber, message, expected).in_field(name)
        };
        number.map(Some).ok_or_else(wrong)
    }

    /// True or false.
    pub(crate) fn flag(&self, name: &'static str) -> Result<bool, Problem> {
        match self.text(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => {
                let message = format!("{name} is neither true nor false");
                Err(Problem::new(ProblemKind::BadParameter, message, "true or false")
                    .in_field(name))
            }
        }
    }

    /// The board and the rules. The board is that of the position, if there is one.
    pub(crate) fn variant(&self) -> Result<Variant, Problem> {
        // In an address, a plus sign that is not written as %2B means a space.
        let rules = self.text("rules").map(|rules| rules.replace(' ', "+"));
        Variant::parse(self.text("board"), rules.as_deref(), self.text("position"))
    }

    /// The board, the rules and the position.
    pub(crate) fn position(&self) -> Result<(Variant, Position), Problem> {
        let variant = self.variant()?;
        Ok((variant, variant.position(self.text("position"))?))
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct JsonBody<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request<Body>, _: &S) -> Result<Self, Problem> {
        let wrong = |message: &str| {
            Problem::new(ProblemKind::BadBody, message, "a JSON object as the API describes it")
        };
        // Other pages cannot send this type without asking the server first.
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            return Err(wrong("the body is not marked as application/json"));
        }
        let body = to_bytes(request.into_body(), MAX_BODY).await.map_err(|error| {
            if error.source().is_some_and(|source| source.is::<LengthLimitError>()) {
                let expected = format!("at most {MAX_BODY} bytes");
                return Problem::new(ProblemKind::TooLarge, "the body is too long", expected);
            }
            // Its chunks are malformed, or the connection is lost, where nobody reads the answer.
            wrong(&format!("the body cannot be read: {error}"))
        })?;
        // Some programs write a byte order mark before a text in UTF-8.
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&body);
        // From a list, serde would take the fields in their order.
        if !body.trim_ascii_start().starts_with(b"{") {
            return Err(wrong("the body is not a JSON object"));
        }
        serde_json::from_slice(body).map(Self).map_err(|error| wrong(&shortened(&error)))
    }
}

/// Reads a part of a body that is an object or null; as with the body, a list is refused.
///
/// # Errors
/// If it is neither, or not the object that is described.
pub(crate) fn object_or_null<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let fields = Option::<Map<String, Value>>::deserialize(from)?;
    fields.map(|fields| T::deserialize(Value::Object(fields)).map_err(D::Error::custom)).transpose()
}

/// The message of a JSON error, without the long texts that it may repeat.
fn shortened(error: &serde_json::Error) -> String {
    const MAX: usize = 200;
    let text = error.to_string();
    if text.len() <= MAX {
        return text;
    }
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.chars().take(MAX).chain("…".chars()).chain(place.chars()).collect()
}
