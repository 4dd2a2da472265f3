//! Code that the tests of several crates share.
//!
//! - [`strategies`]: boards, rule sets and positions of every kind, for property tests
//! - [`counter`]: a program that counts turns, with mistakes
//! - [`partial`]: answers from a part of the tables, against all of them
//! - [`questions`]: questions that every face answers alike
//! - [`scripted`]: a program that speaks UGI or UCI as a script says

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

pub mod counter;
pub mod partial;
pub mod questions;
pub mod scripted;
pub mod strategies;

/// How much a test does: the first amount, or the second where the environment variable
/// `FANORONA_TESTS` is `thorough`.
///
/// The first keeps `cargo test` short. It covers every case at least once; the second covers more
/// positions, stones and random cases.
pub fn effort<T>(usual: T, thorough: T) -> T {
    let is_thorough = std::env::var_os("FANORONA_TESTS").is_some_and(|value| value == "thorough");
    if is_thorough { thorough } else { usual }
}

/// Shares values between the tests of a program, such as solved boards: each is made once.
#[derive(Debug)]
pub struct MadeOnce<K, V>(LazyLock<Places<K, V>>);

type Places<K, V> = Mutex<HashMap<K, Arc<OnceLock<Arc<V>>>>>;

impl<K: Eq + Hash, V> MadeOnce<K, V> {
    /// Without any value.
    #[expect(clippy::new_without_default, reason = "it is for statics")]
    pub const fn new() -> Self {
        Self(LazyLock::new(Mutex::default))
    }

    /// The value of a key, which the first call makes.
    ///
    /// # Panics
    ///
    /// If another thread panicked here.
    pub fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        let place = Arc::clone(self.0.lock().expect("no panic").entry(key).or_default());
        Arc::clone(place.get_or_init(|| Arc::new(make())))
    }
}

/// A new directory for a few megabytes of files, in memory where the system has such a place. The tests
/// of tables flush files tens of thousands of times, which keeps many disks busy for minutes.
///
/// # Errors
///
/// If no directory can be made.
pub fn directory() -> std::io::Result<tempfile::TempDir> {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())
}
