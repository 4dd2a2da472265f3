//! Games judged turn by turn: the value of each turn as far as it is known, the mistakes, and how hard it
//! was to avoid them.

use fanorona_core::{Turn, Value};
use fanorona_knowledge::{Assessment, Look, RankedTurn};
use serde::Serialize;

use crate::inquiry::{Answer, Estimate, Share};

/// The loss of value or time by a turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Mistake {
    /// A win became a loss.
    LosesWin,
    /// A draw became a loss.
    LosesDraw,
    /// A win became a draw.
    MissesWin,
    /// The value is the same, but a win takes longer or a loss comes sooner than necessary.
    Slower,
    /// The engine would play another turn, and expects much less of this one. That is not proved.
    Doubtful,
}

/// The most turns that are named as better than the one that was played.
const MOST_BETTER: usize = 3;

/// A turn is doubtful if it lowers the expected result, from 0 for a loss to 1 for a win, so much.
const DOUBTFUL: f64 = 0.15;

/// A turn of a game with what could be found out about it, for the side that makes it.
#[derive(Clone, PartialEq, Debug)]
pub struct TurnReview {
    /// The value, as far as it is known.
    pub assessment: Assessment,
    /// The view of the engine, if the value is unknown.
    pub estimate: Option<Estimate>,
    /// The mistake, if it is known to be one, or doubtful.
    pub mistake: Option<Mistake>,
    /// In a won position: how many turns later than by the best turn it wins.
    pub turns_lost: Option<u16>,
    /// Turns that are better, best first: at most three, and none if there was no mistake.
    pub better: Vec<Turn>,
    /// The turns that keep the value of the position before it.
    pub share: Option<Share>,
}

/// The turns of a side, counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = SideSummary))]
#[serde(deny_unknown_fields)]
pub struct Sums {
    /// The turns.
    pub turns: usize,
    /// Those that gave value away for certain.
    pub mistakes: usize,
    /// Those that the engine doubts.
    pub doubtful: usize,
    /// By how many turns wins were delayed.
    pub turns_lost: u32,
}

impl Sums {
    /// Counts a turn.
    pub fn add(&mut self, mistake: Option<Mistake>, turns_lost: Option<u16>) {
        self.turns += 1;
        self.turns_lost += u32::from(turns_lost.unwrap_or(0));
        self.mistakes += usize::from(mistake.is_some_and(Mistake::gives_value_away));
        self.doubtful += usize::from(mistake == Some(Mistake::Doubtful));
    }
}

impl Mistake {
    /// Whether it gives away value for certain, and not only time.
    pub fn gives_value_away(self) -> bool {
        matches!(self, Self::LosesWin | Self::LosesDraw | Self::MissesWin)
    }

    /// The mistake of a turn with one assessment at a position with another, as far as it is certain.
    pub fn certain(position: &Assessment, turn: &Assessment) -> Option<Self> {
        match (position.bounds.at_least, turn.bounds.at_most) {
            (Value::Win, Value::Loss) => return Some(Self::LosesWin),
            (Value::Win, Value::Draw) => return Some(Self::MissesWin),
            (Value::Draw, Value::Loss) => return Some(Self::LosesDraw),
            _ => {}
        }
        let (here, there) = (position.dtw?, turn.dtw?);
        match (position.value()?, turn.value()?) {
            (Value::Win, Value::Win) => (there > here).then_some(Self::Slower),
            (Value::Loss, Value::Loss) => (there < here).then_some(Self::Slower),
            _ => None,
        }
    }

    /// Whether a turn lowers the result that the engine expects.
    fn is_doubtful(before: &Answer, turn: &Turn, assessment: &Assessment, after: &Answer) -> bool {
        let flipped = after.estimate.map(|found| Estimate { score: -found.score, ..found });
        let expected = expected(&before.assessment(), before.estimate);
        let gained = self::expected(assessment, flipped);
        let is_other = before.advised().is_some_and(|best| best != turn);
        is_other && expected.zip(gained).is_some_and(|(here, there)| here - there >= DOUBTFUL)
    }
}

/// The expected result, from 0 for a loss to 1 for a win, by the value or the estimate; within the
/// proved bounds.
fn expected(found: &Assessment, estimate: Option<Estimate>) -> Option<f64> {
    let result = |value| match value {
        Value::Win => 1.0,
        Value::Draw => 0.5,
        Value::Loss => 0.0,
    };
    let (least, most) = (result(found.bounds.at_least), result(found.bounds.at_most));
    if found.value().is_some() {
        return Some(least);
    }
    let odds = (f64::from(estimate?.score) / 100.0).exp();
    Some((odds / (1.0 + odds)).clamp(least, most))
}

