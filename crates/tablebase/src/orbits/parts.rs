//! Dividing work on a slice among threads.

use std::num::NonZeroUsize;

/// Gives each thread a part of `items`, together with the index of its first item. There are
/// `threads`, by default as many as the current rayon pool has, or fewer if parts would have less
/// than `least` items. Returns the results in the order of the parts.
///
/// The threads are not those of the pool. Orbits are computed while a lock is held. A rayon thread
/// that waited here for others could steal a task that waits for that lock, which is a deadlock.
pub(super) fn in_parts<T: Send, R: Send>(
    items: &mut [T],
    threads: Option<NonZeroUsize>,
    least: usize,
    work: impl Fn(usize, &mut [T]) -> R + Sync,
) -> Vec<R> {
    // Asking rayon for the number of threads starts them, so little work does not ask.
    let parts = items.len() / least;
    if parts < 2 || threads == Some(NonZeroUsize::MIN) {
        return vec![work(0, items)];
    }
    let threads = threads.map_or_else(rayon::current_num_threads, NonZeroUsize::get).min(parts);
    // Where there are no threads, as in a browser, the pool has one.
    if threads == 1 {
        return vec![work(0, items)];
    }
    let length = items.len().div_ceil(threads);
    let work = &work;
    std::thread::scope(|scope| {
        let parts = (0..).step_by(length).zip(items.chunks_mut(length));
        let threads = parts.map(|(first, part)| scope.spawn(move || work(first, part)));
        let threads: Vec<_> = threads.collect();
        let results = threads.into_iter().map(|thread| thread.join());
        results
            .map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn one_thread_is_the_one_that_asks() {
        let parts = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut items = vec![0; 100];
                let found = in_parts(&mut items, None, 10, |first, part| {
                    part.fill(1);
                    (first, part.len(), thread::current().id())
                });
                assert_eq!(items, [1; 100]);
                let here = thread::current().id();
                found.into_iter().map(|(first, length, id)| (first, length, id == here)).collect()
            })
        };
        let (one, three): (Vec<_>, Vec<_>) = (parts(1), parts(3));
        assert_eq!(one, [(0, 100, true)]);
        assert_eq!(three, [(0, 34, false), (34, 34, false), (68, 32, false)]);
    }
}
