//! Threads of a handle or a call, none of which is left when that ends. The threads that all users of
//! rayon share are not used, because a library should not start threads that its caller did not ask
//! for, and these stay for ever.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use fanorona_knowledge::Knowledge;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::Failure;

/// The most threads that a caller may ask for.
pub(crate) const MAX_THREADS: u32 = 1024;

/// The number of threads that a caller asked for; 0 is one.
pub(crate) fn threads(asked: u32) -> Result<NonZeroUsize, Failure> {
    if asked <= MAX_THREADS {
        return Ok(NonZeroUsize::new(asked as usize).unwrap_or(NonZeroUsize::MIN));
    }
    let why = format!("ask for {asked} threads, but {MAX_THREADS} are the most");
    Err(Failure::Argument { name: "options", why })
}

/// Threads that have ended when the pool is dropped. Those of rayon only begin to end then.
#[derive(Debug)]
pub(crate) struct Pool {
    /// Always there until the pool is dropped.
    pool: Option<ThreadPool>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    pub(crate) fn new(threads: NonZeroUsize) -> Result<Self, Failure> {
        let mut started = Vec::new();
        let builder = ThreadPoolBuilder::new().num_threads(threads.get()).spawn_handler(|thread| {
            started.push(thread::Builder::new().spawn(|| thread.run())?);
            Ok(())
        });
        match builder.build() {
            Ok(pool) => Ok(Self { pool: Some(pool), threads: started }),
            // Those that were started end by themselves.
            Err(error) => Err(error.into()),
        }
    }

    /// Runs work in which rayon uses these threads.
    pub(crate) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

/// Asks sources of knowledge, with this many threads if certificates have to be followed for it.
pub(crate) fn ask<T: Send>(
    known: &Knowledge,
    threads: NonZeroUsize,
    question: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    match known.book().is_none_or(|book| book.is_prepared()) {
        true => Ok(question()),
        false => Ok(Pool::new(threads)?.run(question)),
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        drop(self.pool.take());
        for thread in self.threads.drain(..) {
            // A panic of the work has been passed on already.
            let _ = thread.join();
        }
    }
}

/// Threads that are started when they are first needed.
#[derive(Debug)]
pub(crate) struct LazyPool {
    threads: NonZeroUsize,
    pool: Mutex<Option<Arc<Pool>>>,
}

impl LazyPool {
    pub(crate) fn new(threads: NonZeroUsize) -> Self {
        Self { threads, pool: Mutex::new(None) }
    }

    /// Runs work in which rayon uses these threads.
    pub(crate) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
        let pool = {
            let mut held = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
            match &*held {
                Some(pool) => pool.clone(),
                None => held.insert(Pool::new(self.threads)?.into()).clone(),
            }
        };
        Ok(pool.run(work))
    }
}
