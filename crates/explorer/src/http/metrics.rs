//! Counters of the server, as Prometheus reads them.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: String,
    method: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    latencies: Family<RouteLabels, Histogram>,
    probes: Counter,
    open_variants: Gauge,
    pub(crate) cache_hits: Counter,
    pub(crate) refused: Counter,
    pub(crate) searches: Counter,
    pub(crate) running_searches: Gauge,
    pub(crate) searched_positions: Counter,
    pub(crate) opponent_turns: Counter,
}

/// From a tenth of a millisecond to 13 seconds.
fn histogram() -> Histogram {
    Histogram::new((0..18).map(|power| 1e-4 * f64::from(1 << power)))
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("fanorona");
        let requests = Family::default();
        registry.register("requests", "Requests, by route and status", requests.clone());
        let latencies = Family::new_with_constructor(histogram as fn() -> Histogram);
        registry.register_with_unit(
            "request_duration",
            "Time until the head of the response, by route",
            Unit::Seconds,
            latencies.clone(),
        );
        let mut counter = |name, help| {
            let counter = Counter::default();
            registry.register(name, help, counter.clone());
            counter
        };
        let probes = counter("probes", "Positions looked up in tables");
        let cache_hits = counter("cache_hits", "Answers that the client had already");
        let refused =
            counter("refused", "Requests refused because the server or the client is busy");
        let searches = counter("searches", "Proof searches started");
        let searched_positions = counter("searched_positions", "Positions of all proof searches");
        let opponent_turns = counter("opponent_turns", "Turns of the opponent computed");
        let mut gauge = |name, help| {
            let gauge = Gauge::default();
            registry.register(name, help, gauge.clone());
            gauge
        };
        let running_searches = gauge("running_searches", "Proof searches at work");
        let open_variants = gauge("open_variants", "Boards and rule sets whose tables are open");
        Self {
            registry,
            requests,
            latencies,
            probes,
            open_variants,
            cache_hits,
            refused,
            searches,
            running_searches,
            searched_positions,
            opponent_turns,
        }
    }

    pub(crate) fn count(&self, route: &str, method: &str, status: u16, time: Duration) {
        let route = route.to_owned();
        self.latencies
            .get_or_create(&RouteLabels { route: route.clone() })
            .observe(time.as_secs_f64());
        let labels = RequestLabels { route, method: method.to_owned(), status };
        self.requests.get_or_create(&labels).inc();
    }

    /// All numbers as text, with those that others count.
    pub(crate) fn text(
        &self,
        probes: &AtomicU64,
        open_variants: usize,
    ) -> Result<String, fmt::Error> {
        self.probes.inner().store(probes.load(Ordering::Relaxed), Ordering::Relaxed);
        self.open_variants.set(open_variants as i64);
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}
