//! Which tables are verified, and what is solved for them.

use super::*;

/// Only the named slices are checked, in every metric and layout.
#[test]
fn slices_can_be_selected() {
    let dir = fanorona_tests::directory().expect("a directory");
    built(dir.path(), Metric::Wdl);
    let tables = built(dir.path(), Metric::Dtw);
    let weaker = STRONGER.swapped();
    let mut to_unpack = UnpackOptions::new(dir.path(), tables.board(), RULES);
    to_unpack.selection.slices = vec![weaker.to_string().parse().expect("a slice")];
    let stop = AtomicBool::new(false);
    unpack(&to_unpack, &(), &stop).expect("it can be unpacked");
    let check = |selection: &Selection, thoroughness| {
        let checks =
            verify(&tables, selection, thoroughness, &stop, &WorkProgress::default(), |_| {})
                .expect("it can be");
        assert!(checks.iter().all(|check| check.fault.is_none()), "{checks:?}");
        let found = checks.into_iter().map(|check| (check.slice, check.metric, check.layout));
        found.collect::<Vec<_>>()
    };
    let (wdl, dtw) = (Metric::Wdl, Metric::Dtw);
    let (packed, unpacked) = (Layout::Packed, Layout::Unpacked);
    let smallest = Slice::new(1, 1);
    for thoroughness in ALL.into_iter().chain([Thoroughness::Against(&tables)]) {
        let of_weaker = [(wdl, packed), (wdl, unpacked), (dtw, packed), (dtw, unpacked)]
            .map(|(m, l)| (weaker, m, l));
        assert_eq!(check(&weaker.into(), thoroughness), of_weaker);
        let of_smallest = [(smallest, wdl, packed), (smallest, dtw, packed)];
        assert_eq!(check(&Selection::up_to(2), thoroughness), of_smallest);
        let both = [&of_smallest[..], &of_weaker].concat();
        for selection in [Selection::up_to(2).with_slices([weaker]), {
            Selection::all().with_slices([weaker, smallest, weaker])
        }] {
            assert_eq!(check(&selection, thoroughness), both);
        }
        assert_eq!(check(&Selection::all(), thoroughness).len(), 8);
    }
}

/// A fault of a selected table is found, one of another table is not.
#[test]
fn faults_of_the_selected_slice_are_detected() {
    let dir = fanorona_tests::directory().expect("a directory");
    let tables = built(dir.path(), Metric::Dtw);
    let weaker = STRONGER.swapped();
    let key = TableKey::new(tables.board(), &RULES, weaker, Metric::Dtw);
    with_header(&tables, &key, |found| found.longest_win = found.longest_loss);
    let tables = Tables::open(dir.path(), key.board, RULES).expect("it is there");
    let check = |slice: Slice, thoroughness| {
        let stop = AtomicBool::new(false);
        wrong(
            verify(&tables, &slice.into(), thoroughness, &stop, &WorkProgress::default(), |_| {})
                .expect("it can be"),
        )
    };
    assert_eq!(check(STRONGER, Thoroughness::Full), []);
    let [(slice, error)] = &check(weaker, Thoroughness::Full)[..] else { panic!("one is wrong") };
    assert!(*slice == weaker.to_string() && error.contains("longest win"), "{slice}: {error}");
}

/// A named slice must have a table; a damaged one is a fault, not missing.
#[test]
fn selected_slices_must_exist() {
    let dir = fanorona_tests::directory().expect("a directory");
    let tables = built(dir.path(), Metric::Wdl);
    let check = |tables: &Tables, slice: &str, thoroughness| {
        let slice: Slice = slice.parse().expect("a slice");
        verify(
            tables,
            &slice.into(),
            thoroughness,
            &AtomicBool::new(false),
            &WorkProgress::default(),
            |_| {},
        )
    };
    for thoroughness in ALL {
        // 3v1 was not built, and 5x3 has 7 stones of each side.
        for slice in ["3v1", "31v31"] {
            let error = check(&tables, slice, thoroughness).expect_err("it is missing");
            let TableError::Missing { slice: missing, metric: None, .. } = error else {
                panic!("{slice}: {error}")
            };
            assert_eq!(missing.to_string(), slice);
        }
    }
    std::fs::write(file_of(&tables, STRONGER), "not a table").expect("it can be written");
    let tables = Tables::open(dir.path(), tables.board(), RULES).expect("it is there");
    let checks = check(&tables, "2v1", Thoroughness::Quick).expect("it can be verified");
    assert!(matches!(&checks[..], [SliceCheck { fault: Some(TableFault::Unreadable(_)), .. }]));

    let vela: RuleSet = "vela".parse().expect("a preset");
    let board: Board = "5x5".parse().expect("a board");
    let tables = Tables::open(dir.path(), board, vela).expect("it is there");
    let error = check(&tables, "12v12", Thoroughness::Quick).expect_err("it has no tables");
    assert!(matches!(error, TableError::Missing { .. }), "{error}");
}

/// Exactly what a selected slice rests on is solved, and no more is kept than was expected.
#[test]
fn only_what_is_needed_is_solved() {
    let (dir, board): (_, Board) =
        (fanorona_tests::directory().expect("a directory"), BOARD.parse().expect("a board"));
    let options =
        BuildOptions::new(dir.path(), board, RULES, 5).with_metric("wdl".parse().expect("one"));
    build(&options, &(), &AtomicBool::new(false)).expect("it builds");
    let tables = Tables::open(dir.path(), board, RULES).expect("it is there");
    let units = |selection: &Selection| -> Vec<Unit> {
        let work = work(&tables, &tables, selection).expect("it can be verified");
        work.into_iter().map(|(unit, _)| unit).collect()
    };
    let names = |units: &[Unit]| {
        units.iter().map(|unit| unit.stronger().to_string()).collect::<Vec<_>>().join(" ")
    };
    let slice = |text: &str| -> Slice { text.parse().expect("a slice") };
    for (selection, expected) in [
        (Selection::all(), "1v1 2v1 2v2 3v1 3v2 4v1"),
        (Selection::up_to(4), "1v1 2v1 2v2 3v1"),
        (slice("1v4").into(), "1v1 2v1 3v1 4v1"),
        (slice("2v2").into(), "1v1 2v1 2v2"),
        (Selection::all().with_slices(["3v1", "2v2"].map(slice)), "1v1 2v1 2v2 3v1"),
    ] {
        let units = units(&selection);
        assert_eq!(names(&units), expected);
        let (stop, progress) = (AtomicBool::new(false), WorkProgress::default());
        let mut solver = RetrogradeSolver::new(board, Watch { stop: &stop, progress: &progress });
        let (mut most, mut all) = (0, 0);
        for step in steps(&units) {
            solver.retain(&step.before);
            solver.solve(step.unit, &RULES).expect("nobody stops it");
            most = most.max(solver.bytes());
            let memory = |slice| RetrogradeSolver::memory(board, slice);
            all += step.unit.slices().map(memory).sum::<u64>();
        }
        assert_eq!(memory(board, &units).map(|(bytes, _)| bytes), Some(most), "{selection:?}");
        assert!(most <= all, "{selection:?}");
    }
    let found = memory(board, &units(&Selection::all())).expect("there are units");
    assert_eq!(found.1.stronger(), slice("3v2"), "4v1 is smaller, and needs neither 2v2 nor 3v2");
    assert_eq!(memory(board, &[]), None);
}
