//! The sequential probability ratio test: a match that ends when its question is answered.
//!
//! The test compares two hypotheses on the Elo difference, H0: `elo0`, and H1: `elo1`. After each
//! pair it computes the logarithm of the likelihood ratio (LLR) of the results under H1 and H0, and
//! ends when it leaves the interval of Wald's bounds.
//!
//! The Elo difference fixes the expected share of the points, but not the probabilities of the five
//! scores of a pair. So each hypothesis is represented by the probabilities that are most likely
//! among those with its share: the generalized test (GSPRT) of Li, Liu and Ying, "Generalized
//! Sequential Probability Ratio Test for Separate Families of Hypotheses" (2014). How to find these
//! probabilities is in Van den Bergh, "The Generalized Maximum Likelihood Ratio for the Expectation
//! Value of a Distribution", <https://hardy.uhasselt.be/Fishtest/support_MLE_multinomial.pdf>.
//! Fishtest, the test farm of Stockfish, uses both. Here Elo is the usual, logistic one.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use thiserror::Error;

use super::tally::{Pairs, SHARES, share_of_elo};

/// The count of a score that did not occur. The likelihood ratio needs one above 0.
const UNSEEN: f64 = 1e-3;

/// The largest Elo difference of a hypothesis. Beyond it, shares are too close to 0 or 1.
const MAX_ELO: f64 = 1000.0;

/// The probability to accept H1 although H0 is true, and H0 although H1 is.
const ERROR: f64 = 0.05;

/// A test of `elo0` (H0) against `elo1` (H1).
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
}

/// The error of a text or of numbers that are no test.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "'{0}' is not a test; write two Elo differences from -1000 to 1000, the lower one first, as in 0,10"
)]
pub struct SprtError(String);

/// The state of a test after some pairs.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SprtState {
    /// The test.
    #[serde(flatten)]
    pub sprt: Sprt,
    /// The logarithm of the likelihood ratio of H1 and H0; 0 without pairs.
    pub llr: f64,
    /// Wald's bounds: at most this, and H0 is accepted.
    pub lower: f64,
    /// At least this, and H1 is accepted.
    pub upper: f64,
    /// The answer.
    pub verdict: Verdict,
}

/// The answer of a test.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// H0: the difference is `elo0` rather than `elo1`.
    #[serde(rename = "elo0")]
    H0,
    /// H1: the difference is `elo1` rather than `elo0`.
    #[serde(rename = "elo1")]
    H1,
    /// More games are needed.
    Open,
}

impl Sprt {
    /// A test of two Elo differences, the lower one first, with error probabilities of 0.05.
    ///
    /// # Errors
    /// If they are not from -1000 to 1000, or the first is not the lower one.
    pub fn new(elo0: f64, elo1: f64) -> Result<Self, SprtError> {
        let is_elo = |elo: f64| (-MAX_ELO..=MAX_ELO).contains(&elo);
        if !is_elo(elo0) || !is_elo(elo1) || elo0 >= elo1 {
            return Err(SprtError(format!("{elo0},{elo1}")));
        }
        Ok(Self { elo0, elo1 })
    }

    /// The state of the test after these pairs.
    pub fn state(self, pairs: &Pairs) -> SprtState {
        let (llr, upper) = (self.llr(pairs), ((1.0 - ERROR) / ERROR).ln());
        let verdict = match llr {
            _ if llr <= -upper => Verdict::H0,
            _ if llr >= upper => Verdict::H1,
            _ => Verdict::Open,
        };
        SprtState { sprt: self, llr, lower: -upper, upper, verdict }
    }

    fn llr(self, pairs: &Pairs) -> f64 {
        if pairs.count() == 0 {
            return 0.0;
        }
        let counts = pairs.0.map(|count| if count == 0 { UNSEEN } else { count as f64 });
        let [s0, s1] = [self.elo0, self.elo1].map(share_of_elo);
        let [t0, t1] = [s0, s1].map(|share| multiplier(&counts, share));
        let terms = SHARES.iter().zip(counts).map(|(score, count)| {
            count * ((1.0 + t0 * (score - s0)) / (1.0 + t1 * (score - s1))).ln()
        });
        terms.sum()
    }
}

