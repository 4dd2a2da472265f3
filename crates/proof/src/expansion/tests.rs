//! Claims about every small position, with right and with wrong hints, against a slow solution.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, PointSet, Position, RuleSet, Setup, Side, Stones, Value};
use fanorona_tablebase::{Metric, Slice, TableError, Unit};
use fanorona_tests::{MadeOnce, effort};

use super::account::Account;
use super::group::groups;
use super::lane::{Lane, LaneSizes};
use super::layers::Layers;
use super::{Expansion, ExpansionRun, closure};
use crate::claim::{Claim, ClaimKind};
use crate::error::{CertificateError, Flaw};
use crate::format::Certificate;
use crate::format::{Header, NamedTable, ProofSummary, write};

/// A source of values, right or wrong.
type Hint<'a> = dyn Fn(&Position) -> Value + Sync + 'a;

static NEVER: AtomicBool = AtomicBool::new(false);

const SMALL: LaneSizes = LaneSizes { expanded: 4, ranked: 4, stalled: 1 };

const RULES: [&str; 7] = [
    "standard",
    "standard+no-turns-draw",
    "forced-relay",
    "first-capture-single",
    "free-capture",
    "free-capture+no-turns-draw",
    "vela+stones-2",
];

/// Every position of 3x3 with its value: passes over all positions until nothing changes.
struct Solved {
    rules: RuleSet,
    /// Wins and losses.
    values: HashMap<Position, Value>,
    all: Vec<Position>,
}

impl Solved {
    fn of(rules: RuleSet) -> Arc<Self> {
        static ALL: MadeOnce<RuleSet, Solved> = MadeOnce::new();
        ALL.get(rules, || Self::new(rules))
    }

    fn new(rules: RuleSet) -> Self {
        let sets = || (0..1_u64 << 9).map(PointSet::from_bits);
        let setups = sets().flat_map(|white| {
            let of = move |black, to_move| Setup { board: Board::telo(), white, black, to_move };
            sets().flat_map(move |black| [Side::White, Side::Black].map(|side| of(black, side)))
        });
        let all: Vec<_> = setups.filter_map(|setup| Position::try_from(setup).ok()).collect();
        let (mut values, mut open) = (HashMap::new(), Vec::new());
        for position in &all {
            match rules.outcome(position) {
                Some(outcome) => {
                    values.insert(*position, outcome.value_for(position.to_move()));
                }
                None => open.push((*position, rules.successors(position))),
            }
        }
        loop {
            let value = |after: &Position| values.get(after).copied();
            let mut found = Vec::new();
            open.retain(|(position, after)| {
                let new = if after.iter().any(|after| value(after) == Some(Value::Loss)) {
                    Value::Win
                } else if after.iter().all(|after| value(after) == Some(Value::Win)) {
                    Value::Loss
                } else {
                    return true;
                };
                found.push((*position, new));
                false
            });
            if found.is_empty() {
                break;
            }
            values.extend(found);
        }
        Self { rules, values, all }
    }

    fn value(&self, position: &Position) -> Value {
        self.values.get(position).copied().unwrap_or(Value::Draw)
    }
}

/// A number that depends on a position and a seed.
fn number(position: &Position, seed: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (position, seed).hash(&mut hasher);
    hasher.finish()
}

/// A certificate without entries, which says that a table has the claim.
fn certificate(rules: &RuleSet, position: &Position, claim: Claim) -> Certificate {
    let mut slices: Vec<Slice> = Unit::up_to(position.board(), 2 * position.board().max_stones())
        .flat_map(Unit::slices)
        .collect();
    slices.sort_by_key(|slice| (slice.stones(), slice.own));
    let named = |slice| NamedTable { slice, metric: Metric::Wdl, checksum: 0 };
    let header = Header {
        rules: *rules,
        position: *position,
        tables: slices.into_iter().map(named).collect(),
        proofs: vec![ProofSummary { claim, positions: 0 }],
        block_entries: 4,
    };
    let dir = fanorona_tests::directory().unwrap();
    let path = dir.path().join("proof");
    write(&path, &header, &[&[]]).unwrap();
    Certificate::open(&path).unwrap()
}

