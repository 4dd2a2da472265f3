//! Tests that compare every entry of the memory with a solution found without the search.
//!
//! A root with the right value does not show that the entries below it are right: a wrong one may
//! never be used, or may be used only by the next search. Here all nodes of a board are enumerated
//! after a search, and each one that the memory holds is checked.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fanorona_core::{Board, PointSet, Position, RuleSet, Side, Value};
use fanorona_proof::Question;
use fanorona_tablebase::{BuildOptions, Metric, Tables, build};

use crate::Limits;
use crate::engine::{Bound, Counts, Engine};
use crate::game::{Game, Lister};
use crate::memory::{Entry, Fact, Memory, NO_REPLY, Table, Tail};
use crate::node::Node;
use crate::path::Path;
use crate::search::{NOTHING, STACK, Shared, Worker};
use crate::strategy::Strategy;

/// Random numbers, the same ones each time (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(mixed ^ mixed >> 31) * n as u128) >> 64) as usize
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

/// Calls `visit` once for each node with at most `stones` stones, both sides having some.
fn for_each_node(game: &Game<'_>, stones: u32, mut visit: impl FnMut(Node)) {
    let board = game.board;
    let most = board.max_stones();
    for all in 1..=board.all_points().bits() {
        if all.count_ones() > stones {
            continue;
        }
        let mut own = (all - 1) & all;
        while own > 0 {
            let opponent = all & !own;
            if own.count_ones() <= most && opponent.count_ones() <= most {
                // Where colours do not matter, Black's nodes are White's.
                let mut seen = [None; 2];
                for side in [Side::White, Side::Black] {
                    let sets = [own, opponent].map(PointSet::from_bits);
                    let position = Position::from_mover(board, sets[0], sets[1], side);
                    let position = position.expect("not too many stones");
                    let nodes = [side, side.other()].map(|attacker| game.node(&position, attacker));
                    // One of the positions that the node stands for.
                    if [nodes[0].own(), nodes[0].opponent()] != sets {
                        break;
                    }
                    if seen != nodes.map(Some) {
                        nodes.into_iter().for_each(&mut visit);
                    }
                    seen = nodes.map(Some);
                }
            }
            own = (own - 1) & all;
        }
    }
}

/// Whether the attacker wins, if the rules or a table of the game say so.
fn decided(game: &Game<'_>, node: Node) -> Option<bool> {
    let position = game.position(node);
    let known = game.known(node).expect("the tables are good");
    known.or_else(|| {
        let value = game.rules.outcome(&position)?.value_for(position.to_move());
        Some(value == if node.attacks() { Value::Win } else { Value::Loss })
    })
}

/// Runs in a thread with a stack that the longest path fits in.
fn on_large_stack(work: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        if let Err(panic) = thread.expect("it starts").join() {
            std::panic::resume_unwind(panic);
        }
    });
}

/// How many entries of each kind were checked.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Checked {
    open: u64,
    won: u64,
    held: u64,
    /// Held only given a part of the path.
    conditional: u64,
    /// Conditional entries whose path was found, so that the condition was checked too.
    conditions: u64,
}

impl Checked {
    fn total(self) -> u64 {
        self.open + self.won + self.held + self.conditional
    }

    fn add(&mut self, other: Self) {
        self.open += other.open;
        self.won += other.won;
        self.held += other.held;
        self.conditional += other.conditional;
        self.conditions += other.conditions;
    }
}

/// Checks one entry: its value, and that its reply leads to a successor with the same value.
/// `wins` tells whether the attacker wins at a node.
fn check_entry(
    game: &Game<'_>,
    lister: &mut Lister,
    node: Node,
    entry: Entry,
    wins: &mut impl FnMut(Node) -> bool,
) -> Checked {
    let position = game.position(node);
    let context = || format!("{position}, attacker to move: {}, {entry:?}", node.attacks());
    let mut checked = Checked::default();
    match entry.fact {
        Fact::Open { phi, delta } => {
            assert!(phi > 0 && delta > 0, "{}", context());
            checked.open += 1;
        }
        Fact::Won { height } => {
            assert!(wins(node), "{}", context());
            assert!(height > 0, "{}", context());
            checked.won += 1;
        }
        Fact::Held => {
            assert!(!wins(node), "{}", context());
            checked.held += 1;
        }
        Fact::HeldGiven(_) => checked.conditional += 1,
    }
    let list = lister.list(game, node);
    let won = matches!(entry.fact, Fact::Won { .. });
    // The side that gets what the entry says moves: then there is a turn that does it.
    if entry.fact.is_final() && won == node.attacks() {
        assert_ne!(entry.reply, NO_REPLY, "{}", context());
    }
    if entry.reply != NO_REPLY {
        let after = list.get(usize::from(entry.reply));
        let after = *after.unwrap_or_else(|| panic!("no such reply: {}", context()));
        if entry.fact.is_final() {
            assert_eq!(wins(after), won, "{}", context());
        }
    }
    checked
}