/// The Lagrange multiplier t of the most likely probabilities with a mean share `s`, given counts
/// of the scores. These probabilities are in proportion to `count / (1 + t (score - s))`.
///
/// At t, the sum of `count (score - s) / (1 + t (score - s))` is 0. It falls strictly between the
/// poles of the extreme scores, so bisection finds it.
fn multiplier(counts: &[f64; 5], s: f64) -> f64 {
    let sum = |t: f64| -> f64 {
        let terms = SHARES.iter().zip(counts).map(|(score, n)| {
            let distance = score - s;
            n * distance / (1.0 + t * distance)
        });
        terms.sum()
    };
    let (mut low, mut high) = (-1.0 / (1.0 - s), 1.0 / s);
    // Each step halves the interval; after these, it is as small as the numbers allow.
    for _ in 0..100 {
        let middle = low + (high - low) / 2.0;
        if sum(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low + (high - low) / 2.0
}

/// `SPRT -200, 0: LLR -3.35 (-2.94 to 2.94), Elo -200 is accepted`.
impl fmt::Display for SprtState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sprt: Sprt { elo0, elo1 }, llr, lower, upper, verdict } = self;
        write!(f, "SPRT {elo0}, {elo1}: LLR {llr:.2} ({lower:.2} to {upper:.2}), ")?;
        match verdict {
            Verdict::H0 => write!(f, "Elo {elo0} is accepted"),
            Verdict::H1 => write!(f, "Elo {elo1} is accepted"),
            Verdict::Open => f.write_str("not decided"),
        }
    }
}

/// Two Elo differences with a comma: `0,10`.
impl FromStr for Sprt {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || SprtError(text.chars().take(100).collect());
        let (elo0, elo1) = text.split_once(',').ok_or_else(error)?;
        let read = |text: &str| text.trim().parse().map_err(|_| error());
        Self::new(read(elo0)?, read(elo1)?)
    }
}

