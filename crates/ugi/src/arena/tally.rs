//! Results of a match: counts, the share of the points with its error, and the Elo difference.

use std::fmt;

use serde::Serialize;

/// The quantile of the normal distribution for 95 % between the negative and the positive one.
const QUANTILE_95: f64 = 1.959_963_984_540_054;

/// Wins, draws and losses of the first player, game by game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Tally {
    /// The games that the first player has won.
    pub wins: u64,
    /// The drawn games.
    pub draws: u64,
    /// The games that the first player has lost.
    pub losses: u64,
}

impl Tally {
    /// The number of games.
    pub fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The points of the first player; a draw is half a point.
    pub fn points(self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// The points as a share of the games, 0 to 1; `None` without games.
    pub fn share(self) -> Option<f64> {
        (self.games() > 0).then(|| self.points() / self.games() as f64)
    }

    /// Counts a game by its points for the first player, in half points.
    pub(crate) fn add(&mut self, half_points: usize) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }
}

/// `+3 =4 -1`: wins, draws and losses.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("+{} ={} -{}", self.wins, self.draws, self.losses))
    }
}

/// Counts of pairs by the points of the first player: 0, 1/2, 1, 3/2 and 2.
///
/// The two games of a pair have the same opening with colours exchanged, so they are not
/// independent: an opening that is good for White gives a win and a loss. Pairs are independent of
/// each other. So errors are computed from pairs. With single games they would come out too large,
/// because the advantage of a colour would count as chance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Pairs(pub [u64; 5]);

/// The points of a pair as a share of its two games.
pub(crate) const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

impl Pairs {
    /// The number of pairs.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Counts a pair by its points for the first player, in half points from 0 to 4.
    pub(crate) fn add(&mut self, half_points: usize) {
        self.0[half_points.min(4)] += 1;
    }

    /// Estimates the strength of the first player; `None` without pairs.
    ///
    /// ```
    /// use fanorona_ugi::arena::Pairs;
    ///
    /// // 100 pairs: 5 lost, 15 at half a point, 40 even, 25 at one and a half, 15 won.
    /// let estimate = Pairs([5, 15, 40, 25, 15]).estimate().expect("there are pairs");
    /// assert_eq!(estimate.share, 0.575);
    /// let elo = estimate.elo.expect("the share is between 0 and 1");
    /// assert!((elo - 52.5).abs() < 0.1);
    /// ```
    pub fn estimate(&self) -> Option<Estimate> {
        let count = self.count() as f64;
        if count == 0.0 {
            return None;
        }
        let mean = |of: &dyn Fn(f64) -> f64| {
            let sum: f64 = SHARES.iter().zip(self.0).map(|(share, n)| of(*share) * n as f64).sum();
            sum / count
        };
        let share = mean(&|share| share);
        let spread = mean(&|one| (one - share).powi(2));
        // Of pairs that all score the same, nothing is known about the spread.
        let is_known = count > 1.0 && spread > 0.0;
        let deviation = is_known.then(|| (spread / (count - 1.0)).sqrt());
        let error = deviation.map(|deviation| QUANTILE_95 * deviation);
        Some(Estimate {
            share,
            error,
            elo: elo(share),
            elo_low: error.and_then(|error| elo(share - error)),
            elo_high: error.and_then(|error| elo(share + error)),
            superiority: deviation.map(|deviation| normal_cdf((share - 0.5) / deviation)),
        })
    }
}

/// The strength of the first player, estimated from pairs of games.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The share of the points, 0 to 1.
    #[serde(skip)]
    pub share: f64,
    /// The 95 % error of the share: with this probability, the expected share is not farther away.
    /// By the normal approximation, so for many pairs only. `None` if all pairs have the same
    /// score, or there is only one: then nothing is known.
    #[serde(rename = "share_error", skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// The Elo difference for which this share is expected; `None` for 0 and 1, which no
    /// difference explains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elo: Option<f64>,
    /// The Elo difference at the low end of the error; `None` if it is unknown or without bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elo_low: Option<f64>,
    /// The Elo difference at the high end of the error; `None` if it is unknown or without bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elo_high: Option<f64>,
    /// The likelihood of superiority: the probability that the first player is the stronger one,
    /// 0 to 1, by the same approximation. `None` where the error is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superiority: Option<f64>,
}

