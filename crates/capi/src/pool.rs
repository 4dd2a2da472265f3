//! Threads of a handle or a call. The threads that all users of rayon share are not used, because
//! a library should not start threads that its caller did not ask for.

use std::sync::Mutex;
use std::sync::PoisonError;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::Failure;

/// The most threads that a caller may ask for.
pub(crate) const MAX_THREADS: u32 = 1024;

/// The number of threads that a caller asked for; 0 is one.
pub(crate) fn threads(asked: u32, name: &'static str) -> Result<usize, Failure> {
    if asked <= MAX_THREADS {
        return Ok(asked.max(1) as usize);
    }
    let why = format!("asks for {asked} threads, but {MAX_THREADS} are the most");
    Err(Failure::Argument { name, why })
}

/// New threads.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    Ok(ThreadPoolBuilder::new().num_threads(threads).build()?)
}

/// Threads that are started when they are first needed.
#[derive(Debug)]
pub(crate) struct LazyPool {
    threads: usize,
    pool: Mutex<Option<std::sync::Arc<ThreadPool>>>,
}

impl LazyPool {
    pub(crate) fn new(threads: usize) -> Self {
        Self { threads, pool: Mutex::new(None) }
    }

    /// Runs work in which rayon uses these threads.
    pub(crate) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
        let pool = {
            let mut held = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
            match &*held {
                Some(pool) => pool.clone(),
                None => held.insert(pool(self.threads)?.into()).clone(),
            }
        };
        Ok(pool.install(work))
    }
}