/// Checks every entry of the memory for a node with at most `stones` stones, and that there are no
/// other entries.
fn check_memory(engine: &mut Engine<'_>, stones: u32, one_thread: bool, value: &Tables) -> Checked {
    let Engine { game, memory, counts } = engine;
    let table = memory.table();
    let mut lister = Lister::new(game);
    let mut wins = |node: Node| {
        let known = game.known(node).expect("the tables are good");
        known.unwrap_or_else(|| {
            let found = value.probe(&game.position(node)).expect("the tables are good").value;
            found == if node.attacks() { Value::Win } else { Value::Loss }
        })
    };
    let mut checked = Checked::default();
    for_each_node(game, stones, |node| {
        if let Some(entry) = table.get(node.key()) {
            assert_eq!(decided(game, node), None, "nothing is remembered of these");
            checked.add(check_entry(game, &mut lister, node, entry, &mut wins));
        }
    });
    // Several threads that write one line may leave an entry twice, or halves of two entries.
    if one_thread {
        assert_eq!((checked.total(), counts.used), (table.used(), table.used()));
    }
    checked
}

fn engine<'a>(
    rules: RuleSet,
    board: Board,
    tables: Option<&'a Tables>,
    memory: usize,
) -> Engine<'a> {
    let game = Game::new(rules, board, tables).expect("the tables are good");
    let memory = Memory::new(memory).expect("that much is there");
    Engine { game, memory, counts: Counts::default() }
}

/// Answers both questions of a position.
fn prove(engine: &mut Engine<'_>, position: &Position, threads: usize) -> [bool; 2] {
    [Side::White, Side::Black].map(|attacker| {
        let node = engine.game.node(position, attacker);
        let stop = &AtomicBool::new(false);
        let bound = Bound { threads, nodes: u64::MAX, deadline: None, stop };
        let verdict = engine.prove(node, &bound, &[], |_, _| {}).expect("the tables are good");
        verdict.expect("nothing halts it").wins
    })
}

fn build_tables(board: Board, rules: RuleSet, stones: u32) -> (tempfile::TempDir, Tables) {
    let dir = tempfile::tempdir().expect("a directory");
    let options = BuildOptions::new(dir.path(), board, rules, stones).with_metric(Metric::Wdl);
    build(&options, &(), &AtomicBool::new(false)).expect("it can be built");
    let tables = Tables::open(dir.path(), board, rules).expect("tables are there");
    (dir, tables)
}

/// Searches random positions with `least` to `stones` stones one after the other in one memory,
/// then checks all of it.
fn check_searches(
    engine: &mut Engine<'_>,
    (least, stones): (usize, usize),
    (count, threads): (u32, usize),
    value: &Tables,
) -> Checked {
    let board = engine.game.board;
    let mut random = Random(u64::from(count));
    let mut searched = 0;
    while searched < count {
        let wanted = least + random.below(stones - least + 1);
        let mine = 1 + random.below(wanted - 1);
        let mut points: Vec<_> = (0..board.num_points()).collect();
        let mut take = |n| {
            let take = |set, _| set | 1_u64 << points.swap_remove(random.below(points.len()));
            PointSet::from_bits((0..n).fold(0, take))
        };
        let (own, opponent) = (take(mine), take(wanted - mine));
        let Ok(position) = Position::from_mover(board, own, opponent, Side::White) else {
            continue;
        };
        if engine.game.rules.outcome(&position).is_some() {
            continue;
        }
        searched += 1;
        let expected = value.probe(&position).expect("it is there").value;
        let found = prove(engine, &position, threads);
        assert_eq!(found, [expected == Value::Win, expected == Value::Loss], "{position}");
    }
    check_memory(engine, stones as u32, threads == 1, value)
}

