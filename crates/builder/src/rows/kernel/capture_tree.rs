//! All ways to capture from an own set, ordered by what they capture.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use fanorona_core::{Board, Captures, Chain, Direction, Point, PointSet, TurnRule};

use crate::directions::DirectionsLeft;

/// The path of a capturing stone so far.
#[derive(Clone, Copy)]
pub(crate) struct TreePath {
    pub at: PointSet,
    pub visited: PointSet,
    /// The other own stones.
    pub others: PointSet,
    pub captured: PointSet,
    /// Points, other than the captured ones, that must not hold an opponent.
    pub empty: PointSet,
    directions: DirectionsLeft,
}

/// The captured sets of an own set's captures, with the paths that capture them. Each set's parent
/// has one point less.
#[derive(Default)]
pub(crate) struct CaptureTree {
    /// The first node is the empty set.
    nodes: Vec<TreeNode>,
    paths: Vec<PathInList>,
    by_captured: HashMap<PointSet, u32, BuildHasherDefault<SetHasher>>,
    all: Vec<PointSet>,
}

/// A captured set.
#[derive(Clone, Copy)]
struct TreeNode {
    /// The point that its parent does not have.
    added: Option<Point>,
    child: Option<u32>,
    sibling: Option<u32>,
    path: Option<u32>,
}

/// A path that ends with a captured set.
struct PathInList {
    path: TreePath,
    next: Option<u32>,
}

impl CaptureTree {
    /// Finds all ways to capture some, but not all of the opponent's stones. Those that capture all
    /// are listed by captured set.
    pub(crate) fn fill(&mut self, board: Board, rule: &TurnRule, own: PointSet, opponents: u8) {
        self.nodes.clear();
        self.paths.clear();
        self.by_captured.clear();
        self.all.clear();
        self.nodes.push(TreeNode { added: None, child: None, sibling: None, path: None });
        if rule.captures == Captures::Never {
            return;
        }
        let mut walk = TreeWalk { board, rule, opponents: opponents.into(), tree: self };
        for stone in own.iter() {
            let path = TreePath {
                at: stone.into(),
                visited: stone.into(),
                others: own - stone,
                captured: PointSet::EMPTY,
                empty: stone.into(),
                directions: DirectionsLeft::ALL,
            };
            walk.go_on(&path, 0);
        }
    }

    /// The captured sets of all the opponent's stones. Some can occur several times.
    pub(crate) fn all_captured(&self) -> &[PointSet] {
        &self.all
    }

    pub(crate) fn children(&self, node: u32) -> impl Iterator<Item = (u32, Point)> {
        let first = self.nodes[node as usize].child;
        std::iter::successors(first, |child| self.nodes[*child as usize].sibling).map(|child| {
            let added = self.nodes[child as usize].added;
            (child, added.expect("only the first node adds none"))
        })
    }

    /// The paths that capture the set of a node.
    pub(crate) fn paths(&self, node: u32) -> impl Iterator<Item = &TreePath> {
        let first = self.nodes[node as usize].path.map(|path| &self.paths[path as usize]);
        std::iter::successors(first, |path| Some(&self.paths[path.next? as usize]))
            .map(|listed| &listed.path)
    }

    fn node(&mut self, parent: u32, captured: PointSet, added: Point) -> u32 {
        let new = self.nodes.len() as u32;
        let node = *self.by_captured.entry(captured).or_insert(new);
        if node == new {
            let sibling = self.nodes[parent as usize].child.replace(new);
            self.nodes.push(TreeNode { added: Some(added), child: None, sibling, path: None });
        }
        node
    }

    fn add_path(&mut self, node: u32, path: TreePath) {
        let new = self.paths.len() as u32;
        let next = self.nodes[node as usize].path.replace(new);
        self.paths.push(PathInList { path, next });
    }
}

/// A depth-first walk over all ways to capture from an own set.
struct TreeWalk<'w> {
    board: Board,
    rule: &'w TurnRule,
    opponents: u32,
    tree: &'w mut CaptureTree,
}

impl TreeWalk<'_> {
    /// Tries every next capturing step of the stone. The path has captured the set of `node`.
    fn go_on(&mut self, path: &TreePath, node: u32) {
        let board = self.board;
        for (direction, to) in path.steps(board) {
            // A point where a stone was captured is empty.
            let empty = path.empty | (to - path.captured);
            let free = path.others | path.captured | empty | to;
            for (start, line) in [(to, direction), (path.at, direction.opposite())] {
                let (mut captured, mut node) = (path.captured, node);
                let mut next = board.shift(start, line) - free;
                while let Some(added) = next.first() {
                    captured |= next;
                    if captured.len() >= self.opponents {
                        self.tree
                            .all
                            .extend((captured.len() == self.opponents).then_some(captured));
                        break;
                    }
                    // Where the line goes on, it has to end. If one stone is taken, that does not matter.
                    next = match self.rule.captures {
                        Captures::WholeLine => board.shift(next, line) - free,
                        Captures::NearestStone | Captures::Never => PointSet::EMPTY,
                    };
                    node = self.tree.node(node, captured, added);
                    let path = TreePath {
                        at: to,
                        visited: path.visited | to,
                        others: path.others,
                        captured,
                        empty: empty | next,
                        directions: path.directions.after(direction, self.rule),
                    };
                    self.tree.add_path(node, path);
                    if self.rule.chain != Chain::Single {
                        self.go_on(&path, node);
                    }
                }
            }
        }
    }
}

impl TreePath {
    pub(crate) fn own_after(&self) -> PointSet {
        self.others | self.at
    }

    /// The steps to points that hold no own stone and were not visited, in the directions that are
    /// left.
    pub(crate) fn steps(&self, board: Board) -> impl Iterator<Item = (Direction, PointSet)> {
        let Self { at, visited, others, directions, .. } = *self;
        Direction::ALL.into_iter().filter(move |direction| directions.has(*direction)).filter_map(
            move |direction| {
                let to = board.shift(at, direction) - (others | visited);
                (!to.is_empty()).then_some((direction, to))
            },
        )
    }
}

/// Hashes sets of points by a multiplication.
#[derive(Default)]
pub(crate) struct SetHasher(u64);

impl Hasher for SetHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        // The golden ratio as a fraction of 2^64, as in the finalizer of splitmix64.
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        // The table uses the lowest bits and the highest.
        self.0 ^ self.0 >> 32
    }
}
