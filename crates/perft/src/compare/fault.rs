//! Mistakes that generators are likely to make.

use fanorona_core::{
    Board, Capturing, DirectionRule, MAX_STEPS, NoTurns, Relay, RuleSet, Side, StepKind, Vela,
};

/// One mistake of a generator. All else follows the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// A relay ends after this number of steps.
    RelayEnds(u8),
    /// There are no relays.
    NoRelay,
    /// A relay may go on in the same direction.
    SameDirection,
    /// A relay may come back to its starting point.
    BackToStart,
    /// A relay may come back to a point on its way, but not to its starting point.
    BackToWay,
    /// A relay may come back to any point.
    Back,
    /// A step that can capture both ways captures both lines.
    BothLines,
    /// A step that can capture both ways captures only this way.
    Prefers(StepKind),
    /// Only this kind of capture is known.
    Only(StepKind),
    /// Only the nearest stone of a line is captured.
    Nearest,
    /// A line goes on behind a gap or an own stone.
    BeyondGap,
    /// Stones that the turn has captured still stand during the turn.
    CapturedStand,
    /// After the turn, only the stones of its last step are gone.
    LastStepOnly,
    /// A step that could capture may be made without capturing.
    QuietCapture,
    /// A stone that can capture may not play a paika.
    CapturerStays,
    /// Turns that lead to the same position count once.
    SameResultOnce,
    /// A side without a legal turn passes.
    Pass,
    /// A game that is over goes on.
    GoesOn,
    /// Every point has diagonals.
    AllDiagonals,
    /// The weak points have the diagonals.
    WeakDiagonals,
    /// No point has diagonals.
    NoDiagonals,
    /// Lines and steps go on at the other edge, a rank further.
    Wraps,
    /// It reads the ranks of a position from the bottom up.
    UpsideDown,
    /// There is room for this number of turns.
    Room(usize),
    /// It follows other rules.
    OtherRules(RuleSet),
}

impl Fault {
    /// The faults that can matter under a rule set, the most particular first. `list` is the number of
    /// turns of an answer, which can be that of a full list.
    pub(super) fn all(rules: &RuleSet, board: Board, list: usize) -> Vec<Self> {
        let mut all = vec![
            Self::SameDirection,
            Self::BackToStart,
            Self::BackToWay,
            Self::Back,
            Self::BothLines,
            Self::Prefers(StepKind::Approach),
            Self::Prefers(StepKind::Withdrawal),
            Self::Only(StepKind::Approach),
            Self::Only(StepKind::Withdrawal),
            Self::Nearest,
            Self::BeyondGap,
            Self::CapturedStand,
            Self::LastStepOnly,
            Self::Pass,
            Self::GoesOn,
            Self::AllDiagonals,
            Self::WeakDiagonals,
            Self::NoDiagonals,
            Self::Wraps,
            Self::UpsideDown,
            Self::SameResultOnce,
            Self::NoRelay,
        ];
        if rules.capturing == Capturing::Optional {
            all.extend([Self::QuietCapture, Self::CapturerStays]);
        }
        all.extend((2..MAX_STEPS as u8).map(Self::RelayEnds));
        all.extend(other_rules(rules, board).into_iter().map(Self::OtherRules));
        if list > 0 {
            all.push(Self::Room(list));
        }
        all
    }