/// Expands a certificate.
fn expand(
    certificate: &Certificate,
    hint: &Hint<'_>,
    limit: u64,
) -> Result<Expansion, CertificateError> {
    expand_all(&[certificate], hint, limit)
}

/// Expands certificates together.
fn expand_all(
    certificates: &[&Certificate],
    hint: &Hint<'_>,
    memory_limit: u64,
) -> Result<Expansion, CertificateError> {
    let probe = |position: &Position| Ok::<_, TableError>(hint(position));
    let account = Account::new(memory_limit, &|_| {});
    let (sizes, proofs) = (SMALL, Vec::new());
    let mut run = ExpansionRun { account: &account, stop: &NEVER, sizes, proofs };
    for group in groups(certificates) {
        run.expand(&group, Some(&probe))?;
    }
    Ok(run.finish())
}

fn claims() -> impl Iterator<Item = Claim> {
    let kinds = [ClaimKind::Wins, ClaimKind::Holds];
    [Side::White, Side::Black]
        .into_iter()
        .flat_map(move |side| kinds.map(|kind| Claim { side, kind }))
}

/// Whether the position can be a leaf: the game goes on, and it has tables.
fn is_open(solved: &Solved, position: &Position) -> bool {
    let is_settled = solved.rules.endgame_of(position).vela().is_none();
    is_settled && solved.rules.outcome(position).is_none()
}

#[test]
fn with_right_hints_the_true_claims_are_proved() {
    for name in RULES {
        let solved = Solved::of(name.parse().unwrap());
        let (mut proved, mut refused, mut largest) = ([0; 2], 0, 0);
        for position in solved.all.iter().step_by(effort(499, 41)) {
            if !is_open(&solved, position) {
                continue;
            }
            for claim in claims() {
                let is_true = claim.is_met_by(solved.value(position), position.to_move());
                let of = certificate(&solved.rules, position, claim);
                let found = expand(&of, &|after| solved.value(after), u64::MAX);
                assert_eq!(found.is_ok(), is_true, "{position} {name}: {claim} {found:?}");
                match found {
                    Ok(found) => {
                        proved[usize::from(claim.is_win())] += 1;
                        largest = largest.max(found.positions);
                        assert!(found.positions >= found.proofs[0].leaves);
                    }
                    Err(error) => {
                        assert!(!matches!(error, CertificateError::ExpansionMemory { .. }));
                        refused += 1;
                    }
                }
            }
        }
        assert!(proved.iter().all(|n| *n > 10) && refused > 20 && largest > 5, "{name} {proved:?}");
    }
}

/// Wrong hints can make a check fail, but never prove a false claim.
#[test]
fn wrong_hints_prove_nothing_false() {
    use Value::{Draw, Loss, Win};
    for name in RULES {
        let solved = Solved::of(name.parse().unwrap());
        let solved = &*solved;
        let often_wrong = |seed: u64, share: u64| {
            move |after: &Position| {
                let number = number(after, seed);
                let is_wrong = number >> 32 < share << 16;
                if is_wrong {
                    [Loss, Draw, Win][(number % 3) as usize]
                } else {
                    solved.value(after)
                }
            }
        };
        let won_for = |side: Side| {
            move |position: &Position| if position.to_move() == side { Win } else { Loss }
        };
        let hints: [Box<Hint<'_>>; 11] = [
            Box::new(|after| -solved.value(after)),
            Box::new(|_| Loss),
            Box::new(|_| Draw),
            Box::new(often_wrong(1, 1 << 16)),
            Box::new(often_wrong(2, 1 << 16)),
            Box::new(often_wrong(3, 1 << 13)),
            Box::new(often_wrong(4, 1 << 13)),
            Box::new(often_wrong(5, 1 << 10)),
            Box::new(often_wrong(6, 1 << 10)),
            Box::new(won_for(Side::White)),
            Box::new(won_for(Side::Black)),
        ];
        let (mut proved, mut false_claims, mut failed) = (0, 0, 0);
        for position in solved.all.iter().step_by(effort(1987, 97)) {
            if !is_open(solved, position) {
                continue;
            }
            for claim in claims() {
                let is_true = claim.is_met_by(solved.value(position), position.to_move());
                let of = certificate(&solved.rules, position, claim);
                for hint in &hints {
                    let found = expand(&of, hint, u64::MAX);
                    assert!(is_true || found.is_err(), "{position} {name}: {claim}");
                    proved += usize::from(found.is_ok());
                    false_claims += usize::from(!is_true);
                    failed += usize::from(is_true && found.is_err());
                }
            }
        }
        assert!(proved > 20 && false_claims > 50 && failed > 20, "{name}: {proved} {failed}");
    }
}

