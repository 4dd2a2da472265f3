//! Stop flags.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;
use crate::pointers::{frees, give, optional};

/// A flag that ends long work: `fanorona_stop`.
#[derive(Debug, Default)]
pub struct StopHandle(AtomicBool);

/// The flag of a handle, or another one: a function of the caller can set the flag of its call.
///
/// # Safety
/// The pointer is NULL or a handle that is not freed while the flag is used.
pub(crate) unsafe fn flag_or(
    stop: *const StopHandle,
    own: &AtomicBool,
) -> Result<&AtomicBool, Failure> {
    // SAFETY: the caller promises it.
    Ok(unsafe { optional(stop, "stop") }?.map_or(own, |stop| &stop.0))
}

/// A flag that is not set.
#[unsafe(no_mangle)]
pub extern "C" fn fanorona_stop_new() -> *mut StopHandle {
    give(StopHandle::default())
}

/// Sets a flag.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fanorona_stop_set(stop: *const StopHandle) {
    // SAFETY: the caller gives NULL or a handle.
    if let Some(stop) = unsafe { stop.as_ref() } {
        stop.0.store(true, Ordering::SeqCst);
    }
}

/// Clears a flag.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fanorona_stop_clear(stop: *const StopHandle) {
    // SAFETY: the caller gives NULL or a handle.
    if let Some(stop) = unsafe { stop.as_ref() } {
        stop.0.store(false, Ordering::SeqCst);
    }
}

/// Whether a flag is set: 1 or 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fanorona_stop_is_set(stop: *const StopHandle) -> i32 {
    // SAFETY: the caller gives NULL or a handle.
    unsafe { stop.as_ref() }.is_some_and(|stop| stop.0.load(Ordering::SeqCst)).into()
}

frees!(fanorona_stop_free, StopHandle);
