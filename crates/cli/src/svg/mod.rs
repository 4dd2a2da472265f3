//! Pictures as SVG.
//!
//! A picture has a title, which screen readers read instead of it. Its text has the colour of the
//! page's text, so it is readable on a light and on a dark background.

pub(crate) mod board;
pub(crate) mod panels;

use maud::{Markup, html};

/// The frame of a picture.
fn picture(width: f64, height: f64, title: &str, content: &Markup) -> Markup {
    html! {
        svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox=(format!("0 0 {width} {height}"))
            width=(width) height=(height) font-family="sans-serif" font-size="13" {
            title { (title) }
            (content)
        }
    }
}

/// A coordinate, to a tenth.
fn number(value: f64) -> String {
    format!("{value:.1}")
}
