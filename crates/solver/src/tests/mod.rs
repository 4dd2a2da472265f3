//! Tests that compare every entry of the transposition table with a solution that was found in another
//! way.
//!
//! A root with the right value does not show that the entries below it are right: a wrong one may
//! never be used, or may be used only by the next search. Here all nodes of a board are enumerated
//! after a search, and the entry of each is checked.

mod graph;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fanorona_builder::{BuildOptions, build};
use fanorona_core::{Board, Position, RuleSet, Side, SplitMix64, Stones, Value};
use fanorona_proof::{Claim, ClaimKind};
use fanorona_tablebase::{Metric, Tables};
use fanorona_tests::effort;

use self::graph::Solved;
use crate::game::{Game, SuccessorList};
use crate::limits::Limits;
use crate::node::Node;
use crate::prover::{Counts, NodeLimits, Prover};
use crate::search::{STACK, Shared, Worker};
use crate::strategy::Strategy;
use crate::transposition::{Entry, Fact, NO_REPLY, TranspositionTable};

/// Random numbers, the same ones each time.
struct Random(SplitMix64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    fn below(&mut self, n: usize) -> usize {
        self.0.below(n as u64) as usize
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
                    let stones = Stones::from_bits(own, opponent);
                    let position = Position::from_mover(board, stones, side);
                    let position = position.expect("not too many stones");
                    let nodes = [side, side.other()].map(|attacker| game.node(&position, attacker));
                    // One of the positions that the node stands for.
                    if nodes[0].stones() != stones {
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
    proved: u64,
    disproved: u64,
    /// Disproved only given a suffix of the path.
    conditional: u64,
    /// Conditional disproofs whose path was found, so that they were checked too.
    conditions: u64,
}

impl Checked {
    fn total(self) -> u64 {
        self.open + self.proved + self.disproved + self.conditional
    }

    fn add(&mut self, other: Self) {
        self.open += other.open;
        self.proved += other.proved;
        self.disproved += other.disproved;
        self.conditional += other.conditional;
        self.conditions += other.conditions;
    }
}

/// Checks one entry: its value, and that its reply leads to a successor with the same value. `wins`
/// returns whether the attacker wins at a node.
fn check_entry(
    game: &Game<'_>,
    successors: &mut SuccessorList,
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
        Fact::Proved { height } => {
            assert!(wins(node), "{}", context());
            assert!(height > 0, "{}", context());
            checked.proved += 1;
        }
        Fact::Disproved => {
            assert!(!wins(node), "{}", context());
            checked.disproved += 1;
        }
        Fact::DisprovedGiven(_) => checked.conditional += 1,
    }
    let list = successors.of(game, node);
    let is_proof = matches!(entry.fact, Fact::Proved { .. });
    // A side to move that succeeds has a turn for it.
    if entry.fact.is_unconditional() && is_proof == node.attacks() {
        assert_ne!(entry.reply, NO_REPLY, "{}", context());
    }
    if entry.reply != NO_REPLY {
        let after = list.get(usize::from(entry.reply));
        let after = *after.unwrap_or_else(|| panic!("no such reply: {}", context()));
        if entry.fact.is_unconditional() {
            assert_eq!(wins(after), is_proof, "{}", context());
        }
    }
    checked
}

/// Checks every entry for a node with at most `stones` stones, and that no other entries exist.
fn check_table(prover: &mut Prover<'_>, stones: u32, one_thread: bool, value: &Tables) -> Checked {
    let Prover { game, table, .. } = prover;
    let used = table.used;
    let table = table.view();
    let mut successors = SuccessorList::new(game);
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
            assert_eq!(decided(game, node), None, "nothing is stored of these");
            checked.add(check_entry(game, &mut successors, node, entry, &mut wins));
        }
    });
    // Threads that write one bucket at the same time may store an entry twice, or halves of two.
    if one_thread {
        assert_eq!((checked.total(), used), (table.count(), table.count()));
    }
    checked
}

fn prover<'a>(
    rules: RuleSet,
    board: Board,
    tables: Option<&'a Tables>,
    memory: usize,
) -> Prover<'a> {
    let game = Game::new(rules, board, tables).expect("the tables are good");
    let table = TranspositionTable::new(memory).expect("there is memory");
    Prover { game, table, counts: Counts::default() }
}

/// Answers both questions of a position.
fn prove(prover: &mut Prover<'_>, position: &Position, threads: usize) -> [bool; 2] {
    [Side::White, Side::Black].map(|attacker| {
        let node = prover.game.node(position, attacker);
        let stop = &AtomicBool::new(false);
        let limits = NodeLimits { threads, nodes: u64::MAX, deadline: None, stop };
        let verdict = prover.prove(node, &limits, &[], |_, _, _| {}).expect("the tables are good");
        verdict.expect("nothing interrupts it").proved
    })
}

