//! The names that the server may be asked by.
//!
//! A page of another site can make its own name lead to this machine (DNS rebinding), and then read
//! what this server answers. Its requests carry that name, so they are refused.

use axum::http::{HeaderMap, Uri, header};

use crate::problem::{Problem, ProblemKind};

/// The names of a loopback address.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The names that the server may be asked by, without ports.
#[derive(Clone, Debug)]
pub(crate) struct Hosts(Vec<String>);

impl Hosts {
    /// The names of a loopback address, and these.
    pub(crate) fn new(names: &[String]) -> Self {
        let names = names.iter().map(|name| name.to_ascii_lowercase());
        Self(LOOPBACK.into_iter().map(str::to_owned).chain(names).collect())
    }

    /// Whether a name, with or without a port, is one of them.
    fn has(&self, name: &str) -> bool {
        let (host, port) = match name.rfind(':') {
            // The colons of an IPv6 address are within brackets.
            Some(at) if !name[at..].contains(']') => (&name[..at], &name[at + 1..]),
            _ => (name, ""),
        };
        port.bytes().all(|byte| byte.is_ascii_digit())
            && self.0.iter().any(|known| known.eq_ignore_ascii_case(host))
    }

    /// Checks that a request asks for one of the names, and that no other site sends it.
    pub(crate) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
        let mut names = headers.get_all(header::HOST).iter();
        let name = names.next().and_then(|name| name.to_str().ok());
        let is_known = name.is_some_and(|name| self.has(name))
            && names.next().is_none()
            && uri.authority().is_none_or(|authority| self.has(authority.as_str()));
        if !is_known {
            let message = "this server does not answer to this name";
            let expected = "a name that it was started with, as in 'fanorona serve --host NAME'";
            return Err(Problem::new(ProblemKind::WrongHost, message, expected));
        }
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
        let origin = text(header::ORIGIN).and_then(|origin| origin.split_once("://"));
        let has_other_origin = match text(header::ORIGIN) {
            None => false,
            Some(_) => origin.is_none_or(|(_, host)| !self.has(host)),
        };
        let is_cross_site =
            headers.get("sec-fetch-site").is_some_and(|site| site.as_bytes() == b"cross-site");
        if uri.path().starts_with("/api/") && (has_other_origin || is_cross_site) {
            let message = "pages of other sites may not use this server";
            return Err(Problem::new(ProblemKind::CrossSite, message, "a request of its own page"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_ports() {
        let hosts = Hosts::new(&["Fanorona.example".to_owned()]);
        for good in [
            "localhost",
            "LOCALHOST:7878",
            "127.0.0.1:1",
            "[::1]",
            "[::1]:80",
            "fanorona.example",
            "fanorona.example:443",
        ] {
            assert!(hosts.has(good), "{good}");
        }
        for bad in [
            "",
            ":80",
            "evil.example",
            "localhost.evil.example",
            "evil.example:80:localhost",
            "localhost:80x",
            "127.0.0.2",
            "::1",
            "[::1",
            "fanorona.example.",
        ] {
            assert!(!hosts.has(bad), "{bad}");
        }
    }
}
