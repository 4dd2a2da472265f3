//! The page itself, as a file of the folder.

use std::fmt::Write as _;

use super::manifest::{Manifest, PreparedAnswer};
use crate::page::POLICY;

/// For whom the page does not run.
const FALLBACK: &str = "\
<noscript>
<h1>Fanorona</h1>
<p>This page plays and explores Fanorona, the board game of Madagascar: it knows the exact value of
every position with few stones, shows which turns win, draw and lose, and has an opponent that cannot
lose. Everything runs in the browser, which needs JavaScript and WebAssembly.</p>
<p>The program in the terminal needs neither: <code>fanorona play</code>.</p>
</noscript>
";

/// Lines for files that only the folder has.
const LINES: [&str; 3] = [
    "<link rel=\"manifest\" href=\"app.webmanifest\">",
    "<link rel=\"apple-touch-icon\" href=\"icons/192.png\">",
    "<script type=\"module\" src=\"assets/client.js\"></script>",
];

/// The server's page as that of the folder.
pub(super) fn index(page: &str, answers: &[PreparedAnswer]) -> String {
    let mut text = String::with_capacity(page.len() + 1000);
    for line in page.lines() {
        if let Some(address) = preloaded(line) {
            // The manifest names the answers, so it comes first.
            if !text.contains(Manifest::FILE) {
                push(&mut text, &preload(Manifest::FILE));
            }
            if let Some(answer) = answers.iter().find(|answer| answer.request == address) {
                push(&mut text, &preload(&answer.path));
            }
        } else if line.starts_with("<html ") {
            push(&mut text, &line.replace("<html ", "<html data-backend=\"worker\" "));
        } else if line.starts_with("<noscript>") {
            text += FALLBACK;
        } else {
            push(&mut text, line);
        }
        if line.starts_with("<meta charset=") {
            let policy = POLICY;
            push(
                &mut text,
                &format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">"),
            );
        }
        if line.starts_with("<link rel=\"icon\"") {
            LINES.iter().for_each(|line| push(&mut text, line));
        }
    }
    text
}

fn push(text: &mut String, line: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{line}");
}

/// A line for what the page asks for at once.
fn preload(path: &str) -> String {
    format!("<link rel=\"preload\" as=\"fetch\" crossorigin href=\"{path}\">")
}

/// The request that a line lets the browser make before the page runs.
fn preloaded(line: &str) -> Option<String> {
    let rest = line.strip_prefix("<link rel=\"preload\" as=\"fetch\" ")?;
    let (_, rest) = rest.split_once("href=\"")?;
    let (address, _) = rest.split_once('"')?;
    Some(address.replace("&amp;", "&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_asks_for_files() {
        let page = "<html lang=\"en\">\n<meta charset=\"utf-8\">\n<link rel=\"icon\" href=\"i\">\n\
                    <link rel=\"preload\" as=\"fetch\" crossorigin href=\"api/v1/about\">\n\
                    <link rel=\"preload\" as=\"fetch\" crossorigin href=\"api/v1/b?c=d&amp;e=f\">\n\
                    <noscript>No.</noscript>\n<p>a</p>\n";
        let answer = |request: &str, path: &str| PreparedAnswer {
            request: request.to_owned(),
            path: path.to_owned(),
        };
        let answers = [answer("api/v1/b?c=d&e=f", "answers/1.json")];
        let found = index(page, &answers);
        let preload = "<link rel=\"preload\" as=\"fetch\" crossorigin href=";
        let expected = format!(
            "<html data-backend=\"worker\" lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <link rel=\"icon\" href=\"i\">\n<link rel=\"manifest\" href=\"app.webmanifest\">\n\
             <link rel=\"apple-touch-icon\" href=\"icons/192.png\">\n\
             <script type=\"module\" src=\"assets/client.js\"></script>\n\
             {preload}\"manifest.json\">\n{preload}\"answers/1.json\">\n{FALLBACK}<p>a</p>\n"
        );
        assert_eq!(found, expected);
    }
}