/// The Elo difference for which a share is expected; `None` outside 0 to 1 and at the ends.
fn elo(share: f64) -> Option<f64> {
    (share > 0.0 && share < 1.0).then(|| 400.0 * (share / (1.0 - share)).log10())
}

/// The share that is expected for an Elo difference.
pub(crate) fn share_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The probability that a standard normal variable is at most `x`.
fn normal_cdf(x: f64) -> f64 {
    libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use fanorona_core::SplitMix64;

    use super::*;

    #[test]
    fn elo_and_share_are_inverse() {
        for tenths in -8000..8000 {
            let difference = f64::from(tenths) / 10.0;
            let back = elo(share_of_elo(difference)).expect("it is between 0 and 1");
            assert!((back - difference).abs() < 1e-8, "{difference} {back}");
        }
        // By the definition of the Elo scale: 400 points are odds of 10 to 1.
        assert!((share_of_elo(400.0) - 10.0 / 11.0).abs() < 1e-15);
        assert_eq!([elo(0.0), elo(1.0), elo(-0.1), elo(1.1)], [None; 4]);
        assert_eq!(elo(0.5).map(f64::is_sign_negative), Some(false));
    }

    #[test]
    fn the_same_score_in_all_pairs_leaves_the_error_unknown() {
        assert_eq!(Pairs::default().estimate(), None);
        for pairs in [[0, 0, 0, 0, 7], [0, 0, 7, 0, 0], [1, 0, 0, 0, 0]] {
            let found = Pairs(pairs).estimate().expect("there are pairs");
            assert_eq!((found.error, found.superiority, found.elo_low), (None, None, None));
        }
        assert_eq!(Pairs([0, 0, 0, 0, 7]).estimate().map(|found| found.elo), Some(None));
        // Of two shares that differ by 1, the standard error is a half.
        let error = Pairs([1, 0, 0, 0, 1]).estimate().and_then(|found| found.error);
        assert!(error.is_some_and(|error| (error - QUANTILE_95 / 2.0).abs() < 1e-12), "{error:?}");
    }

    /// The error against its meaning: of many simulated matches, 95 % have the true share within
    /// their error.
    #[test]
    fn the_error_covers_the_true_share() {
        // Probabilities of the five scores in percent; their mean share is 0.535.
        let weights = [8u64, 18, 38, 24, 12];
        let truth: f64 = SHARES.iter().zip(weights).map(|(s, w)| s * w as f64 / 100.0).sum();
        let mut random = SplitMix64::stream(7, 0);
        let (matches, pairs_each) = (4000, 200);
        let (mut covered, mut superior) = (0, 0.0);
        for _ in 0..matches {
            let mut pairs = Pairs::default();
            for _ in 0..pairs_each {
                let mut draw = random.below(100);
                let found = weights.iter().position(|weight| match draw.checked_sub(*weight) {
                    Some(rest) => {
                        draw = rest;
                        false
                    }
                    None => true,
                });
                pairs.add(found.expect("the weights sum to 100"));
            }
            let found = pairs.estimate().expect("there are pairs");
            let error = found.error.expect("they differ");
            covered += usize::from((found.share - truth).abs() <= error);
            superior += found.superiority.expect("they differ");
        }
        let coverage = covered as f64 / f64::from(matches);
        // The standard error of the simulation is 0.0035.
        assert!((coverage - 0.95).abs() < 0.015, "{coverage}");
        assert!(superior / f64::from(matches) > 0.85);
    }

    /// From tables of the normal distribution.
    #[test]
    fn the_likelihood_is_that_of_the_normal_distribution() {
        for (x, expected) in [(-1.0, 0.15865525393145707), (0.0, 0.5), (QUANTILE_95, 0.975)] {
            assert!((normal_cdf(x) - expected).abs() < 1e-14, "{x}: {}", normal_cdf(x));
        }
    }
}