impl TurnReview {
    /// A turn between two positions of a game.
    pub fn new(before: &Answer, turn: &Turn, after: &Answer) -> Self {
        let (here, assessment) = (before.assessment(), after.assessment().before_turn());
        let mistake = Mistake::certain(&here, &assessment);
        let doubtful = || Mistake::is_doubtful(before, turn, &assessment, after);
        let mistake = mistake.or_else(|| doubtful().then_some(Mistake::Doubtful));
        let is_won = here.value() == Some(Value::Win);
        let distances = here.dtw.zip(assessment.dtw);
        let lost = distances.filter(|_| is_won && mistake == Some(Mistake::Slower));
        Self {
            estimate: after.estimate.map(|found| Estimate { score: -found.score, ..found }),
            turns_lost: lost.map(|(best, played)| played.saturating_sub(best)),
            better: better(before, turn, &assessment, mistake),
            share: before.share(),
            assessment,
            mistake,
        }
    }
}

/// The turns that are better than the one that was played, and that of the engine if none is known.
fn better(
    before: &Answer,
    turn: &Turn,
    played: &Assessment,
    mistake: Option<Mistake>,
) -> Vec<Turn> {
    if mistake.is_none() {
        return Vec::new();
    }
    let better = better_turns(&before.look, played);
    match before.advised().filter(|best| better.is_empty() && *best != turn) {
        Some(best) => vec![best.clone()],
        None => better,
    }
}

/// The turns that are known to keep what is known of a position, and to be better than a turn of which this is known:
/// at most three.
pub fn better_turns(look: &Look, played: &Assessment) -> Vec<Turn> {
    let here = look.assessment;
    let is_good = |listed: &&RankedTurn| {
        let found = &listed.assessment;
        let is_known = here.value().is_some() || here.bounds.at_least > Value::Loss;
        let keeps = is_known && found.bounds.at_least >= here.bounds.at_least;
        let is_mistake = Mistake::certain(&here, found).is_some();
        keeps && found.best_first(played).is_lt() && !is_mistake
    };
    let turns = look.turns.as_deref().unwrap_or_default().iter();
    turns.filter(is_good).take(MOST_BETTER).map(|listed| listed.turn.clone()).collect()
}

#[cfg(test)]
mod tests {
    use fanorona_core::{Position, RuleSet};
    use fanorona_knowledge::{Knowledge, Source};
    use fanorona_proof::Bounds;
    use fanorona_tablebase::TableValue;

    use super::*;

    fn table(value: Value, dtw: Option<u16>) -> Assessment {
        Assessment::exact(TableValue { value, dtw }, Source::Table)
    }

    #[test]
    fn a_mistake_is_named_only_if_it_is_certain() {
        use Value::{Draw, Loss, Win};
        let book = |at_least, at_most| Assessment::new(Bounds { at_least, at_most }, Source::Proof);
        let cases = [
            (table(Win, None), table(Loss, None), Some(Mistake::LosesWin)),
            (table(Win, None), table(Draw, None), Some(Mistake::MissesWin)),
            (table(Win, None), book(Loss, Draw), Some(Mistake::MissesWin)),
            (table(Draw, None), table(Loss, None), Some(Mistake::LosesDraw)),
            (book(Draw, Win), table(Loss, Some(4)), Some(Mistake::LosesDraw)),
            (table(Win, Some(3)), table(Win, Some(5)), Some(Mistake::Slower)),
            (table(Loss, Some(8)), table(Loss, Some(6)), Some(Mistake::Slower)),
            (table(Win, Some(3)), table(Win, Some(3)), None),
            (table(Win, Some(3)), table(Win, None), None),
            (table(Loss, Some(8)), table(Loss, Some(8)), None),
            (table(Draw, None), table(Draw, None), None),
            (book(Draw, Win), table(Draw, None), None),
            (Assessment::UNKNOWN, table(Loss, Some(2)), None),
            (table(Win, None), Assessment::UNKNOWN, None),
            (table(Win, None), book(Draw, Win), None),
            (book(Draw, Win), book(Loss, Draw), None),
        ];
        for (position, turn, expected) in cases {
            assert_eq!(Mistake::certain(&position, &turn), expected, "{position:?} {turn:?}");
        }
    }

    /// Two legal turns of a position, and judgements of it.
    fn turns() -> [Turn; 2] {
        let position: Position = "B4/5/5/5/4W w".parse().expect("a position");
        ["e1-d1", "e1-e2"]
            .map(|text| RuleSet::STANDARD.parse_turn(&position, text).expect("a turn"))
    }

    /// An answer of the sources about the position of these turns.
    fn judged(assessment: Assessment, best: Option<&Turn>) -> Answer {
        let position: Position = "B4/5/5/5/4W w".parse().expect("a position");
        let known = Knowledge::of_rules(position.board(), RuleSet::STANDARD);
        let mut answer = Answer::of_sources(&known, &position).expect("it is looked at");
        (answer.look.assessment, answer.look.turns) = (assessment, Some(Vec::new()));
        answer.best = best.cloned();
        answer
    }

