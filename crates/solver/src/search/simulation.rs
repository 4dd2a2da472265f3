//! Whether a disproof that was found on another path holds on this one too (simulation: A.
//! Kishimoto and M. Müller, "A general solution to the graph history interaction problem", 2004).

use super::result::UNCONDITIONAL;
use super::shared::{Interrupt, Meter, Shared};
use crate::game::{FirstLook, SuccessorList};
use crate::node::Node;
use crate::path::Path;
use crate::transposition::{Entry, Fact, NO_REPLY};

/// The most nodes that a simulation visits.
const MAX_SIMULATED: usize = 256;

/// Simulations with the facts of a transposition table.
pub(super) struct Simulation<'s> {
    pub shared: &'s Shared<'s>,
    pub path: &'s Path,
    pub successors: &'s mut SuccessorList,
    /// The nodes visited with their replies, as a buffer.
    pub visited: &'s mut Vec<(Node, u16)>,
    pub meter: &'s mut Meter,
    /// Counts entries of the table that were unused before.
    pub used: &'s mut u64,
}

impl Simulation<'_> {
    /// Checks whether the stored replies disprove a node on the current path, and returns the first
    /// ply of the path that this depends on. `None` if it cannot be decided without a search.
    ///
    /// From the node on, it follows all turns of the attacker and the stored reply of the defender,
    /// until every line comes to a disproved node, to the path, or to a visited node. If all do, the
    /// visited nodes are a set that play cannot leave except into the path. If no node of the path
    /// is needed, all visited nodes are disproved, and are stored as that.
    pub(super) fn run(&mut self, node: Node) -> Result<Option<usize>, Interrupt> {
        let Shared { game, table, .. } = *self.shared;
        let mut depends_on = UNCONDITIONAL;
        self.visited.clear();
        self.visited.push((node, NO_REPLY));
        let mut next = 0;
        while next < self.visited.len() {
            let (node, _) = self.visited[next];
            let reply = table.get(node.key()).map_or(NO_REPLY, |entry| entry.reply);
            self.visited[next].1 = reply;
            next += 1;
            self.meter.count(self.shared)?;
            let list = self.successors.of(game, node);
            let list = if node.attacks() {
                list
            } else {
                match list.get(usize::from(reply)) {
                    Some(after) if reply != NO_REPLY => std::slice::from_ref(after),
                    _ => return Ok(None),
                }
            };
            for &after in list {
                if self.visited.iter().any(|(visited, _)| *visited == after) {
                    continue;
                }
                match game.known(after)? {
                    Some(true) => return Ok(None),
                    Some(false) => continue,
                    None => {}
                }
                let fact = table.get(after.key()).map(|entry| entry.fact);
                match fact {
                    Some(Fact::Proved { .. }) => return Ok(None),
                    Some(Fact::Disproved) => continue,
                    _ => {}
                }
                if let Some(ply) = self.path.find(after) {
                    depends_on = depends_on.min(ply);
                } else if matches!(fact, Some(Fact::DisprovedGiven(_))) {
                    if self.visited.len() == MAX_SIMULATED {
                        return Ok(None);
                    }
                    self.visited.push((after, NO_REPLY));
                } else {
                    let is_over = fact.is_none().then(|| game.first_look(after));
                    if !matches!(is_over, Some(FirstLook::Over { attacker_wins: false })) {
                        return Ok(None);
                    }
                }
            }
        }
        if depends_on == UNCONDITIONAL {
            for &(node, reply) in &*self.visited {
                let entry = Entry { fact: Fact::Disproved, reply, work: 1 };
                *self.used += u64::from(table.set(node.key(), entry));
            }
        }
        Ok(Some(depends_on))
    }
}