fn build_tables(board: Board, rules: RuleSet, stones: u32) -> (tempfile::TempDir, Tables) {
    let dir = fanorona_tests::directory().expect("a directory");
    let options = BuildOptions::new(dir.path(), board, rules, stones).with_metric(Metric::Wdl);
    build(&options, &(), &AtomicBool::new(false)).expect("it can be built");
    let tables = Tables::open(dir.path(), board, rules).expect("tables are there");
    (dir, tables)
}

/// Searches random positions with `least` to `stones` stones one after the other, then checks the
/// whole table.
fn check_searches(
    prover: &mut Prover<'_>,
    (least, stones): (usize, usize),
    (count, threads): (u32, usize),
    value: &Tables,
) -> Checked {
    let board = prover.game.board;
    let mut random = Random::new(u64::from(count));
    let mut searched = 0;
    while searched < count {
        let wanted = least + random.below(stones - least + 1);
        let mine = 1 + random.below(wanted - 1);
        let mut points: Vec<_> = (0..board.num_points()).collect();
        let mut take = |n| {
            let take = |set, _| set | 1_u64 << points.swap_remove(random.below(points.len()));
            (0..n).fold(0, take)
        };
        let stones = Stones::from_bits(take(mine), take(wanted - mine));
        let Ok(position) = Position::from_mover(board, stones, Side::White) else {
            continue;
        };
        if prover.game.rules.outcome(&position).is_some() {
            continue;
        }
        searched += 1;
        let expected = value.probe(&position).expect("it is there").value;
        let found = prove(prover, &position, threads);
        assert_eq!(found, [expected == Value::Win, expected == Value::Loss], "{position}");
    }
    check_table(prover, stones as u32, threads == 1, value)
}

/// Both questions of every position of 3x5 with one table. The order is random, so that the table has
/// entries from many paths. Then some positions with several threads, with little memory, and with
/// endgame tables.
#[test]
fn all_entries_of_3x5_are_true() {
    let (board, rules) = ("3x5".parse::<Board>().expect("a board"), RuleSet::STANDARD);
    let stones = effort(7, 2 * board.max_stones());
    let (_dir, whole) = build_tables(board, rules, stones);

    let mut all = prover(rules, board, None, 64 << 20);
    let stop = AtomicBool::new(false);
    let shared = Shared::new(&all.game, all.table.view(), &stop);
    let mut nodes = Vec::new();
    for_each_node(&all.game, stones, |node| {
        if decided(&all.game, node).is_none() {
            nodes.push(node);
        }
    });
    Random::new(1).shuffle(&mut nodes);
    on_large_stack(|| {
        let mut worker = Worker::new(&shared);
        for &node in &nodes {
            let position = all.game.position(node);
            let value = whole.probe(&position).expect("it is there").value;
            let aim = if node.attacks() { Value::Win } else { Value::Loss };
            let found = worker.run(node).expect("nothing interrupts it");
            assert!(found.is_decided());
            assert_eq!((found.phi == 0) == node.attacks(), value == aim, "{position}");
            shared.done.store(false, Ordering::Relaxed);
        }
    });
    all.table.used = shared.counters.used.load(Ordering::Relaxed);
    let checked = check_table(&mut all, stones, true, &whole);
    assert!(checked.proved.min(checked.disproved) > effort(10_000, 1_000_000), "{checked:?}");

    let (_dir, some) = build_tables(board, rules, 4);
    for (tables, memory, threads, count) in [
        (None, 64 << 20, 3, 300),
        (None, 1 << 14, 1, 50),
        (None, 1 << 14, 2, 50),
        (Some(&some), 16 << 20, 1, 500),
    ] {
        let mut prover = prover(rules, board, tables, memory);
        let checked =
            check_searches(&mut prover, (effort(5, 7), stones as usize), (count, threads), &whole);
        assert!(checked.proved > 0 && checked.disproved > 0 && checked.open > 0, "{checked:?}");
    }
}

#[test]
fn all_entries_of_boards_with_few_stones_are_true() {
    let cases = [
        ("5x5", "standard", 5, 3),
        ("5x5", "free-capture", 5, 3),
        ("3x5", "free-capture", 8, 4),
        ("3x5", "forced-relay", 8, 4),
        ("3x5", "standard+no-turns-draw", 8, 4),
    ];
    for (board, name, stones, some) in cases.into_iter().step_by(effort(2, 1)) {
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
            let count = count / effort(10, 1);
            let mut prover = prover(rules, board, tables, memory);
            let stones = (stones as usize - 1, stones as usize);
            let checked = check_searches(&mut prover, stones, (count, threads), &whole);
            assert!(checked.proved > 0 && checked.disproved > 0, "{board} {name}: {checked:?}");
        }
    }
}