/// Both questions of every position of 3x5, each with what the ones before have left in the memory.
/// The order is a random one, so that what is remembered has been found on many paths. Then some of
/// them with several threads, with little memory, and with tables.
#[test]
fn all_entries_of_3x5_are_true() {
    let (board, rules) = ("3x5".parse::<Board>().expect("a board"), RuleSet::STANDARD);
    let stones = 2 * board.max_stones();
    let (_dir, whole) = build_tables(board, rules, stones);

    let mut all = engine(rules, board, None, 64 << 20);
    let stop = AtomicBool::new(false);
    let shared = Shared::new(&all.game, all.memory.table(), &stop);
    let mut nodes = Vec::new();
    for_each_node(&all.game, stones, |node| {
        if decided(&all.game, node).is_none() {
            nodes.push(node);
        }
    });
    Random(1).shuffle(&mut nodes);
    on_large_stack(|| {
        let mut worker = Worker::new(&shared);
        for &node in &nodes {
            let position = all.game.position(node);
            let value = whole.probe(&position).expect("it is there").value;
            let aim = if node.attacks() { Value::Win } else { Value::Loss };
            let found = worker.run(node).expect("nothing halts it");
            assert!(found.is_decided());
            assert_eq!((found.phi == 0) == node.attacks(), value == aim, "{position}");
            shared.done.store(false, Ordering::Relaxed);
        }
    });
    all.counts.used = shared.counters.used.load(Ordering::Relaxed);
    let checked = check_memory(&mut all, stones, true, &whole);
    assert!(checked.won.min(checked.held) > 1_000_000, "{checked:?}");

    let (_dir, some) = build_tables(board, rules, 4);
    for (tables, memory, threads, count) in [
        (None, 64 << 20, 3, 300),
        (None, 1 << 14, 1, 50),
        (None, 1 << 14, 2, 50),
        (Some(&some), 16 << 20, 1, 500),
    ] {
        let mut engine = engine(rules, board, tables, memory);
        let checked = check_searches(&mut engine, (7, 14), (count, threads), &whole);
        assert!(checked.won > 0 && checked.held > 0 && checked.open > 0, "{checked:?}");
    }
}

#[test]
fn all_entries_of_boards_with_few_stones_are_true() {
    for (board, name, stones, some) in [
        ("5x5", "standard", 5, 3),
        ("5x5", "free-capture", 5, 3),
        ("3x5", "free-capture", 8, 4),
        ("3x5", "forced-relay", 8, 4),
        ("3x5", "standard+no-turns-draw", 8, 4),
    ] {
        let board: Board = board.parse().expect("a board");
        let rules = name.parse().expect("a rule set");
        let (_dir, whole) = build_tables(board, rules, stones);
        let (_dir, some) = build_tables(board, rules, some);
        for (tables, memory, threads, count) in [
            (Some(&some), 16 << 20, 1, 300),
            (Some(&some), 16 << 20, 3, 40),
            (Some(&some), 1 << 16, 1, 50),
            (Some(&some), 1 << 15, 2, 20),
            (None, 16 << 20, 2, 20),
        ] {
            let mut engine = engine(rules, board, tables, memory);
            let stones = (stones as usize - 1, stones as usize);
            let checked = check_searches(&mut engine, stones, (count, threads), &whole);
            assert!(checked.won > 0 && checked.held > 0, "{board} {name}: {checked:?}");
        }
    }
}

/// All nodes of a small board, and where play goes from each.
struct Graph {
    nodes: Vec<Node>,
    index: HashMap<Node, usize>,
    /// For each node its successors; `None` stands for one where the attacker has won. Where it
    /// has not, and never will, none is listed.
    after: Vec<Vec<Option<usize>>>,
    before: Vec<Vec<usize>>,
}

impl Graph {
    fn new(game: &Game<'_>) -> Self {
        let mut nodes = Vec::new();
        for_each_node(game, 2 * game.board.max_stones(), |node| {
            if decided(game, node).is_none() {
                nodes.push(node);
            }
        });
        let index: HashMap<_, _> = nodes.iter().enumerate().map(|(i, node)| (*node, i)).collect();
        let mut before = vec![Vec::new(); nodes.len()];
        let mut after = Vec::new();
        for (i, &node) in nodes.iter().enumerate() {
            let position = game.position(node);
            // The listing generator, which the search does not use.
            let attacker =
                if node.attacks() { position.to_move() } else { position.to_move().other() };
            let successors: HashSet<_> = game
                .rules
                .successors(&position)
                .iter()
                .map(|after| {
                    let node = game.node(after, attacker);
                    match decided(game, node) {
                        Some(true) => None,
                        Some(false) => Some(usize::MAX),
                        None => Some(index[&node]),
                    }
                })
                .collect();
            for &successor in successors.iter().flatten().filter(|i| **i != usize::MAX) {
                before[successor].push(i);
            }
            after.push(successors.into_iter().collect());
        }
        Self { nodes, index, after, before }
    }