/// `0,10`.
impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{},{}", self.elo0, self.elo1))
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::SplitMix64;

    use super::*;

    /// The largest likelihood of the counts among probabilities with this mean share, the slow and
    /// obvious way: move along the directions that keep the sum and the mean, by golden section,
    /// until nothing gets better.
    fn likelihood(counts: &[f64; 5], share: f64) -> f64 {
        let log = |p: &[f64; 5]| -> f64 {
            counts.iter().zip(p).map(|(n, p)| if *p > 0.0 { n * p.ln() } else { -1e300 }).sum()
        };
        // A start with this mean and all probabilities above 0: a mixture of three simple ones.
        let even = [0.2; 5];
        let end = if share > 0.5 { 4 } else { 0 };
        let weight = (share - 0.5) / (SHARES[end] - 0.5);
        let mut p = even.map(|each| each * (1.0 - weight));
        p[end] += weight;
        // Steps that keep sum and mean: an outcome gives to two others around it.
        let mut directions = Vec::new();
        for i in 0..5 {
            for j in i + 1..5 {
                for k in j + 1..5 {
                    let mut direction = [0.0; 5];
                    direction[j] = -1.0;
                    direction[i] = (k - j) as f64 / (k - i) as f64;
                    direction[k] = (j - i) as f64 / (k - i) as f64;
                    directions.push(direction);
                }
            }
        }
        let golden = (5f64.sqrt() - 1.0) / 2.0;
        for _ in 0..400 {
            for direction in &directions {
                let at = |x: f64| {
                    let mut q = p;
                    q.iter_mut().zip(direction).for_each(|(q, d)| *q += x * d);
                    q
                };
                let limit = |sign: f64| {
                    let falls = p.iter().zip(direction).filter(|(_, d)| *d * sign < 0.0);
                    falls.map(|(p, d)| -p / (d * sign)).fold(f64::INFINITY, f64::min)
                };
                let (mut low, mut high) = (-limit(-1.0), limit(1.0));
                for _ in 0..60 {
                    let (a, b) = (high - golden * (high - low), low + golden * (high - low));
                    if log(&at(a)) < log(&at(b)) { low = a } else { high = b }
                }
                let best = at((low + high) / 2.0);
                if log(&best) > log(&p) {
                    p = best;
                }
            }
        }
        log(&p)
    }

    const EXAMPLES: [[u64; 5]; 6] = [
        [5, 15, 40, 25, 15],
        [1, 0, 7, 3, 2],
        [0, 2, 3, 9, 0],
        [120, 800, 2100, 850, 130],
        [0, 0, 10, 0, 0],
        [30, 1, 1, 1, 2],
    ];

    #[test]
    fn the_ratio_is_that_of_the_largest_likelihoods() {
        for example in EXAMPLES {
            for (elo0, elo1) in [(0.0, 10.0), (-5.0, 0.0), (0.0, 200.0)] {
                let counts = example.map(|n| if n == 0 { UNSEEN } else { n as f64 });
                let [h0, h1] = [elo0, elo1].map(|elo| likelihood(&counts, share_of_elo(elo)));
                let sprt = Sprt::new(elo0, elo1).expect("a test");
                let llr = sprt.llr(&Pairs(example));
                assert!((llr - (h1 - h0)).abs() < 1e-4, "{example:?} {sprt}: {llr} {}", h1 - h0);
            }
        }
    }

    /// A second program: Newton's method on the five probabilities with both constraints (their sum
    /// and their mean), in Python with decimals of 50 digits. It has no multiplier to solve for.
    #[test]
    fn the_ratio_is_that_of_a_second_program() {
        let sprt = Sprt::new(0.0, 10.0).expect("a test");
        let known = [
            ([5, 15, 40, 25, 15], 1.3149243115735882),
            ([1, 0, 7, 3, 2], 0.20744260137947876),
            ([0, 2, 3, 9, 0], 0.3967168305934197),
            ([120, 800, 2100, 850, 130], -3.913110200288465),
            ([0, 0, 10, 0, 0], -0.28579586201903573),
            ([30, 1, 1, 1, 2], -0.8922777455078056),
        ];
        for (example, expected) in known {
            let found = sprt.llr(&Pairs(example));
            assert!((found - expected).abs() < 1e-9, "{example:?}: {found} {expected}");
        }
    }

    /// The error probabilities against their meaning, in simulated tests.
    #[test]
    fn the_test_errs_as_rarely_as_it_says() {
        let sprt = Sprt::new(0.0, 100.0).expect("a test");
        let mut random = SplitMix64::stream(1, 0);
        let runs = 1500;
        for elo in [sprt.elo0, sprt.elo1] {
            let share = share_of_elo(elo);
            let mut wrong = 0;
            for _ in 0..runs {
                let mut pairs = Pairs::default();
                let verdict = loop {
                    // Two independent games without draws; this share of them is won.
                    let unit = || 1u64 << 32;
                    let mut game =
                        || usize::from((random.below(unit()) as f64) < share * unit() as f64);
                    let won = game() + game();
                    pairs.add(2 * won);
                    match sprt.state(&pairs).verdict {
                        Verdict::Open => assert!(pairs.count() < 100_000),
                        verdict => break verdict,
                    }
                };
                let right = if elo == sprt.elo0 { Verdict::H0 } else { Verdict::H1 };
                wrong += usize::from(verdict != right);
            }
            let rate = f64::from(wrong as u32) / f64::from(runs);
            // The bounds are approximate: overshoot makes errors rarer.
            assert!(rate < 1.25 * ERROR, "{elo}: {rate}");
            assert!(rate > 0.3 * ERROR, "{elo}: {rate}");
        }
    }

    #[test]
    fn a_bound_decides() {
        let sprt = Sprt::new(0.0, 50.0).expect("a test");
        // One pair more or less of the same kind passes a bound.
        for (kind, verdict) in [(1, Verdict::H0), (3, Verdict::H1)] {
            let mut pairs = Pairs([3; 5]);
            let mut state = sprt.state(&pairs);
            while state.verdict == Verdict::Open {
                assert!(state.lower < state.llr && state.llr < state.upper, "{state:?}");
                pairs.0[kind] += 1;
                state = sprt.state(&pairs);
            }
            assert_eq!(state.verdict, verdict);
            assert!(state.llr <= state.lower || state.llr >= state.upper, "{state:?}");
        }
    }

    #[test]
    fn tests_are_read_and_wrong_ones_refused() {
        let sprt: Sprt = "-2.5, 2.5".parse().expect("a test");
        assert_eq!((sprt.elo0, sprt.elo1, sprt.to_string().as_str()), (-2.5, 2.5, "-2.5,2.5"));
        // Wald's bounds for 0.05 and 0.05 are the logarithms of 1/19 and 19.
        let SprtState { llr, lower, upper, verdict, .. } = sprt.state(&Pairs::default());
        assert!((upper - 19f64.ln()).abs() < 1e-12 && lower == -upper);
        assert_eq!((llr, verdict), (0.0, Verdict::Open));
        for wrong in ["", "0", "10,0", "0,0", "0,x", "nan,1", "0,inf", "0,1001", "0,1,2"] {
            assert!(wrong.parse::<Sprt>().is_err(), "{wrong}");
        }
    }
}