    /// A name for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RelayEnds(_) => "relay-ends",
            Self::NoRelay => "no-relay",
            Self::SameDirection => "same-direction",
            Self::BackToStart => "back-to-start",
            Self::BackToWay => "back-to-way",
            Self::Back => "back",
            Self::BothLines => "both-lines",
            Self::Prefers(StepKind::Withdrawal) => "withdrawal-first",
            Self::Prefers(_) => "approach-first",
            Self::Only(StepKind::Withdrawal) => "no-approach",
            Self::Only(_) => "no-withdrawal",
            Self::Nearest => "nearest-stone",
            Self::BeyondGap => "beyond-gap",
            Self::CapturedStand => "captured-stand",
            Self::LastStepOnly => "last-step-only",
            Self::QuietCapture => "quiet-capture",
            Self::CapturerStays => "capturer-stays",
            Self::SameResultOnce => "same-result-once",
            Self::Pass => "pass",
            Self::GoesOn => "goes-on",
            Self::AllDiagonals => "all-diagonals",
            Self::WeakDiagonals => "weak-diagonals",
            Self::NoDiagonals => "no-diagonals",
            Self::Wraps => "wraps",
            Self::UpsideDown => "upside-down",
            Self::Room(_) => "room",
            Self::OtherRules(_) => "other-rules",
        }
    }

    /// The rule of a rule set that it breaks, in words.
    pub fn rule(&self, rules: &RuleSet) -> &'static str {
        match self {
            Self::RelayEnds(_) | Self::NoRelay => {
                "a relay may go on for as many steps as its stone can capture"
            }
            Self::SameDirection if rules.direction == DirectionRule::Strict => {
                "a relay takes no direction twice"
            }
            Self::SameDirection => {
                "a relay may not take two steps in the same direction one after the other"
            }
            Self::BackToStart | Self::BackToWay | Self::Back => {
                "in a relay, the stone never returns to a point where it has been, the starting \
                 point included"
            }
            Self::BothLines | Self::Prefers(_) => {
                "a step that can capture by approach and by withdrawal captures one of the two \
                 lines; these are two different turns"
            }
            Self::Only(_) => "a step captures by approach or by withdrawal",
            Self::Nearest => "the whole line is captured",
            Self::BeyondGap => {
                "a line ends at the first empty point, at an own stone or at the edge"
            }
            Self::CapturedStand | Self::LastStepOnly => {
                "each step of a relay removes the stones that it captures before the next step"
            }
            Self::QuietCapture => "a step that can capture does capture",
            Self::CapturerStays => {
                "where capturing is optional, any stone may play a paika, also one that can capture"
            }
            Self::SameResultOnce => {
                "two turns that differ in a step or in the way of capturing are two turns, even if \
                 they lead to the same position"
            }
            Self::Pass => "a side without a legal turn has lost; nobody passes",
            Self::GoesOn => "when a side has no stones, the game is over",
            Self::AllDiagonals | Self::WeakDiagonals | Self::NoDiagonals => {
                "points where file + rank is even, counted from 0 at a1, have diagonal links; the \
                 others have none"
            }
            Self::Wraps => "links and lines end at the edge of the board",
            Self::UpsideDown => "the text of a position begins with the top rank",
            Self::Room(_) => "all legal turns count, however many they are",
            Self::OtherRules(other) => other_rule(rules, other),
        }
    }

    /// Describes a program with this mistake, in words that follow "it".
    pub fn text(&self) -> String {
        match self {
            Self::RelayEnds(steps) => format!("ends relays after {steps} steps"),
            Self::NoRelay => "ends every turn after one step".to_owned(),
            Self::SameDirection => {
                "lets a relay go on in the same direction (it has no direction rule)".to_owned()
            }
            Self::BackToStart => "lets a relay return to its starting point".to_owned(),
            Self::BackToWay => {
                "lets a relay return to points on its way, except to its starting point".to_owned()
            }
            Self::Back => "lets a relay visit a point twice".to_owned(),
            Self::BothLines => "captures by approach and by withdrawal with one step".to_owned(),
            Self::Prefers(kind) => {
                format!("always chooses {kind} where a step can capture both ways")
            }
            Self::Only(kind) => format!("knows capture by {kind} only"),
            Self::Nearest => "captures only the nearest stone of a line".to_owned(),
            Self::BeyondGap => "lets a line go on behind a gap or an own stone".to_owned(),
            Self::CapturedStand => "removes captured stones only when the turn is over".to_owned(),
            Self::LastStepOnly => "removes only the stones of the last step of a relay".to_owned(),
            Self::QuietCapture => "lets a stone make a capturing step without capturing".to_owned(),
            Self::CapturerStays => "allows no paika by a stone that can capture".to_owned(),
            Self::SameResultOnce => "counts turns that lead to the same position once".to_owned(),
            Self::Pass => "lets a side without a turn pass".to_owned(),
            Self::GoesOn => "goes on when a side has no stones".to_owned(),
            Self::AllDiagonals => "gives every point diagonal links".to_owned(),
            Self::WeakDiagonals => "gives the wrong points their diagonal links".to_owned(),
            Self::NoDiagonals => "knows no diagonal links".to_owned(),
            Self::Wraps => "goes on at the other edge of the board, one rank further".to_owned(),
            Self::UpsideDown => "reads the ranks of a position from the bottom up".to_owned(),
            Self::Room(turns) => format!("lists at most {turns} turns"),
            Self::OtherRules(rules) => format!("follows the rules {rules}"),
        }
    }

    /// The rule set that a program with this mistake follows.
    pub(super) fn rules(&self, rules: &RuleSet) -> RuleSet {
        match self {
            Self::SameDirection => RuleSet { direction: DirectionRule::Free, ..*rules },
            Self::OtherRules(other) => *other,
            _ => *rules,
        }
    }
}