    /// For each node, in how many turns at most the attacker wins if it has lost at each of the
    /// nodes of `failures`; `None` where it cannot force a win.
    fn heights(&self, failures: &[usize]) -> Vec<Option<u32>> {
        let mut heights = vec![None; self.nodes.len()];
        let mut open: Vec<u32> = self.after.iter().map(|after| after.len() as u32).collect();
        let mut now = Vec::new();
        for (i, after) in self.after.iter().enumerate() {
            let won = after.iter().filter(|after| after.is_none()).count() as u32;
            open[i] -= won;
            if if self.nodes[i].attacks() { won > 0 } else { open[i] == 0 } {
                now.push(i);
            }
        }
        for height in 1.. {
            if now.is_empty() {
                break;
            }
            let mut next = Vec::new();
            for i in now {
                if heights[i].is_some() || failures.contains(&i) {
                    continue;
                }
                heights[i] = Some(height);
                for &before in &self.before[i] {
                    open[before] -= 1;
                    if self.nodes[before].attacks() || open[before] == 0 {
                        next.push(before);
                    }
                }
            }
            now = next;
        }
        heights
    }

    /// Goes back from the last node of a list by random turns, until it has `len` nodes behind the
    /// first one or nothing leads there by a path without repetition. Gives them without the first.
    fn random_path(&self, mut path: Vec<usize>, len: usize, random: &mut Random) -> Vec<usize> {
        while path.len() <= len {
            let last = *path.last().expect("it has a node");
            let before = self.before[last].iter().filter(|i| !path.contains(i));
            let before: Vec<_> = before.collect();
            if before.is_empty() {
                break;
            }
            path.push(*before[random.below(before.len())]);
        }
        path.split_off(1)
    }

    /// A path with this tail whose last node leads to `to`.
    fn path(&self, to: usize, tail: Tail) -> Option<Vec<usize>> {
        let mut path = vec![to];
        self.extend(&mut path, tail).then(|| path.split_off(1))
    }

    fn extend(&self, path: &mut Vec<usize>, tail: Tail) -> bool {
        if path.len() == tail.len as usize + 1 {
            let mut steps = Path::new();
            for &i in path[1..].iter().rev() {
                steps.push(self.nodes[i], self.nodes[i].key());
            }
            return steps.tail(0) == tail;
        }
        for &before in &self.before[*path.last().expect("it has a node")] {
            if !path.contains(&before) {
                path.push(before);
                if self.extend(path, tail) {
                    return true;
                }
                path.pop();
            }
        }
        false
    }
}

/// The longest tails for which the paths are enumerated.
const PATHS: u32 = 4;

/// A solved 3x3, with the solutions for the paths that conditional entries rest on.
struct Solved {
    graph: Graph,
    heights: Vec<Option<u32>>,
    given: HashMap<Vec<usize>, Vec<Option<u32>>>,
}

impl Solved {
    fn new(game: &Game<'_>) -> Self {
        let graph = Graph::new(game);
        let heights = graph.heights(&[]);
        Self { graph, heights, given: HashMap::new() }
    }

    /// Whether the attacker cannot force a win from a node if it fails at all nodes of a path.
    fn is_held_given(&mut self, path: &[usize], node: usize) -> bool {
        let graph = &self.graph;
        let given =
            self.given.entry(path.to_owned()).or_insert_with_key(|path| graph.heights(path));
        given[node].is_none()
    }

    /// Checks all entries of a memory; those that rest on a path too, if it is a short one.
    fn check(&mut self, engine: &mut Engine<'_>, one_thread: bool) -> Checked {
        let Engine { game, memory, counts } = engine;
        let table = memory.table();
        let mut lister = Lister::new(game);
        let mut checked = Checked::default();
        for i in 0..self.graph.nodes.len() {
            let node = self.graph.nodes[i];
            let Some(entry) = table.get(node.key()) else { continue };
            let mut wins = |node: Node| match self.graph.index.get(&node) {
                Some(i) => self.heights[*i].is_some(),
                None => decided(game, node).expect("the graph has all open nodes"),
            };
            checked.add(check_entry(game, &mut lister, node, entry, &mut wins));
            match entry.fact {
                Fact::Won { height } => {
                    let least = self.heights[i];
                    assert!(least.is_some_and(|least| least <= height), "{node:?} {entry:?}");
                }
                Fact::HeldGiven(tail) if (1..=PATHS).contains(&tail.len) => {
                    let path = self.graph.path(i, tail);
                    let path = path.unwrap_or_else(|| panic!("no such path: {node:?} {entry:?}"));
                    assert!(self.is_held_given(&path, i), "{node:?} {entry:?}");
                    checked.conditions += 1;
                }
                _ => {}
            }
        }
        if one_thread {
            assert_eq!((checked.total(), counts.used), (table.used(), table.used()));
        }
        checked
    }