    fn open(score: i32, best: Option<&Turn>) -> Answer {
        let estimate = Some(Estimate { score, depth: 7 });
        Answer { estimate, ..judged(Assessment::UNKNOWN, best) }
    }

    /// The same with turns.
    fn listing(mut answer: Answer, turns: Vec<RankedTurn>) -> Answer {
        answer.look.turns = Some(turns);
        answer
    }

    #[test]
    fn a_slow_win_says_how_much_it_loses() {
        let [best, slow] = turns();
        let before = judged(table(Value::Win, Some(3)), Some(&best));
        let found = TurnReview::new(&before, &slow, &judged(table(Value::Loss, Some(4)), None));
        assert_eq!((found.mistake, found.turns_lost), (Some(Mistake::Slower), Some(2)));
        assert_eq!((found.assessment, found.better), (table(Value::Win, Some(5)), vec![best]));
    }

    #[test]
    fn better_turns_come_from_the_list() {
        let [best, bad] = turns();
        let after = "B4/5/5/5/3W1 b".parse().expect("a position");
        let listed = |turn: &Turn, assessment| RankedTurn { turn: turn.clone(), after, assessment };
        let draw = table(Value::Draw, None);
        let first = vec![listed(&best, draw), listed(&bad, table(Value::Loss, Some(2)))];
        let before = listing(judged(draw, Some(&best)), first);
        let lost = judged(table(Value::Win, Some(1)), None);
        let found = TurnReview::new(&before, &bad, &lost);
        assert_eq!(
            (found.mistake, &found.better[..]),
            (Some(Mistake::LosesDraw), &[best.clone()][..])
        );
        let found = TurnReview::new(&before, &best, &judged(draw, None));
        assert_eq!((found.mistake, found.better), (None, Vec::new()));
    }

    /// An open position in which the mover stands even: another turn that is lost, or much worse, is
    /// doubtful. The engine's own turn never is.
    #[test]
    fn a_turn_from_an_open_position_is_doubtful_if_it_gives_much_away() {
        let [best, other] = turns();
        let before = open(0, Some(&best));
        let mistake = |turn, after: &Answer| TurnReview::new(&before, turn, after).mistake;
        let lost = judged(table(Value::Win, None), None);
        assert_eq!(mistake(&other, &lost), Some(Mistake::Doubtful));
        assert_eq!(mistake(&best, &lost), None);
        assert_eq!(mistake(&other, &open(150, None)), Some(Mistake::Doubtful));
        assert_eq!(mistake(&other, &open(60, None)), None);
        // A fall from 18 % to 2 % is one.
        let (poor, worse) = (open(-152, Some(&best)), open(389, None));
        assert_eq!(TurnReview::new(&poor, &other, &worse).mistake, Some(Mistake::Doubtful));
        assert_eq!(mistake(&other, &judged(Assessment::UNKNOWN, None)), None);
        let found = TurnReview::new(&before, &other, &open(150, None));
        assert_eq!((found.estimate.map(|it| it.score), found.better), (Some(-150), vec![best]));
    }

    /// Of a win, a draw and a loss the loss is played: only the win is better without a mistake. Where
    /// nothing was lost, or nothing is known, no turn is named.
    #[test]
    fn better_turns_are_no_mistakes() {
        let [best, other] = turns();
        let position: Position = "B4/5/5/5/4W w".parse().expect("a position");
        let bad = RuleSet::STANDARD.parse_turn(&position, "e1-d2").expect("a turn");
        let after = "B4/5/5/5/3W1 b".parse().expect("a position");
        let win = table(Value::Win, Some(3));
        let values = [win, table(Value::Draw, None), table(Value::Loss, Some(2))];
        let first = |values: [Assessment; 3]| -> Vec<_> {
            let turns = [&best, &other, &bad].into_iter().zip(values);
            let listed = |(turn, assessment): (&Turn, _)| (turn.clone(), assessment);
            let listed = turns.map(listed);
            listed.map(|(turn, assessment)| RankedTurn { turn, after, assessment }).collect()
        };
        let before = listing(judged(win, Some(&best)), first(values));
        let played = |turn, value| {
            let found = TurnReview::new(&before, turn, &judged(table(value, Some(1)), None));
            (found.mistake, found.better)
        };
        assert_eq!(played(&bad, Value::Win), (Some(Mistake::LosesWin), vec![best.clone()]));
        assert_eq!(played(&other, Value::Draw), (Some(Mistake::MissesWin), vec![best.clone()]));
        let unknown = listing(open(0, Some(&best)), first([Assessment::UNKNOWN; 3]));
        let found = TurnReview::new(&unknown, &bad, &judged(Assessment::UNKNOWN, None));
        assert_eq!((found.mistake, found.better), (None, Vec::new()));
    }
}
