//! Faults that generators are likely to have.

use fanorona_core::{
    Board, Direction, DirectionRule, MAX_STEPS, NoTurns, Preset, RuleSet, Side, StepKind, Vela,
};

/// Defines the faults in a table, with a name for programs, and the words that follow "it".
macro_rules! faults {
    (
        $($plain:ident $plain_name:literal $plain_text:literal)+;
        $($fault:ident($number:ident: $type:ty) $name:literal $text:literal)+
    ) => {
        /// One fault of a generator. All else follows the rules.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[non_exhaustive]
        pub enum Fault {
            $(#[doc = concat!("It ", $plain_text, ".")] $plain,)+
            $(#[doc = concat!("It ", $text, ".")] $fault($type),)+
            /// Only captures in this way are mandatory; none are if it is `Paika`.
            ObligedBy(StepKind),
            /// A line goes on behind these.
            Beyond {
                /// Behind empty points.
                gaps: bool,
                /// Behind own stones.
                own: bool,
            },
        }

        impl Fault {
            /// Those without a number.
            const PLAIN: &[Self] = &[$(Self::$plain),+];

            /// The name and the words of the table.
            fn words_of_table(&self) -> (String, String) {
                match self {
                    $(Self::$plain => ($plain_name.to_owned(), $plain_text.to_owned()),)+
                    $(Self::$fault($number) => (format!($name), format!($text)),)+
                    _ => unreachable!("it is not in the table"),
                }
            }
        }
    };
}

faults! {
    SameDirection "same-direction"
        "lets a relay go on in the same direction (it has no direction rule)"
    FirstDirection "first-direction" "compares a direction with that of the first step of a relay"
    BackToStart "back-to-start" "lets a relay return to its starting point, once"
    OftenToStart "often-to-start" "lets a relay return to its starting point, any number of times"
    BackToWay "back-to-way" "lets a relay return to points on its way, except to its starting point"
    Back "back" "lets a relay visit a point twice"
    BackLater "back-later" "lets a relay visit a point twice, but not go back at once"
    NotIntoCaptured "not-into-captured"
        "does not let a relay enter a point where the turn has captured a stone"
    RelaySameKind "relay-same-kind"
        "lets a relay go on only if it captures in the same way as with the step before"
    RelayOtherKind "relay-other-kind"
        "lets a relay go on only if it captures in the other way than with the step before"
    BothLines "both-lines" "captures by approach and by withdrawal with one step"
    PrefersLonger "longer-first" "always chooses the longer line where a step can capture both ways"
    EdgeSafe "edge-safe" "does not capture a stone at the end of a line of points"
    StraightCaptures "straight-captures" "captures nothing along diagonals"
    CapturedStand "captured-stand" "removes captured stones only when the turn is over"
    LastStepOnly "last-step-only" "removes only the stones of the last step of a relay"
    LastStepGone "last-step-gone"
        "removes only the stones of the last step of a relay when the turn is over"
    NothingGone "nothing-gone" "has the captured stones on the board after the turn"
    StoneStays "stone-stays" "leaves a stone at the starting point after the turn"
    CapturerStays "capturer-stays"
        "allows a paika to every stone that cannot capture, and to no other"
    MostStones "most-stones" "allows only the turns that capture the most stones"
    MostSteps "most-steps" "allows only the turns with the most steps"
    SameResultOnce "same-result-once" "counts turns that lead to the same position once"
    SameEndsOnce "same-ends-once" "counts turns of a stone to the same point once"
    Pass "pass" "lets a side without a turn pass"
    GoesOn "goes-on" "goes on when a side has no stones"
    AllDiagonals "all-diagonals" "gives every point diagonal links"
    WeakDiagonals "weak-diagonals" "gives the wrong points their diagonal links"
    NoDiagonals "no-diagonals" "knows no diagonal links"
    Wraps "wraps" "goes on at the other edge of the board, one rank further"
    UpsideDown "upside-down" "reads the ranks of a position from the bottom up"
    QuietCapture "quiet-capture" "lets a stone make a capturing step without capturing"
    OwnLosses "own-losses" "takes a side to have captured when it has lost stones itself"
    AnyLosses "any-losses" "takes both sides to have captured when any stone is gone"
    FirstTurnFree "first-turn-free"
        "lets the first turn of the game be a paika although it could capture"
    FirstTurnsCapture "first-turns-capture" "makes a side capture if it can until it has captured"
    VictorCaptures "victor-captures" "lets the victor capture in the first phase of the vela"
    VictorAvoidsCaptures "victor-avoids-captures"
        "allows the victor no step that could capture in the first phase of the vela"
    ChallengerLines "challenger-lines"
        "lets the challenger capture whole lines in the first phase of the vela"
    ChallengerRelays "challenger-relays" "lets the challenger relay in the first phase of the vela"
    PhaseTwoCaptures "phase-two-captures" "makes captures mandatory in the second phase of the vela";
    RelayEnds(steps: u8) "relay-ends" "ends relays after {steps} steps"
    StopsFrom(steps: u8) "stops-late"
        "lets a relay that can go on stop after {steps} steps or more, but not before"
    DirectionFreeFrom(step: u8) "same-direction-later"
        "lets a relay go on in the same direction from step {step} on (it looks at the direction \
         before that only)"
    DirectionFreeBefore(step: u8) "same-direction-first"
        "lets a relay go on in the same direction before step {step} only"
    RelayBy(kind: StepKind) "relay-by-{kind}" "lets a relay go on by {kind} only"
    RelayAfter(kind: StepKind) "relay-after-{kind}" "lets a relay go on after an {kind} only"
    Prefers(kind: StepKind) "{kind}-first"
        "always chooses {kind} where a step can capture both ways"
    Only(kind: StepKind) "no-withdrawal" "knows capture by {kind} only"
    Omits(kind: StepKind) "omits-{kind}" "lists no step that captures by {kind}"
    LineEnds(stones: u8) "short-lines" "captures at most {stones} stones of a line"
    Lacks(direction: Direction) "lacks-direction" "makes no step to the {direction}"
    Room(turns: usize) "room" "lists at most {turns} turns"
    OtherRules(rules: RuleSet) "other-rules" "follows the rules {rules}"
}

const PHASE_ONE: &str = "in the first phase of the vela, the victor makes any step and captures \
                         nothing, and the challenger captures one stone with one step";

impl Fault {
    /// The faults that can matter under a rule set on a board, but for [`Room`](Self::Room), the
    /// plainest first.
    pub fn all(rules: &RuleSet, board: Board) -> Vec<Self> {
        let is_optional = captures_are_optional(rules);
        // Whether a fault can matter, if it is about an option.
        let is_special = |fault: &Self| match fault {
            Self::QuietCapture => Some(is_optional),
            Self::OwnLosses | Self::AnyLosses => Some(rules.preset == Preset::FirstCaptureSingle),
            Self::FirstTurnFree | Self::FirstTurnsCapture => {
                Some(rules.preset == Preset::FreeCapture)
            }
            Self::VictorCaptures
            | Self::VictorAvoidsCaptures
            | Self::ChallengerLines
            | Self::ChallengerRelays
            | Self::PhaseTwoCaptures => Some(rules.vela().is_some()),
            _ => None,
        };
        let plain =
            |special| Self::PLAIN.iter().copied().filter(move |fault| is_special(fault) == special);
        let mut all: Vec<Self> = plain(None).collect();
        let ends = [(true, true), (true, false), (false, true)];
        all.extend(ends.map(|(gaps, own)| Self::Beyond { gaps, own }));
        let of_kind: [fn(StepKind) -> Self; 6] = [
            Self::RelayBy,
            Self::RelayAfter,
            Self::Prefers,
            Self::Only,
            Self::Omits,
            Self::ObligedBy,
        ];
        all.extend(
            of_kind
                .into_iter()
                .flat_map(|fault| [StepKind::Approach, StepKind::Withdrawal].map(fault)),
        );
        all.extend(Direction::ALL.map(Self::Lacks));
        all.extend((1..MAX_STEPS as u8).map(Self::RelayEnds));
        all.extend((2..=4).map(Self::StopsFrom));
        all.extend((3..=5).map(Self::DirectionFreeFrom));
        all.extend((3..=4).map(Self::DirectionFreeBefore));
        all.extend((1..=5).map(Self::LineEnds));
        all.extend(other_rules(rules, board).into_iter().map(Self::OtherRules));
        // The presets are what other programs make of the standard rules.
        if is_optional {
            all.push(Self::StopsFrom(MAX_STEPS as u8));
        } else if rules.preset != Preset::Standard {
            all.push(Self::ObligedBy(StepKind::Paika));
        }
        all.extend(plain(Some(true)));
        all
    }

    /// A name for programs.
    pub fn name(&self) -> String {
        self.words().0
    }

    /// Describes a program with this fault, in words that follow "it".
    pub fn text(&self) -> String {
        self.words().1
    }

    fn words(&self) -> (String, String) {
        let (name, text) = match self {
            Self::RelayEnds(1) => ("no-relay", "ends every turn after one step"),
            Self::RelayAfter(StepKind::Withdrawal) => {
                ("relay-after-withdrawal", "lets a relay go on after a withdrawal only")
            }
            Self::Only(StepKind::Withdrawal) => ("no-approach", "knows capture by withdrawal only"),
            Self::LineEnds(1) => ("nearest-stone", "captures only the nearest stone of a line"),
            Self::Beyond { gaps: true, own: true } => {
                ("beyond-gap", "lets a line go on behind a gap or an own stone")
            }
            Self::Beyond { own: true, .. } => {
                ("beyond-own", "lets a line go on behind an own stone")
            }
            Self::Beyond { .. } => ("beyond-empty", "lets a line go on behind an empty point"),
            Self::ObligedBy(StepKind::Paika) => {
                ("obliged-by-nothing", "allows paikas where a step can capture")
            }
            Self::ObligedBy(StepKind::Approach) => {
                ("obliged-by-approach", "allows paikas where the only captures are withdrawals")
            }
            Self::ObligedBy(StepKind::Withdrawal) => {
                ("obliged-by-withdrawal", "allows paikas where the only captures are approaches")
            }
            _ => return self.words_of_table(),
        };
        (name.to_owned(), text.to_owned())
    }

    /// The rule of a rule set that it breaks, in words.
    pub fn rule(&self, rules: &RuleSet) -> &'static str {
        match self {
            Self::RelayEnds(_) => "a relay may go on for as many steps as its stone can capture",
            Self::StopsFrom(_) if rules.preset == Preset::ForcedRelay => {
                "a relay goes on as long as its stone can capture"
            }
            Self::StopsFrom(_) => "a relay may stop after any step",
            Self::SameDirection
            | Self::DirectionFreeFrom(_)
            | Self::DirectionFreeBefore(_)
            | Self::FirstDirection => match rules.direction {
                DirectionRule::Strict => "a relay takes no direction twice",
                _ => "a relay may not take two steps in the same direction one after the other",
            },
            Self::OwnLosses | Self::AnyLosses => {
                "a side has captured when its opponent has lost stones"
            }
            Self::FirstTurnFree | Self::FirstTurnsCapture => {
                "the first turn of the game captures if it can, and later turns need not"
            }
            Self::VictorCaptures
            | Self::VictorAvoidsCaptures
            | Self::ChallengerLines
            | Self::ChallengerRelays => PHASE_ONE,
            Self::PhaseTwoCaptures => "in the second phase of the vela, capturing is optional",
            Self::BackToStart
            | Self::OftenToStart
            | Self::BackToWay
            | Self::Back
            | Self::BackLater => {
                "in a relay, the stone never returns to a point where it has been, the starting \
                 point included"
            }
            Self::NotIntoCaptured => "a relay may enter a point where it has captured a stone",
            Self::RelayBy(_) | Self::RelayAfter(_) | Self::RelaySameKind | Self::RelayOtherKind => {
                "each step of a relay captures by approach or by withdrawal, whatever the others do"
            }
            Self::BothLines | Self::Prefers(_) | Self::PrefersLonger => {
                "a step that can capture by approach and by withdrawal captures one of the two \
                 lines; these are two different turns"
            }
            Self::Only(_) | Self::Omits(_) => "a step captures by approach or by withdrawal",
            Self::LineEnds(_) => "the whole line is captured",
            Self::Beyond { .. } | Self::EdgeSafe => {
                "a line ends at the first empty point, at an own stone or at the edge"
            }
            Self::CapturedStand | Self::LastStepOnly => {
                "each step of a relay removes the stones that it captures before the next step"
            }
            Self::LastStepGone | Self::NothingGone => {
                "after the turn, all stones that it has captured are gone"
            }
            Self::StoneStays => "a turn moves one stone",
            Self::QuietCapture => "a step that can capture does capture",
            Self::CapturerStays if captures_are_optional(rules) => {
                "where capturing is optional, any stone may play a paika, also one that can capture"
            }
            Self::CapturerStays | Self::ObligedBy(_) => "a side that can capture must capture",
            Self::MostStones | Self::MostSteps => {
                "any capturing turn may be played, however little it captures"
            }
            Self::SameResultOnce | Self::SameEndsOnce => {
                "two turns that differ in a step or in the way of capturing are two turns, even if \
                 they lead to the same position"
            }
            Self::Pass => "a side without a legal turn has lost; nobody passes",
            Self::GoesOn => "when a side has no stones, the game is over",
            Self::AllDiagonals
            | Self::WeakDiagonals
            | Self::NoDiagonals
            | Self::StraightCaptures => {
                "points where file + rank is even, counted from 0 at a1, have diagonal links; the \
                 others have none"
            }
            Self::Lacks(_) => "a stone moves along any link of its point",
            Self::Wraps => "links and lines end at the edge of the board",
            Self::UpsideDown => "the text of a position begins with the top rank",
            Self::Room(_) => "all legal turns count, however many they are",
            Self::OtherRules(other) => other_rule(rules, other),
        }
    }

    /// Makes the options of a rule set those that a program with this fault follows, where they
    /// differ from those of the rules.
    pub(super) fn change(&self, rules: &RuleSet, changed: &mut RuleSet) {
        let other = match self {
            Self::SameDirection => RuleSet { direction: DirectionRule::Free, ..*rules },
            Self::OtherRules(other) => *other,
            _ => return,
        };
        if other.preset != rules.preset {
            changed.preset = other.preset;
        }
        if other.direction != rules.direction {
            changed.direction = other.direction;
        }
    }
}

/// Whether a paika may be played although another step could capture.
fn captures_are_optional(rules: &RuleSet) -> bool {
    matches!(rules.preset, Preset::FreeCapture | Preset::Vela(_))
}

/// The rule that someone breaks who follows another rule set.
fn other_rule(rules: &RuleSet, other: &RuleSet) -> &'static str {
    if rules.preset != other.preset {
        return match (rules.preset, other.preset) {
            (Preset::Vela(_), _) => PHASE_ONE,
            (_, Preset::Vela(_)) => "both sides capture, from the first turn on",
            (Preset::FreeCapture, _) => {
                "a paika may be played although another step could capture, except at the first \
                 turn of the game"
            }
            (_, Preset::FreeCapture) => "a side that can capture must capture",
            (Preset::ForcedRelay, _) => "a relay goes on as long as its stone can capture",
            (_, Preset::ForcedRelay) => "a relay may stop after any step",
            (Preset::FirstCaptureSingle, _) => "the first capturing turn of each side has one step",
            (Preset::Standard, _) => {
                "every capturing turn may be a relay, also the first one of a side"
            }
        };
    }
    match rules.direction {
        DirectionRule::NotTwiceRunning => {
            "a relay may not take two steps in the same direction one after the other, and \
             may take a direction again later"
        }
        DirectionRule::Strict => "a relay takes no direction twice",
        DirectionRule::Free => "a relay may take any direction",
    }
}

