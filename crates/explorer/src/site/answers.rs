//! Answers without a socket, as the page asks for them.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use http_body_util::BodyExt;
use tower::ServiceExt;

use crate::http::Explorer;
use crate::problem::{Problem, ProblemKind};
use crate::variant::Variant;

/// The address of a request, as the page writes it: `url()` in `js/api.js`.
pub fn address(route: &str, query: &[(&str, &str)]) -> String {
    let mut address = format!("api/v1/{route}");
    for (i, (name, value)) in query.iter().enumerate() {
        let before = if i == 0 { '?' } else { '&' };
        address += &format!("{before}{name}={}", encoded(value));
    }
    address
}

/// A value in an address, as `URLSearchParams` writes it.
fn encoded(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'*' | b'-' | b'.' | b'_' => text.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => text.push(byte.into()),
            b' ' => text.push('+'),
            _ => text += &format!("%{byte:02X}"),
        }
    }
    text
}

/// The requests that a page makes when it opens with the start of one of these variants.
pub fn prepared_requests(variants: &[Variant]) -> Vec<String> {
    let of_variant = |Variant { board, rules }: &Variant| {
        let (position, board, rules) =
            (board.start().to_string(), board.to_string(), rules.to_string());
        let game = [("board", &*board), ("rules", &*rules)];
        let position = [game[0], game[1], ("position", &*position), ("detail", "tree")];
        [address("board", &game), address("position", &position)]
    };
    let about = address("about", &[]);
    std::iter::once(about).chain(variants.iter().flat_map(of_variant)).collect()
}

/// The answer to a request without a body.
///
/// # Errors
/// If the answer is an error.
pub fn answer(explorer: &Arc<Explorer>, address: &str) -> Result<Vec<u8>, Problem> {
    let failed = |error: &dyn std::fmt::Display| {
        let message = format!("'{address}' has no answer: {error}");
        Problem::new(ProblemKind::Internal, message, "a request that the API answers")
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| failed(&error))?.block_on(async {
        let request = Request::get(format!("/{address}")).header(header::HOST, "localhost");
        let request = request.body(Body::empty()).map_err(|error| failed(&error))?;
        // The error of a router is that it has none.
        let Ok(response) = explorer.router().oneshot(request).await;
        let status = response.status();
        let body = response.into_body().collect().await.map_err(|error| failed(&error))?.to_bytes();
        match status {
            StatusCode::OK => Ok(body.into()),
            _ => Err(failed(&String::from_utf8_lossy(&body))),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page's own preloads are written by hand, as a browser writes addresses.
    #[test]
    fn addresses_are_those_of_the_page() {
        let index = include_str!("../../web/index.html").replace("&amp;", "&");
        for request in prepared_requests(&[Variant::default()]) {
            assert!(index.contains(&format!("href=\"{request}\"")), "{request}");
        }
        let query = [("rules", "vela+stones-3"), ("a", "~é*-._")];
        let expected = "api/v1/x?rules=vela%2Bstones-3&a=%7E%C3%A9*-._";
        assert_eq!(address("x", &query), expected);
    }
}
