//! Choosing the turns of a win, so that play by them ends.
//!
//! A node that is proved has successors that are proved, but not every choice of them makes progress:
//! play could go round in a cycle. The stored heights do not prevent that. An entry that was replaced and
//! found again may have another height than the one that the nodes above it were proved with.

use std::collections::HashMap;

use crate::error::Result;
use crate::node::Node;

/// The nodes of a win at which the attacker moves, each with its chosen successor. Play by these ends.
pub(super) type Win = HashMap<Node, Node>;

/// What is known of a win.
pub(super) trait Winning {
    /// The successors to try for a node at which the attacker moves, the best one last. The attacker
    /// wins from each.
    fn winning_successors(&mut self, node: Node) -> Result<Vec<Node>>;

    /// The nodes after a winning node of the defender for which neither the rules nor a table decide
    /// the game.
    fn unsettled_after(&mut self, after: Node) -> Result<Vec<Node>>;
}

/// A node on the path of the search for turns.
struct Step {
    node: Node,
    /// Winning successors that have not been tried, the nearest win last.
    untried: Vec<Node>,
    /// The successor that is tried.
    chosen: Option<Node>,
    /// Nodes after the chosen successor that need turns first.
    next: Vec<Node>,
    /// The last step before this one that a successor led back to, if one did.
    returns_to: Option<usize>,
    /// Nodes that have no turn as long as this one is on the path.
    blocked: Vec<Node>,
}

impl Step {
    fn new(node: Node, untried: Vec<Node>) -> Self {
        let (next, blocked) = (Vec::new(), Vec::new());
        Self { node, untried, chosen: None, next, returns_to: None, blocked }
    }

    /// Gives up the chosen successor, because play returns by it to this step, or to an earlier one.
    fn reject(&mut self, ply: usize, returns_to: Option<usize>) {
        self.chosen = None;
        self.next.clear();
        self.returns_to = self.returns_to.max(returns_to.filter(|to| *to < ply));
    }
}

/// Where a node is that has no turn yet.
enum Place {
    /// On the path, at this ply.
    Path(usize),
    /// It has no turn as long as this ply is on the path. `None`: as long as only known wins are
    /// tried.
    Blocked(Option<usize>),
}

/// Adds the turns that the attacker needs to win from a node at which it moves, and returns whether it
/// has them. A win that is known stays as it is.
///
/// It goes depth first: a node gets its turn when all nodes after it have theirs, so the turns do not
/// lead to cycles. If a successor leads back to the path, another one is tried. A node without a turn is
/// remembered as blocked until the step ends that it leads back to.
pub(super) fn choose(win: &mut Win, root: Node, known: &mut impl Winning) -> Result<bool> {
    if win.contains_key(&root) {
        return Ok(true);
    }
    let mut path = vec![Step::new(root, known.winning_successors(root)?)];
    let mut places = HashMap::from([(root, Place::Path(0))]);
    while let Some(ply) = path.len().checked_sub(1) {
        let step = &mut path[ply];
        if let Some(next) = step.next.pop() {
            if win.contains_key(&next) {
                continue;
            }
            match places.get(&next) {
                Some(Place::Path(to)) => step.reject(ply, Some(*to)),
                Some(Place::Blocked(to)) => step.reject(ply, *to),
                None => {
                    places.insert(next, Place::Path(path.len()));
                    path.push(Step::new(next, known.winning_successors(next)?));
                }
            }
            continue;
        }
        if step.chosen.is_none()
            && let Some(after) = step.untried.pop()
        {
            step.chosen = Some(after);
            step.next = known.unsettled_after(after)?;
            continue;
        }
        let step = path.pop().expect("it is the last step");
        for node in step.blocked {
            places.remove(&node);
        }
        if let Some(after) = step.chosen {
            places.remove(&step.node);
            win.insert(step.node, after);
            continue;
        }
        places.insert(step.node, Place::Blocked(step.returns_to));
        if let Some(to) = step.returns_to {
            path[to].blocked.push(step.node);
        }
        if let Some(before) = path.last_mut() {
            before.reject(ply - 1, step.returns_to);
        }
    }
    Ok(win.contains_key(&root))
}
