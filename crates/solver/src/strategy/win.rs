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

/// Facts about a win, from which its turns are chosen.
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
    /// The steps before this one that the rejected successors lead back to.
    returns: Option<Returns>,
    /// Nodes that have no turn as long as this one is on the path.
    blocked: Vec<Node>,
}

impl Step {
    fn new(node: Node, untried: Vec<Node>) -> Self {
        let (next, blocked) = (Vec::new(), Vec::new());
        Self { node, untried, chosen: None, next, returns: None, blocked }
    }

    /// Gives up the chosen successor: play by it leads back to this step or to an earlier one, or to a
    /// node without a turn.
    fn reject(&mut self, ply: usize, returns: Option<Returns>) {
        self.chosen = None;
        self.next.clear();
        let before = returns.filter(|returns| returns.first < ply);
        let before =
            before.map(|Returns { first, last }| Returns { first, last: last.min(ply - 1) });
        self.returns = match (self.returns, before) {
            (Some(one), Some(other)) => {
                Some(Returns { first: one.first.min(other.first), last: one.last.max(other.last) })
            }
            (one, other) => one.or(other),
        };
    }
}

/// Plies of the path that play leads back to. The first one is exact. There is none after the last one,
/// which may be too late a ply: which steps lie between is not recorded.
#[derive(Clone, Copy)]
struct Returns {
    first: usize,
    last: usize,
}

/// Where a node is that has no turn yet.
enum Place {
    /// On the path, at this ply.
    Path(usize),
    /// It has no turn as long as the last of these plies is on the path. `None`: as long as only these
    /// successors are tried.
    Blocked(Option<Returns>),
}

/// Adds the turns that the attacker needs to win from a node at which it moves, and returns whether it
/// has them. A win that is known stays as it is.
///
/// It goes depth first: a node gets its turn when all nodes after it have theirs, so the turns do not
/// lead to cycles. If a successor leads back to the path, another one is tried. A node without a turn is
/// remembered as blocked until the last of the steps ends that it leads back to.
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
                Some(Place::Path(to)) => step.reject(ply, Some(Returns { first: *to, last: *to })),
                Some(Place::Blocked(returns)) => step.reject(ply, *returns),
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
        places.insert(step.node, Place::Blocked(step.returns));
        if let Some(Returns { last, .. }) = step.returns {
            path[last].blocked.push(step.node);
        }
        if let Some(before) = path.last_mut() {
            before.reject(ply - 1, step.returns);
        }
    }
    Ok(win.contains_key(&root))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use fanorona_core::{SplitMix64, Stones};

    use super::*;

    /// A game without a board: for each node its choices, and for each choice the nodes after it.
    struct Graph(Vec<Vec<Vec<usize>>>);

    fn node(i: usize, choice: Option<usize>) -> Node {
        let stones = Stones::from_bits(i as u64, choice.unwrap_or(0) as u64);
        Node::new(stones, choice.is_none(), false)
    }

    impl Graph {
        fn random(random: &mut SplitMix64) -> Self {
            let nodes = 1 + random.below(30);
            let mut below = |n| random.below(n) as usize;
            let choice = |below: &mut dyn FnMut(u64) -> usize| -> Vec<usize> {
                (0..below(4)).map(|_| below(nodes)).collect()
            };
            Self((0..nodes).map(|_| (0..below(4)).map(|_| choice(&mut below)).collect()).collect())
        }

        /// The nodes that have turns by which play ends, computed in rounds.
        fn wins(&self) -> HashSet<usize> {
            let mut wins = HashSet::new();
            for _ in &self.0 {
                for (i, choices) in self.0.iter().enumerate() {
                    if choices.iter().any(|next| next.iter().all(|next| wins.contains(next))) {
                        wins.insert(i);
                    }
                }
            }
            wins
        }
    }

    impl Winning for Graph {
        fn winning_successors(&mut self, at: Node) -> Result<Vec<Node>> {
            let i = at.stones().own.bits() as usize;
            Ok((0..self.0[i].len()).map(|choice| node(i, Some(choice))).collect())
        }

        fn unsettled_after(&mut self, after: Node) -> Result<Vec<Node>> {
            let Stones { own, opponent } = after.stones();
            let [i, choice] = [own, opponent].map(|set| set.bits() as usize);
            Ok(self.0[i][choice].iter().map(|next| node(*next, None)).collect())
        }
    }

    /// Turns are found if and only if there are some, from every node, also after other nodes; and play
    /// by them ends.
    #[test]
    fn turns_are_found_where_there_are_some() {
        let mut random = SplitMix64::new(1);
        let mut seen = [0; 2];
        for _ in 0..100_000 {
            let mut graph = Graph::random(&mut random);
            let wins = graph.wins();
            let mut win = Win::new();
            for i in 0..graph.0.len() {
                let found = choose(&mut win, node(i, None), &mut graph).expect("no table is read");
                assert_eq!(found, wins.contains(&i), "{i} of {:?}", graph.0);
                seen[usize::from(found)] += 1;
            }
            let choice = |after: Node| after.stones().opponent.bits() as usize;
            let chosen = |i| win.get(&node(i, None)).copied().map(choice);
            let only = |(i, choices): (usize, &Vec<Vec<usize>>)| {
                chosen(i).map(|choice| choices[choice].clone()).into_iter().collect()
            };
            let by_turns = Graph(graph.0.iter().enumerate().map(only).collect());
            assert_eq!(by_turns.wins(), wins, "{:?}", graph.0);
        }
        assert!(seen.iter().all(|seen| *seen > 10_000), "{seen:?}");
    }
}