    /// Comes to the nodes that are remembered as held given a path by other paths, and checks what
    /// the search concludes there from its memory: given which nodes of the path they are held. Says
    /// how often they were held given nothing, given the path's last node alone, and by replies that
    /// lead to several nodes of the path.
    fn check_conclusions(&mut self, engine: &mut Engine<'_>, random: &mut Random) -> [u64; 3] {
        let stop = AtomicBool::new(false);
        let shared = &Shared::new(&engine.game, engine.memory.table(), &stop);
        let mut seen = [0; 3];
        for i in 0..self.graph.nodes.len() {
            let node = self.graph.nodes[i];
            let entry = shared.table.get(node.key());
            let Some(Fact::HeldGiven(tail)) = entry.map(|entry| entry.fact) else { continue };
            let mut paths = Vec::new();
            for len in 1..=6 {
                paths.push(self.graph.random_path(vec![i], len, random));
            }
            if (1..=PATHS).contains(&tail.len)
                && let Some(mut path) = self.graph.path(i, tail)
            {
                path.insert(0, i);
                // The path that it rests on, and longer ones.
                for len in [0, 1, 3] {
                    let len = path.len() - 1 + len;
                    paths.push(self.graph.random_path(path.clone(), len, random));
                }
            }
            for path in paths {
                let mut worker = Worker::new(shared);
                let nodes: Vec<_> = path.iter().rev().map(|i| self.graph.nodes[*i]).collect();
                let before = shared.table.get(node.key());
                let found = worker.look_on(&nodes, node).expect("the tables are good");
                let found = found.filter(|ply| *ply != NOTHING || self.heights[i].is_some());
                match found {
                    None => {}
                    Some(NOTHING) => panic!("not held: {node:?} on {nodes:?}"),
                    Some(ply) => {
                        // The path is listed from its end.
                        let rests_on = &path[..path.len() - ply];
                        let context = || format!("{node:?} on {nodes:?} from {ply}: {before:?}");
                        assert!(self.is_held_given(rests_on, i), "{}", context());
                        let is_tail = rests_on.len() == tail.len as usize && {
                            let mut path = Path::new();
                            nodes.iter().for_each(|&node| path.push(node, node.key()));
                            path.ends_with(tail).is_some()
                        };
                        if !is_tail {
                            // It is so by the remembered replies.
                            let touched = touched(&engine.game, shared.table, &nodes, node);
                            assert_eq!(touched.first(), Some(&ply), "{}", context());
                            seen[2] += u64::from(touched.len() > 1);
                        }
                        seen[1] += u64::from(rests_on.len() == 1);
                    }
                }
                let after = shared.table.get(node.key()).map(|entry| entry.fact);
                if after == Some(Fact::Held) {
                    assert_eq!(self.heights[i], None, "{node:?} on {nodes:?}: {before:?}");
                    seen[0] += 1;
                    break;
                }
            }
        }
        seen
    }
}

/// The plies of a path to which play can lead from a node if the defender makes the remembered
/// replies.
fn touched(game: &Game<'_>, table: Table<'_>, path: &[Node], node: Node) -> BTreeSet<usize> {
    let (mut touched, mut seen, mut waiting) = (BTreeSet::new(), HashSet::new(), vec![node]);
    let mut lister = Lister::new(game);
    while let Some(node) = waiting.pop() {
        let entry = table.get(node.key());
        if decided(game, node).is_some() || entry.is_some_and(|entry| entry.fact == Fact::Held) {
            continue;
        }
        if let Some(ply) = path.iter().position(|other| *other == node) {
            touched.insert(ply);
        } else if seen.insert(node) {
            let list = lister.list(game, node);
            let reply = entry.map(|entry| usize::from(entry.reply));
            match reply.filter(|_| !node.attacks()) {
                Some(reply) => waiting.push(list[reply]),
                None => waiting.extend(list),
            }
        }
    }
    touched
}

