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