/// The positions found in a proof of at least a draw, checked with sets of whole positions and without
/// the hints: from each, some turn leaves only replies that are among them or end the game well.
#[test]
fn a_hold_is_closed_under_all_replies() {
    let (mut checked, mut found_by_all, mut found_by_any) = (0, 0, 0);
    for name in ["standard", "free-capture", "forced-relay"] {
        let solved = Solved::of(name.parse().unwrap());
        let value = |after: &Position| solved.value(after);
        for position in solved.all.iter().step_by(effort(397, 97)) {
            if !is_open(&solved, position) || solved.value(position) == Value::Loss {
                continue;
            }
            let claim = Claim { side: position.to_move(), kind: ClaimKind::Holds };
            let [keys, chosen] = closed_sets(&solved, position, claim, &value);
            let of = certificate(&solved.rules, position, claim);
            let found = expand(&of, &value, u64::MAX).unwrap();
            assert_eq!(found.positions, keys.len() as u64);
            let all_replies = |after: &Position| solved.rules.successors(after);
            let replies: usize = chosen.iter().map(|after| all_replies(after).len()).sum();
            assert_eq!(found.replies, replies as u64, "{position}");

            assert!(keys.contains(&first_image(position)));
            let is_good = |reply: &Position| match solved.rules.outcome(reply) {
                Some(outcome) => claim.is_met_by(outcome.value_for(reply.to_move()), claim.side),
                None => keys.contains(&first_image(reply)),
            };
            for key in &keys {
                let holds = |after: &Position| {
                    let is_lost = solved.rules.outcome(after).is_some_and(|outcome| {
                        !claim.is_met_by(outcome.value_for(after.to_move()), after.to_move())
                    });
                    !is_lost && all_replies(after).iter().all(is_good)
                };
                assert!(solved.rules.successors(key).iter().any(holds), "{name}: {key}");
            }
            checked += usize::from(keys.len() > 10);
            found_by_all += plain_closure(&solved, position);
            found_by_any += keys.len();
        }
    }
    assert!(checked > 10, "{checked}");
    assert!(found_by_any < found_by_all, "{found_by_any} {found_by_all}");
}

/// The first images of the positions in the layers of an expansion, and of the chosen positions.
fn closed_sets(
    solved: &Solved,
    position: &Position,
    claim: Claim,
    hint: &Hint<'_>,
) -> [HashSet<Position>; 2] {
    let probe = |position: &Position| Ok::<_, TableError>(hint(position));
    let account = Account::new(u64::MAX, &|_| {});
    let of = certificate(&solved.rules, position, claim);
    let steps = &groups(&[&of])[0].steps(&NEVER);
    let mut layers = Layers::new(position.board(), &account);
    layers.add(steps.stones(position)).unwrap();
    let [mut keys, mut chosen] = [const { Vec::new() }; 2];
    while let Some(slice) = layers.largest() {
        let layer = layers.layer(slice).unwrap();
        let lane = Lane { steps, probe: &probe, layers: &layers, layer, sizes: SMALL };
        closure::walk(lane).unwrap();
        let stones = |key: u64| layer.numbering.stones(key);
        keys.extend(layer.keys.keys().into_iter().map(|key| steps.position(stones(key))));
        let after = |key: u64| steps.position_after(stones(key));
        chosen.extend(layer.chosen.keys().into_iter().map(after));
        layers.drop_layer(slice);
    }
    [keys, chosen].map(|positions| positions.iter().map(first_image).collect())
}

/// The image of a position that comes first.
fn first_image(position: &Position) -> Position {
    let symmetries = position.board().symmetries().iter();
    let images = symmetries.map(|symmetry| position.transformed(*symmetry).unwrap());
    images.min_by_key(Stones::of).unwrap()
}