/// The rule that someone breaks who follows another rule set.
fn other_rule(rules: &RuleSet, other: &RuleSet) -> &'static str {
    if rules.vela != other.vela {
        return match rules.vela {
            Some(_) => {
                "in the first phase of the vela, the victor captures nothing, and the challenger \
                 captures one stone with one step"
            }
            None => "both sides capture, from the first turn on",
        };
    }
    match (rules.capturing, rules.relay) {
        (Capturing::Mandatory, _) if rules.capturing != other.capturing => {
            "a side that can capture must capture"
        }
        (Capturing::Optional, _) if rules.capturing != other.capturing => {
            "a paika may be played although another step could capture, except at the first turn \
             of the game"
        }
        (_, Relay::Mandatory) if rules.relay != other.relay => {
            "a relay goes on as long as its stone can capture"
        }
        (_, Relay::Optional) if rules.relay != other.relay => "a relay may stop after any step",
        _ if rules.first_capture_single && !other.first_capture_single => {
            "the first capturing turn of each side has one step"
        }
        _ if other.first_capture_single && !rules.first_capture_single => {
            "every capturing turn may be a relay, also the first one of a side"
        }
        _ => match rules.direction {
            DirectionRule::NotTwiceRunning => {
                "a relay may not take two steps in the same direction one after the other, and \
                 may take a direction again later"
            }
            DirectionRule::Strict => "a relay takes no direction twice",
            DirectionRule::Free => "a relay may take any direction",
        },
    }
}

/// Rule sets that differ in one option, and the presets.
fn other_rules(rules: &RuleSet, board: Board) -> Vec<RuleSet> {
    let mut all = vec![
        RuleSet { direction: DirectionRule::Strict, ..*rules },
        RuleSet { direction: DirectionRule::NotTwiceRunning, ..*rules },
        RuleSet { capturing: Capturing::Mandatory, ..*rules },
        RuleSet { capturing: Capturing::Optional, ..*rules },
        RuleSet { relay: Relay::Mandatory, ..*rules },
        RuleSet { relay: Relay::Optional, ..*rules },
        RuleSet { first_capture_single: !rules.first_capture_single, ..*rules },
    ];
    if let Some(vela) = rules.vela {
        let ends_at = vela.ends_at();
        let others = [
            Vela { victor: vela.victor.other(), ..vela },
            Vela { must_capture: !vela.must_capture, ..vela },
            Vela { stones: Some(ends_at.saturating_add(1)), ..vela },
            Vela { stones: Some(ends_at.saturating_sub(1)), ..vela },
            Vela { stones: Some(0), ..vela },
        ];
        all.extend(others.map(|vela| RuleSet { vela: Some(vela), ..*rules }));
        all.push(rules.without_vela());
    } else {
        let victors = [Side::White, Side::Black];
        let stones = (board != Board::tsivy()).then_some(Vela::STONES);
        all.extend(victors.map(|victor| {
            let vela = Some(Vela { victor, stones, ..Vela::PRINTED });
            RuleSet { vela, ..RuleSet::FREE_CAPTURE }
        }));
    }
    all.extend(RuleSet::PRESETS.into_iter().filter(|preset| preset.vela.is_none()));
    // How a game ends makes no difference to its turns.
    let mut distinct = Vec::new();
    for other in all {
        let other = RuleSet { no_turns: NoTurns::Loss, ..other };
        let same = RuleSet { no_turns: NoTurns::Loss, ..*rules };
        let is_new = other != same && !distinct.contains(&other);
        // The lack of the direction rule is a fault of its own.
        if is_new && other != (RuleSet { direction: DirectionRule::Free, ..same }) {
            distinct.push(other);
        }
    }
    distinct
}
