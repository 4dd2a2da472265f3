//! Functions of the caller that hear of the progress of long work, and can stop it.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::turn::CTurn;
use crate::value::CAssessment;

/// A function of the caller with its data.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Listener {
    /// The function, or NULL.
    pub function: Option<unsafe extern "C" fn(*const SearchReport, *mut c_void) -> i32>,
    /// Passed to the function with each report.
    pub data: *mut c_void,
}

// SAFETY: the library only passes the pointer on. The header says that threads of the library call the
// function, one at a time.
unsafe impl Send for Listener {}
// SAFETY: as above.
unsafe impl Sync for Listener {}

impl Listener {
    /// Calls the function, if there is one, and sets the flag if it returns anything but 0. When the
    /// flag is set, nothing is reported any more.
    ///
    /// # Safety
    /// The function is NULL or as the header says. It is called by one thread at a time.
    pub(crate) unsafe fn call(&self, report: &SearchReport, stop: &AtomicBool) {
        let Some(function) = self.function else { return };
        if stop.load(Ordering::SeqCst) {
            return;
        }
        // SAFETY: the caller promises it.
        if unsafe { function(report, self.data) } != 0 {
            stop.store(true, Ordering::SeqCst);
        }
    }
}

/// The progress of a search: `fanorona_search_report`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SearchReport {
    /// The size of the struct.
    pub struct_size: usize,
    /// Positions searched.
    pub nodes: u64,
    /// Of them, those that a table decided.
    pub table_hits: u64,
    /// The time taken.
    pub milliseconds: u64,
    /// The value, as far as it is known by now.
    pub assessment: CAssessment,
    /// How full the memory is, in thousandths.
    pub memory_filled: u32,
    /// The depth searched completely; 0 in a search for a proof.
    pub depth: u32,
    /// The score, if nothing else is known; 0 in a search for a proof.
    pub estimate: i32,
    /// Whether there is a turn.
    pub has_turn: i32,
    /// The turn that is the best by now.
    pub turn: CTurn,
}

/// A time in whole milliseconds.
pub(crate) fn milliseconds(time: Duration) -> u64 {
    time.as_millis().try_into().unwrap_or(u64::MAX)
}