/// Rule sets that differ in one option, and the presets.
fn other_rules(rules: &RuleSet, board: Board) -> Vec<RuleSet> {
    let mut all = vec![
        RuleSet { direction: DirectionRule::Strict, ..*rules },
        RuleSet { direction: DirectionRule::NotTwiceRunning, ..*rules },
    ];
    let settled = || RuleSet::PRESETS.into_iter().filter(|preset| preset.vela().is_none());
    all.extend(settled().map(|RuleSet { preset, .. }| RuleSet { preset, ..*rules }));
    if let Some(vela) = rules.vela() {
        let ends_at = vela.ends_at();
        let others = [
            Vela { victor: vela.victor.other(), ..vela },
            Vela { must_capture: !vela.must_capture, ..vela },
            Vela { stones: Some(ends_at.saturating_add(1)), ..vela },
            Vela { stones: Some(ends_at.saturating_sub(1)), ..vela },
            Vela { stones: Some(0), ..vela },
        ];
        all.extend(others.map(|vela| RuleSet { preset: Preset::Vela(vela), ..*rules }));
    } else {
        let victors = [Side::White, Side::Black];
        let stones = (board != Board::tsivy()).then_some(Vela::STONES);
        all.extend(victors.map(|victor| {
            let vela = Vela { victor, stones, ..Vela::PRINTED };
            RuleSet { preset: Preset::Vela(vela), ..RuleSet::VELA }
        }));
    }
    all.extend(settled());
    // How a game ends makes no difference to its turns.
    let mut distinct = Vec::new();
    for other in all {
        let other = RuleSet { no_turns: NoTurns::Loss, ..other };
        let same = RuleSet { no_turns: NoTurns::Loss, ..*rules };
        let is_new = other != same && !distinct.contains(&other);
        // That is a fault of its own.
        let is_listed = other == (RuleSet { direction: DirectionRule::Free, ..same });
        if is_new && !is_listed {
            distinct.push(other);
        }
    }
    distinct
}
