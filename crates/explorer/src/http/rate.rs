//! How often a client may ask: a token bucket for each address.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::extract::{ConnectInfo, Request};
use web_time::Instant;

use crate::settings::Settings;

/// How many seconds' requests a client may make at once.
const BURST_SECONDS: f64 = 10.0;

/// Addresses that are remembered. If there are more, those that have been quiet are forgotten.
const MAX_CLIENTS: usize = 100_000;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// The address of who sent a request: of the connection or, behind a proxy that is trusted, the
    /// one that the proxy has added last.
    pub(crate) fn of(settings: &Settings, request: &Request) -> Self {
        let connection = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let connection = connection.map(|ConnectInfo(address)| address.ip());
        let forwarded = || {
            let mut values = request.headers().get_all("x-forwarded-for").iter();
            let last = values.next_back()?.to_str().ok()?.rsplit(',').next()?;
            last.trim().parse::<IpAddr>().ok()
        };
        let address = if settings.trust_proxy { forwarded().or(connection) } else { connection };
        Self(address.unwrap_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED)))
    }

    /// The address that its requests count for. A household has 2⁶⁴ IPv6 addresses.
    fn network(self) -> IpAddr {
        match self.0.to_canonical() {
            IpAddr::V6(address) => {
                let network = u128::from(address) & !u128::from(u64::MAX);
                IpAddr::V6(network.into())
            }
            address => address,
        }
    }
}

/// The token buckets of all clients.
#[derive(Debug)]
pub(crate) struct ClientRates {
    per_second: f64,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    tokens: f64,
    filled: Instant,
}

impl ClientRates {
    /// Clients may ask this often.
    pub(crate) fn new(per_second: u32) -> Self {
        Self { per_second: per_second.into(), buckets: Mutex::default() }
    }

    /// Whether a client may ask now. Counts the request if it may.
    pub(crate) fn admit(&self, client: ClientAddress) -> bool {
        self.admit_at(client, Instant::now())
    }

    fn admit_at(&self, client: ClientAddress, now: Instant) -> bool {
        let most = self.per_second * BURST_SECONDS;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MAX_CLIENTS && !buckets.contains_key(&client.network()) {
            // A bucket that would be full says nothing.
            let full = Duration::from_secs_f64(BURST_SECONDS);
            buckets.retain(|_, bucket| now.saturating_duration_since(bucket.filled) < full);
            if buckets.len() >= MAX_CLIENTS {
                return false;
            }
        }
        let bucket =
            buckets.entry(client.network()).or_insert(Bucket { tokens: most, filled: now });
        let elapsed = now.saturating_duration_since(bucket.filled).as_secs_f64();
        bucket.tokens = (bucket.tokens + elapsed * self.per_second).min(most);
        bucket.filled = now;
        if bucket.tokens < 1.0 {
            return false;
        }
        bucket.tokens -= 1.0;
        true
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use axum::body::Body;

    use super::*;

    fn client(last: u8) -> ClientAddress {
        ClientAddress(Ipv4Addr::new(192, 0, 2, last).into())
    }

    #[test]
    fn a_client_may_ask_at_once_and_then_steadily() {
        let rates = ClientRates::new(2);
        let begin = Instant::now();
        let burst = (0..100).filter(|_| rates.admit_at(client(1), begin)).count();
        assert_eq!(burst, 20);
        // Others are not affected.
        assert!(rates.admit_at(client(2), begin));
        let mut admitted = 0;
        for tenth in 1..=100 {
            let now = begin + Duration::from_millis(100 * tenth);
            admitted += usize::from(rates.admit_at(client(1), now));
        }
        assert_eq!(admitted, 20);
        // A long silence saves no more than the first burst.
        let later = begin + Duration::from_secs(3600);
        let burst = (0..100).filter(|_| rates.admit_at(client(1), later)).count();
        assert_eq!(burst, 20);
    }

    #[test]
    fn only_quiet_clients_are_forgotten() {
        let rates = ClientRates::new(1);
        let begin = Instant::now();
        let numbered = |number: u32| ClientAddress(Ipv4Addr::from(number).into());
        for number in 0..MAX_CLIENTS as u32 {
            assert!(rates.admit_at(numbered(number), begin));
        }
        // While all buckets are in use, no more are made, and those that are there go on.
        let (last, new) = (numbered(MAX_CLIENTS as u32 - 1), numbered(u32::MAX));
        let soon = begin + Duration::from_secs(5);
        assert!(!rates.admit_at(new, soon));
        for _ in 0..10 {
            assert!(rates.admit_at(last, soon));
        }
        let later = begin + Duration::from_secs(10);
        assert!(rates.admit_at(new, later));
        // The bucket of a client that was not quiet is not full.
        let burst = (0..100).filter(|_| rates.admit_at(last, later)).count();
        assert_eq!(burst, 5);
    }

    #[test]
    fn addresses_of_one_network_count_together() {
        let network = |text: &str| ClientAddress(text.parse().expect("an address")).network();
        assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:1"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
    }

    #[test]
    fn a_header_counts_only_if_the_proxy_is_trusted() {
        let address: SocketAddr = "192.0.2.7:1234".parse().expect("an address");
        let mut request = Request::new(Body::empty());
        request.extensions_mut().insert(ConnectInfo(address));
        let header = "203.0.113.9, 198.51.100.4".parse().expect("a header");
        request.headers_mut().insert("x-forwarded-for", header);
        let found = |trust_proxy| {
            let settings = Settings { trust_proxy, ..Settings::default() };
            ClientAddress::of(&settings, &request).0.to_string()
        };
        assert_eq!(found(false), "192.0.2.7");
        assert_eq!(found(true), "198.51.100.4");
    }
}
