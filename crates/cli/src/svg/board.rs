//! Boards with their links, stones and the names of files and ranks.

use fanorona_core::{Board, Point, Position, Side};
use maud::{Markup, html};

use super::picture;

/// The distance between neighbouring points.
const SPACING: u32 = 48;

/// The distance from the edge to the first point, with room for the names of files and ranks.
const MARGIN: u32 = 36;

/// The radius of a stone.
const STONE: u32 = 14;

/// The position, with White's first rank at the bottom.
pub(crate) fn board(position: &Position, title: &str) -> Markup {
    let board = position.board();
    let (width, height) = size(board);
    let stones = |side, fill: &str| {
        html! {
            g fill=(fill) stroke="#222" stroke-width="1.5" {
                @for (x, y) in position.stones(side).iter().map(|point| place(board, point)) {
                    circle cx=(x) cy=(y) r=(STONE) {}
                }
            }
        }
    };
    let content = html! {
        rect width=(width) height=(height) rx="6" fill="#e8d3a5" {}
        path d=(path(board)) stroke="#6b4a1f" stroke-width="2" stroke-linecap="round" fill="none" {}
        (stones(Side::Black, "#222"))
        (stones(Side::White, "#fff"))
        g fill="#4a3212" text-anchor="middle" {
            @for file in 0..board.width() {
                text x=(MARGIN + SPACING * u32::from(file)) y=(height - 6) {
                    (char::from(b'a' + file))
                }
            }
            @for rank in 0..board.height() {
                text x="11" y=(height - MARGIN - SPACING * u32::from(rank) + 5) { (rank + 1) }
            }
        }
    };
    picture(width.into(), height.into(), title, &content)
}

/// The coordinates of a point in the picture.
fn place(board: Board, point: Point) -> (u32, u32) {
    let at = board.coordinates(point);
    let (file, rank) = (at.file(), at.rank());
    let above = u32::from(board.height() - 1 - rank);
    (MARGIN + SPACING * u32::from(file), MARGIN + SPACING * above)
}

fn path(board: Board) -> String {
    let mut path = String::new();
    for link in board.links() {
        let [(x, y), (to_x, to_y)] = link.map(|point| place(board, point));
        path += &format!("M{x} {y}L{to_x} {to_y}");
    }
    path
}

/// Some positions of a board with a line of text above each, two beside each other.
pub(crate) fn sheet(board: Board, title: &str, positions: &[(Position, String)]) -> Markup {
    const COLUMNS: usize = 2;
    const TEXT: u32 = 26;
    const GAP: u32 = 24;
    let (width, height) = size(board);
    let columns = positions.len().clamp(1, COLUMNS) as u32;
    let rows = (positions.len() as u32).div_ceil(columns);
    let content = html! {
        @for (i, (position, text)) in (0u32..).zip(positions) {
            @let (x, y) = (i % columns * (width + GAP), i / columns * (height + TEXT + GAP));
            g transform=(format!("translate({x} {y})")) {
                text x="4" y="17" fill="currentColor" { (text) }
                g transform=(format!("translate(0 {TEXT})")) { (self::board(position, text)) }
            }
        }
    };
    let width = columns * (width + GAP) - GAP;
    let height = (rows * (height + TEXT + GAP)).saturating_sub(GAP);
    picture(width.into(), height.into(), title, &content)
}

/// Width and height of the picture of a board.
fn size(board: Board) -> (u32, u32) {
    let length = |points: u8| 2 * MARGIN + SPACING * u32::from(points - 1);
    (length(board.width()), length(board.height()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_board() {
        let position: Position = "2B/3/W2 w".parse().expect("a position");
        let drawn = board(&position, "a <title>").into_string();
        let drawing = roxmltree::Document::parse(&drawn).expect("it is well formed");
        let elements = |name: &str| {
            let all = drawing.descendants().filter(|node| node.tag_name().name() == name);
            all.collect::<Vec<_>>()
        };
        assert_eq!(elements("title")[0].text(), Some("a <title>"));
        let number = |node: &roxmltree::Node<'_, '_>, name| {
            node.attribute(name).and_then(|text| text.parse::<u32>().ok()).expect("a number")
        };
        let stones: Vec<_> = elements("circle")
            .iter()
            .map(|circle| {
                let colour = circle.parent().and_then(|group| group.attribute("fill"));
                (colour.expect("a colour"), number(circle, "cx"), number(circle, "cy"))
            })
            .collect();
        assert_eq!(stones, [("#222", 132, 36), ("#fff", 36, 132)]);
        let names: Vec<_> = elements("text").iter().filter_map(|text| text.text()).collect();
        assert_eq!(names, ["a", "b", "c", "1", "2", "3"]);
        // Six links along the ranks, six along the files, and diagonals from the centre to the
        // four corners.
        let path = elements("path")[0].attribute("d").expect("a path");
        assert_eq!(path.matches('M').count(), 6 + 6 + 4);
        assert!(path.contains("M36 132L84 84") && path.contains("M132 132L84 84"), "{path}");
    }
}
