//! Boards drawn as text, with their links.

use crate::board::Board;
use crate::point::{Direction, Point, Side};
use crate::position::Position;

impl Position {
    /// The board drawn as lines of text: ranks from the top down with their numbers at the left, file
    /// letters below.
    pub fn diagram(&self) -> String {
        let board = self.board();
        let mut text = String::new();
        for rank in (0..board.height()).rev() {
            text += &format!("{:>2} ", rank + 1);
            for file in 0..board.width() {
                text.push(stone(self, board.point_at(file, rank)));
                if file + 1 < board.width() {
                    text += "---";
                }
            }
            text.push('\n');
            if rank > 0 {
                text += &format!("   {}\n", links_below(board, rank));
            }
        }
        let files = (0..board.width()).map(|file| char::from(b'a' + file).to_string());
        text + "   " + &files.collect::<Vec<_>>().join("   ")
    }
}

fn stone(position: &Position, at: Option<Point>) -> char {
    let Some(point) = at else { return ' ' };
    if position.stones(Side::White).contains(point) {
        'W'
    } else if position.stones(Side::Black).contains(point) {
        'B'
    } else {
        '.'
    }
}

/// The links between a rank and the one below. Between two files there is one of the two diagonals.
fn links_below(board: Board, rank: u8) -> String {
    let mut text = String::from("|");
    for file in 0..board.width() - 1 {
        let point = board.point_at(file, rank);
        let falls = point.is_some_and(|p| board.linked(Direction::SouthEast).contains(p));
        text += if falls { " \\ |" } else { " / |" };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_board() {
        let expected = "
 3 B---B---B
   | \\ | / |
 2 B---.---W
   | / | \\ |
 1 W---W---W
   a   b   c";
        assert_eq!(Board::telo().start().diagram(), expected.trim_start_matches('\n'));
    }
}