/// The number of positions that can come up if the mover plays the best turns, whatever they lead to.
fn plain_closure(solved: &Solved, start: &Position) -> usize {
    let mut found = vec![first_image(start)];
    let mut next = 0;
    while next < found.len() {
        let position = found[next];
        next += 1;
        let mut after = solved.rules.successors(&position);
        after.sort_by_key(Stones::of);
        // The value for the other side, and its stones: the lowest first.
        let best =
            after.iter().min_by_key(|after| (solved.value(after), after.own().len())).unwrap();
        for reply in solved.rules.successors(best) {
            let image = first_image(&reply);
            if solved.rules.outcome(&reply).is_none() && !found.contains(&image) {
                found.push(image);
            }
        }
    }
    found.len()
}

/// A true claim about a position, the strongest for the side to move or for the other one.
fn true_claim(solved: &Solved, position: &Position, number: usize) -> Claim {
    let value = solved.value(position);
    let (mover, other) = (position.to_move(), position.to_move().other());
    let (side, kind) = match value {
        Value::Win => (mover, ClaimKind::Wins),
        Value::Loss => (other, ClaimKind::Wins),
        Value::Draw => ([mover, other][number % 2], ClaimKind::Holds),
    };
    Claim { side, kind }
}

#[test]
fn proofs_of_a_kind_share_their_positions() {
    let (mut shared, mut refused) = (0, 0);
    for name in RULES {
        let solved = Solved::of(name.parse().unwrap());
        let hint = |after: &Position| solved.value(after);
        let open = solved.all.iter().filter(|position| is_open(&solved, position));
        let of = |(number, position): (usize, &Position)| {
            certificate(&solved.rules, position, true_claim(&solved, position, number))
        };
        let certificates: Vec<_> = open.step_by(effort(911, 97)).enumerate().map(of).collect();
        let readers: Vec<_> = certificates.iter().collect();
        let together = expand_all(&readers, &hint, u64::MAX).unwrap();
        let alone: Vec<_> = readers
            .iter()
            .map(|certificate| expand(certificate, &hint, u64::MAX).unwrap())
            .collect();

        let in_order = together.proofs.iter().map(|proof| (proof.certificate, proof.number));
        assert!(in_order.eq((0..readers.len()).map(|certificate| (certificate, 0))));
        for (proof, alone) in together.proofs.iter().zip(&alone) {
            assert_eq!(proof.claim, alone.proofs[0].claim);
            assert!(proof.leaves <= alone.proofs[0].leaves);
        }
        let sum: u64 = alone.iter().map(|alone| alone.positions).sum();
        let most = alone.iter().map(|alone| alone.positions).max().unwrap();
        assert!((most..=sum).contains(&together.positions), "{name}");
        shared += usize::from(together.positions < sum);
        let kind = |claim: Claim| {
            let side = solved.rules.vela().map(|_| claim.side);
            (claim.kind, side)
        };
        let kinds: HashSet<_> = together.proofs.iter().map(|proof| kind(proof.claim)).collect();
        assert_eq!(groups(&readers).len(), kinds.len(), "{name}");

        // One false claim among them is refused.
        let position = open_and_not_won(&solved);
        let claim = Claim { side: position.to_move(), kind: ClaimKind::Wins };
        let wrong = certificate(&solved.rules, &position, claim);
        for at in [0, readers.len()] {
            let mut with_wrong = readers.clone();
            with_wrong.insert(at, &wrong);
            refused += usize::from(expand_all(&with_wrong, &hint, u64::MAX).is_err());
        }
    }
    assert_eq!(refused, 2 * RULES.len());
    assert!(shared > RULES.len() / 2, "{shared}");
}

/// A position can be won under one rule set and not under another. Proofs of both must not share
/// positions, whichever comes first.
#[test]
fn proofs_under_other_rules_are_expanded_apart() {
    let [one, other] = ["standard", "free-capture"].map(|name| Solved::of(name.parse().unwrap()));
    let mut seen = 0;
    for position in one.all.iter().step_by(effort(41, 5)) {
        let is_won = |solved: &Solved| solved.value(position) == Value::Win;
        let is_open = is_open(&one, position) && is_open(&other, position);
        if !is_open || is_won(&one) == is_won(&other) {
            continue;
        }
        let (won, not_won) = if is_won(&one) { (&one, &other) } else { (&other, &one) };
        let claim = Claim { side: position.to_move(), kind: ClaimKind::Wins };
        let [good, bad] = [won, not_won].map(|solved| certificate(&solved.rules, position, claim));
        assert_eq!(groups(&[&good, &bad]).len(), 2);
        // Hints under which the false claim would hold if it were about the other game.
        let hint = |after: &Position| won.value(after);
        expand(&good, &hint, u64::MAX).unwrap();
        for both in [[&good, &bad], [&bad, &good]] {
            assert!(expand_all(&both, &hint, u64::MAX).is_err(), "{position}");
        }
        seen += 1;
    }
    assert!(seen > 3, "{seen}");
}

