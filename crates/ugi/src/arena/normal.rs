//! The normal distribution.

/// The probability that a standard normal variable is at most `x`.
///
/// The series of Abramowitz and Stegun, 26.2.10 and 26.2.11, converges everywhere; beyond 8 the
/// result differs from 0 or 1 by less than 1e-15.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    if x.abs() > 8.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    // x + x^3/3 + x^5/(3*5) + …, all terms of one sign.
    let (mut term, mut sum, mut n) = (x, x, 1.0);
    while term.abs() > f64::EPSILON * sum.abs() {
        n += 2.0;
        term *= x * x / n;
        sum += term;
    }
    0.5 + sum * (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From Python: `0.5 * math.erfc(-x / math.sqrt(2))`.
    #[test]
    fn it_agrees_with_the_error_function_of_python() {
        let known = [
            (-6.0, 9.865876450377012e-10),
            (-3.0, 0.0013498980316300957),
            (-1.0, 0.15865525393145707),
            (-0.25, 0.4012936743170763),
            (0.0, 0.5),
            (0.5, 0.6914624612740131),
            (1.0, 0.8413447460685429),
            (1.959963984540054, 0.975),
            (2.5, 0.9937903346742238),
            (4.0, 0.9999683287581669),
            (7.5, 0.9999999999999681),
        ];
        for (x, expected) in known {
            assert!((normal_cdf(x) - expected).abs() < 1e-14, "{x}: {}", normal_cdf(x));
        }
        assert_eq!((normal_cdf(9.0), normal_cdf(-9.0)), (1.0, 0.0));
    }

    /// The slow way: the area under the bell curve by Simpson's rule.
    #[test]
    fn it_is_the_area_under_the_curve() {
        let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        for x in [0.1, 0.7, 1.5, 3.2, 7.9] {
            let (parts, width) = (2000, x / 2000.0);
            let inner = (1..parts).map(|i| {
                let weight = if i % 2 == 1 { 4.0 } else { 2.0 };
                weight * density(f64::from(i) * width)
            });
            let area = (density(0.0) + density(x) + inner.sum::<f64>()) * width / 3.0;
            assert!((normal_cdf(x) - 0.5 - area).abs() < 1e-12, "{x}");
            assert!((normal_cdf(-x) - 0.5 + area).abs() < 1e-12, "-{x}");
        }
    }
}
