//! Positions as pictures for LaTeX papers, drawn by the package TikZ.

use fanorona_core::{Point, Position, Side};

use crate::svg::board::links;

/// The `tikzpicture` of a position, with White's first rank at the bottom. Points are 1 apart.
pub(crate) fn picture(position: &Position) -> String {
    let board = position.board();
    let at = |point: Point| {
        let at = board.coordinates(point);
        format!("({},{})", at.file(), at.rank())
    };
    let mut text = format!("% {position}\n\\begin{{tikzpicture}}[x=8mm,y=8mm]\n");
    for [from, to] in links(board) {
        text += &format!("  \\draw {} -- {};\n", at(from), at(to));
    }
    for (side, fill) in [(Side::White, "white"), (Side::Black, "black")] {
        for stone in position.stones(side).iter() {
            text += &format!("  \\draw[fill={fill}] {} circle[radius=0.3];\n", at(stone));
        }
    }
    for file in 0..board.width() {
        let letter = char::from(b'a' + file);
        text += &format!("  \\node at ({file},-0.7) {{\\strut {letter}}};\n");
    }
    for rank in 0..board.height() {
        text += &format!("  \\node at (-0.7,{rank}) {{{}}};\n", rank + 1);
    }
    text + "\\end{tikzpicture}\n"
}

#[cfg(test)]
mod tests {
    use fanorona_core::Board;

    use super::*;

    #[test]
    fn links_and_stones_are_drawn() {
        let text = picture(&Board::telo().start());
        let count = |part: &str| text.matches(part).count();
        // As in the test of pictures for pages: 6 links each way, and 4 diagonals.
        assert_eq!(count("\\draw ("), 6 + 6 + 4);
        assert_eq!((count("fill=white"), count("fill=black")), (4, 4));
        assert!(text.contains("\\draw[fill=white] (2,1) circle"), "c2 has a white stone: {text}");
        assert!(text.contains("\\draw[fill=black] (0,1) circle"), "a2 has a black stone: {text}");
        assert_eq!(count("\\node"), 6);
        assert_eq!(count("{"), count("}"));
    }
}