fn open_and_not_won(solved: &Solved) -> Position {
    let is_good =
        |position: &&Position| is_open(solved, position) && solved.value(position) != Value::Win;
    *solved.all.iter().find(is_good).expect("there are such positions")
}

/// A proof about the same position with colours swapped adds nothing, except in the vela.
#[test]
fn colours_make_no_difference() {
    let mut seen = 0;
    for name in RULES {
        let solved = Solved::of(name.parse().unwrap());
        let hint = |after: &Position| solved.value(after);
        for position in solved.all.iter().step_by(effort(1987, 97)) {
            let swapped = position.with_colours_swapped();
            if !is_open(&solved, position) || !is_open(&solved, &swapped) {
                continue;
            }
            let of =
                |position| certificate(&solved.rules, position, true_claim(&solved, position, 0));
            let [one, other] = [position, &swapped].map(of);
            let alone = expand(&one, &hint, u64::MAX).unwrap();
            let together = expand_all(&[&one, &other], &hint, u64::MAX).unwrap();
            let is_vela = solved.rules.vela().is_some();
            assert_eq!(together.positions == alone.positions, !is_vela, "{name}: {position}");
            assert_eq!(together.proofs[1].leaves == 0, !is_vela);
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}

/// The result does not depend on the number of threads.
#[test]
fn threads_make_no_difference() {
    let solved = Solved::of(RuleSet::STANDARD);
    let hint = |after: &Position| solved.value(after);
    let (mut largest, mut wins) = (0, 0);
    for position in solved.all.iter().step_by(effort(1987, 397)) {
        if !is_open(&solved, position) || solved.value(position) == Value::Loss {
            continue;
        }
        let is_won = solved.value(position) == Value::Win;
        wins += usize::from(is_won);
        let kind = if is_won { ClaimKind::Wins } else { ClaimKind::Holds };
        let of = certificate(&solved.rules, position, Claim { side: position.to_move(), kind });
        let [alone, together] = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| expand(&of, &hint, u64::MAX)).unwrap();
            (found.positions, found.replies)
        });
        assert_eq!(alone, together, "{position}");
        largest = largest.max(alone.0);
    }
    assert!(largest > 8 && wins > 0, "{largest} {wins}");
}

#[test]
fn the_memory_limit_is_kept_and_named() {
    let solved = Solved::of(RuleSet::STANDARD);
    let hint = |after: &Position| solved.value(after);
    let position: Position = "3/1BB/W2 w".parse().unwrap();
    let claim = Claim { side: Side::White, kind: ClaimKind::Holds };
    let of = certificate(&solved.rules, &position, claim);
    let needed = expand(&of, &hint, u64::MAX).unwrap().memory;
    assert!(needed > 100);
    for limit in [0, 1, needed / 2] {
        let error = expand(&of, &hint, limit).unwrap_err();
        assert!(
            matches!(error, CertificateError::ExpansionMemory { limit: named, .. } if named == limit),
            "{error}"
        );
    }
}

#[test]
fn a_lost_leaf_is_refused_with_its_position() {
    let position: Position = "3/1BB/W2 w".parse().unwrap();
    let claim = Claim { side: Side::White, kind: ClaimKind::Wins };
    let hint = |_: &Position| Value::Loss;
    let error =
        expand(&certificate(&RuleSet::STANDARD, &position, claim), &hint, u64::MAX).unwrap_err();
    let CertificateError::Unproved { flaw: Flaw::NoProgress { position: stuck }, .. } = error
    else {
        panic!("{error}")
    };
    assert_eq!(stuck.to_move(), Side::White);
}