/// On 3x3 conditional entries are checked too: the path that they rest on is found by its hash,
/// and the board solved again with the nodes of that path as failures of the attacker.
#[test]
fn all_entries_of_3x3_are_true_with_their_conditions() {
    let mut conclusions = [0; 3];
    for name in [
        "standard",
        "free-capture",
        "forced-relay",
        "standard+no-turns-draw",
        "vela+stones-2",
        "vela+stones-2+victor-black+must-capture",
    ] {
        let rules: RuleSet = name.parse().expect("a rule set");
        let board = Board::telo();
        let (dir, tables) = build_tables(board, RuleSet { vela: None, ..rules }, 3);
        drop(tables);
        let tables = Tables::open(dir.path(), board, rules).expect("tables are there");
        let mut sum = Checked::default();
        for tables in [None, Some(&tables)] {
            let mut solved = Solved::new(&engine(rules, board, tables, 0).game);
            for (memory, threads, rounds) in
                [(1 << 20, 1, 60), (1 << 20, 3, 20), (1 << 12, 2, 40), (1 << 11, 1, 60), (0, 1, 10)]
            {
                let mut random = Random(memory as u64);
                for _ in 0..rounds {
                    let mut engine = engine(rules, board, tables, memory);
                    for _ in 0..3 {
                        let i = random.below(solved.graph.nodes.len());
                        let node = solved.graph.nodes[i];
                        let stop = &AtomicBool::new(false);
                        let bound = Bound { threads, nodes: u64::MAX, deadline: None, stop };
                        let verdict = engine.prove(node, &bound, &[], |_, _| {});
                        let verdict = verdict.expect("good tables").expect("nothing halts it");
                        assert_eq!(verdict.wins, solved.heights[i].is_some(), "{name} {node:?}");
                    }
                    sum.add(solved.check(&mut engine, threads == 1));
                    let seen = solved.check_conclusions(&mut engine, &mut random);
                    (0..3).for_each(|i| conclusions[i] += seen[i]);
                    solved.check(&mut engine, false);
                }
            }
        }
        assert!(sum.won > 0 && sum.held > 0 && sum.conditions > 0, "{name}: {sum:?}");
    }
    assert!(conclusions.iter().all(|seen| *seen > 10), "{conclusions:?}");
}

/// What is remembered of a win may be longer than need be, and nearer wins may be forgotten: the
/// strategy still finds a turn that is near enough if there is one, and no other.
#[test]
fn strategies_find_turns_that_are_near_enough() {
    for name in ["standard", "free-capture"] {
        let rules: RuleSet = name.parse().expect("a rule set");
        let board = Board::telo();
        let solved = Solved::new(&engine(rules, board, None, 0).game);
        let Solved { graph, heights, .. } = &solved;
        let mut random = Random(2);
        let mut found = [0; 2];
        for memory in [1 << 20, 1 << 12, 0] {
            let mut engine = engine(rules, board, None, memory);
            let table = engine.memory.table();
            for (node, height) in graph.nodes.iter().zip(heights) {
                let fact = match height {
                    Some(height) => Fact::Won { height: height + random.below(4) as u32 },
                    None => Fact::Held,
                };
                table.set(node.key(), Entry { fact, reply: NO_REPLY, work: 1 });
            }
            let stop = AtomicBool::new(false);
            let limits = Limits { threads: 1, ..Limits::default() };
            let question = Question { attacker: Side::White };
            let mut strategy = Strategy::new(&mut engine, question, true, &limits, &stop);
            for (node, height) in graph.nodes.iter().zip(heights) {
                let Some(height) = height.filter(|_| node.attacks()) else { continue };
                for limit in height - 1..height + 3 {
                    let nearer = strategy.nearer(*node, limit).expect("nothing stops it");
                    assert_eq!(nearer.is_some(), limit >= height, "{node:?} {limit} {height}");
                    if let Some((nearer, after)) = nearer {
                        let least = graph.index.get(&after).map_or(Some(0), |i| heights[*i]);
                        assert!(nearer < limit, "{node:?} {limit} {height} {after:?}");
                        assert!(least.is_some_and(|least| least <= nearer), "{node:?} {after:?}");
                    }
                    found[usize::from(nearer.is_some())] += 1;
                }
            }
        }
        assert!(found.iter().all(|found| *found > 1000), "{found:?}");
    }
}
