//! Certificates of what a search has proved.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::common::{analyze, board};
use fanorona_core::{Position, RuleSet, Value};
use fanorona_proof::{Certificate, CertificateError, Flaw};
use fanorona_solver::{Bounds, Limits, Solver, SolverError};

fn solver(start: &Position, memory: usize) -> Solver<'static> {
    Solver::new(RuleSet::STANDARD, start.board(), None, memory).expect("memory")
}

#[test]
fn what_is_proved_is_certified() {
    let (dir, stop) = (tempfile::tempdir().expect("a directory"), AtomicBool::new(false));
    let limits = Limits::default().with_threads(1);
    // A win has one claim, and a draw has two.
    let draw = "5/B4/5/5/4W w".parse().expect("a position");
    for (position, value) in [(board("3x5").start(), Value::Win), (draw, Value::Draw)] {
        let mut solver = solver(&position, 1 << 24);
        let bounds = analyze(&mut solver, &position, 1).bounds();
        assert_eq!(bounds, Bounds::exact(value));
        let mut reports = Vec::new();
        let made = solver.certify(&position, bounds, &limits, &stop, |found| reports.push(found));
        let path = dir.path().join("proof");
        let maker = made.expect("it is true").expect("something is proved");
        maker.write(&path, &stop).expect("it can be written");

        let certificate = Certificate::open(&path).expect("it is there");
        let checked = certificate.check(None, &stop, |_| {}).expect("it holds");
        assert_eq!((certificate.position(), certificate.bounds()), (position, bounds));
        assert!(reports.is_sorted() && reports.last() == Some(&(checked as usize)), "{reports:?}");
    }
}

#[test]
fn what_is_not_proved_is_not_certified() {
    let start = board("3x5").start();
    let (never, always) = (AtomicBool::new(false), AtomicBool::new(true));
    let limits = Limits::default().with_threads(1);
    let win = Bounds::exact(Value::Win);
    let mut solver = solver(&start, 1 << 24);
    let mut certify = |bounds, limits: &Limits, stop| {
        solver.certify(&start, bounds, limits, stop, |_| {}).map(|maker| maker.is_some())
    };
    assert!(matches!(certify(Bounds::UNKNOWN, &limits, &never), Ok(false)));
    assert!(matches!(certify(win, &limits, &always), Err(CertificateError::Stopped)));
    let lost = certify(Bounds::exact(Value::Loss), &limits, &never);
    assert!(
        matches!(lost, Err(CertificateError::NoProof { flaw: Flaw::NoTurn { .. } })),
        "{lost:?}"
    );
    assert!(matches!(certify(win, &limits, &never), Ok(true)));
}

/// The limits are those of the whole certificate, not of each turn.
#[test]
fn a_certificate_has_the_limits_of_a_search() {
    let draw = "5/B4/5/5/4W w".parse().expect("a position");
    let stop = AtomicBool::new(false);
    let bounds = Bounds::exact(Value::Draw);
    // A new solver knows no turns, so each of the two claims needs a search. A search is so short that
    // it ends before it sees that one position is all that it may search.
    let certify = |limits: &Limits, memory| {
        let limits = limits.clone().with_threads(1);
        solver(&draw, memory).certify(&draw, bounds, &limits, &stop, |_| {})
    };
    for limits in [
        Limits::default().with_nodes(0),
        Limits::default().with_nodes(1),
        Limits::default().with_time(Duration::ZERO),
    ] {
        let error = certify(&limits, 1 << 24).expect_err("that is too little");
        let cause: Option<&SolverError> = match &error {
            CertificateError::Guide { source, .. } => source.downcast_ref(),
            _ => None,
        };
        assert!(matches!(cause, Some(SolverError::Limit)), "{limits:?}: {error:?}");
    }
    let error = certify(&Limits::default(), 1 << 10).expect_err("there is too little memory");
    assert!(matches!(error, CertificateError::MemoryLimit { limit: 1024, .. }), "{error:?}");
    let enough = Limits::default().with_nodes(1 << 20).with_time(Duration::from_secs(600));
    assert!(certify(&enough, 1 << 24).expect("that is enough").is_some());
}