/// On 3x3 conditional disproofs are checked too. The path that they depend on is found by its hash,
/// and the board is solved again with the nodes of that path as failures of the attacker.
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
        let (dir, tables) = build_tables(board, rules.without_vela(), 3);
        drop(tables);
        let tables = Tables::open(dir.path(), board, rules).expect("tables are there");
        let mut sum = Checked::default();
        for tables in [None, Some(&tables)] {
            let mut solved = Solved::new(&prover(rules, board, tables, 0).game);
            for (memory, threads, rounds) in
                [(1 << 20, 1, 60), (1 << 20, 3, 20), (1 << 12, 2, 40), (1 << 11, 1, 60), (0, 1, 10)]
            {
                let rounds = rounds / effort(5, 1);
                let mut random = Random::new(memory as u64);
                for _ in 0..rounds {
                    let mut prover = prover(rules, board, tables, memory);
                    for _ in 0..3 {
                        let i = random.below(solved.graph.nodes.len());
                        let node = solved.graph.nodes[i];
                        let stop = &AtomicBool::new(false);
                        let limits = NodeLimits { threads, nodes: u64::MAX, deadline: None, stop };
                        let verdict = prover.prove(node, &limits, &[], |_, _, _| {});
                        let verdict = verdict.expect("good tables").expect("nothing interrupts it");
                        assert_eq!(verdict.proved, solved.heights[i].is_some(), "{name} {node:?}");
                    }
                    sum.add(solved.check(&mut prover, threads == 1));
                    let seen = solved.check_conclusions(&mut prover, &mut random);
                    (0..3).for_each(|i| conclusions[i] += seen[i]);
                    solved.check(&mut prover, false);
                }
            }
        }
        assert!(sum.proved > 0 && sum.disproved > 0 && sum.conditions > 0, "{name}: {sum:?}");
    }
    assert!(conclusions.iter().all(|seen| *seen > effort(2, 10)), "{conclusions:?}");
}

/// The turns of a win do not lead to cycles, whatever heights are stored, and whichever entries have
/// been replaced.
#[test]
fn wins_end_whatever_the_heights() {
    for name in ["standard", "free-capture"] {
        let rules: RuleSet = name.parse().expect("a rule set");
        let board = Board::telo();
        let Solved { graph, heights, .. } = Solved::new(&prover(rules, board, None, 0).game);
        let mut random = Random::new(2);
        let stored: Vec<_> = graph.nodes.iter().map(|_| 1 + random.below(20) as u32).collect();
        // Of this many entries, one is missing.
        for missing in [2, 10, usize::MAX] {
            let mut prover = prover(rules, board, None, 1 << 20);
            let table = prover.table.view();
            for (i, node) in graph.nodes.iter().enumerate() {
                let fact = match heights[i] {
                    Some(_) => Fact::Proved { height: stored[i] },
                    None => Fact::Disproved,
                };
                if random.below(missing) > 0 {
                    table.set(node.key(), Entry { fact, reply: NO_REPLY, work: 1 });
                }
            }
            let stop = AtomicBool::new(false);
            let limits = NodeLimits::new(&Limits::default().with_threads(1), &stop);
            let claim = Claim { side: Side::White, kind: ClaimKind::Wins };
            let mut strategy = Strategy::new(&mut prover, claim, limits);
            let mut attacking: Vec<_> =
                (0..graph.nodes.len()).filter(|node| graph.nodes[*node].attacks()).collect();
            random.shuffle(&mut attacking);
            for &node in &attacking {
                let wins = strategy.work_out_win(graph.nodes[node]).expect("nothing stops it");
                assert_eq!(wins, heights[node].is_some(), "{:?}", graph.nodes[node]);
            }
            let ends = graph.with_turns(|node| strategy.chosen(node)).heights(&[]);
            for &node in &attacking {
                assert_eq!(
                    ends[node].is_some(),
                    heights[node].is_some(),
                    "{:?}",
                    graph.nodes[node]
                );
            }
        }

        // Always choosing the successor with the least stored height does lead to cycles.
        let nearest = graph.with_turns(|node| {
            let wins = graph.after[graph.index[&node]].iter().flatten();
            let wins = wins.filter(|after| heights.get(**after).is_some_and(Option::is_some));
            wins.min_by_key(|after| stored[**after]).map(|after| graph.nodes[*after])
        });
        let ends = nearest.heights(&[]);
        let cycling = (0..ends.len()).filter(|i| heights[*i].is_some() && ends[*i].is_none());
        assert!(cycling.count() > 100);
    }
}
