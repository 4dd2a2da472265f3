//! Long work: on other threads, with the interpreter's lock released, until Ctrl-C.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::args::Number;
use crate::errors::Exception;

/// The time between two looks at signals.
const INTERVAL: Duration = Duration::from_millis(20);

/// The most threads that can be asked for.
const MAX_THREADS: usize = 1024;

/// The process whose threads do the work of the pool that all work shares.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Checks that the threads of the pool are in this process: a forked one does not have them, and would
/// wait for them forever.
fn check_process() -> PyResult<()> {
    let here = std::process::id();
    match PROCESS.compare_exchange(0, here, Ordering::Relaxed, Ordering::Relaxed) {
        Err(there) if there != here => Err(Exception::Fork.because(
            "this process was forked from one that has used threads of fanorona, which it does not \
             have: start processes with 'spawn', as in multiprocessing.get_context('spawn')",
        )),
        _ => Ok(()),
    }
}

/// Does work on another thread with the interpreter's lock released, while this thread waits.
///
/// It passes the events that the work sends to `on_event`, and `None` about every 20 milliseconds
/// without one. If that raises an exception, or a signal handler does (Ctrl-C), it sets the stop
/// flag, waits until the work ends, and raises that exception. Raises ForkError in a process without
/// the threads.
pub(crate) fn run<T: Send, E: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool, &Sender<E>) -> T + Send,
    mut on_event: impl FnMut(Python<'_>, Option<E>) -> PyResult<()> + Send,
) -> PyResult<T> {
    check_process()?;
    py.detach(|| {
        let stop = &AtomicBool::new(false);
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            let worker = scope.spawn(move || work(stop, &sender));
            let mut raised = None;
            loop {
                let event = match receiver.recv_timeout(INTERVAL) {
                    Ok(event) => Some(event),
                    Err(RecvTimeoutError::Timeout) => None,
                    // The work is done.
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                if raised.is_none() {
                    let looked = Python::attach(|py| {
                        py.check_signals()?;
                        on_event(py, event)
                    });
                    if let Err(error) = looked {
                        stop.store(true, Ordering::Relaxed);
                        raised = Some(error);
                    }
                }
            }
            match (worker.join(), raised) {
                (Err(panic), _) => resume_unwind(panic),
                (Ok(_), Some(error)) => Err(error),
                (Ok(result), None) => Ok(result),
            }
        })
    })
}

/// [`run`] for work without events.
pub(crate) fn run_quietly<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    run(py, |stop, _: &Sender<()>| work(stop), |_, _| Ok(()))
}

/// Passes each event to a function of Python, if there is one.
pub(crate) fn passed_to<E: for<'py> IntoPyObject<'py>>(
    callback: Option<&Py<PyAny>>,
) -> impl FnMut(Python<'_>, Option<E>) -> PyResult<()> + Send {
    move |py, event| match (callback, event) {
        (Some(callback), Some(event)) => callback.call1(py, (event,)).map(drop),
        _ => Ok(()),
    }
}

/// Threads for some work: a number of its own, or those that all work shares, one for each
/// processor.
pub(crate) struct Threads(Option<rayon::ThreadPool>);

impl Threads {
    pub(crate) fn new(threads: Option<Number<usize>>) -> PyResult<Self> {
        let Some(threads) = threads else { return Ok(Self(None)) };
        let threads = Self::check(threads)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Exception::OutOfMemory.of(&error))?;
        Ok(Self(Some(pool)))
    }

    pub(crate) fn check(threads: Number<usize>) -> PyResult<usize> {
        threads.within("threads", 1..=MAX_THREADS)
    }

    /// Does work on these threads.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}
