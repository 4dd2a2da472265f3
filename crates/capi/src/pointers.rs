//! Pointers from C: NULL and unaligned ones are refused.

use std::ptr::NonNull;

use crate::failure::Failure;

/// Checks a pointer.
#[inline]
fn checked<T>(pointer: *const T, name: &'static str) -> Result<NonNull<T>, Failure> {
    match NonNull::new(pointer.cast_mut()) {
        Some(found) if pointer.is_aligned() => Ok(found),
        Some(_) => Err(Failure::Unaligned(name)),
        None => Err(Failure::Null(name)),
    }
}

/// A handle.
///
/// # Safety
/// The pointer is NULL or a handle of this type that is not freed during `'a`.
#[inline]
pub(crate) unsafe fn handle<'a, T>(
    pointer: *const T,
    name: &'static str,
) -> Result<&'a T, Failure> {
    // SAFETY: the caller promises it. Handles are never changed through another reference.
    checked(pointer, name).map(|found| unsafe { found.as_ref() })
}

/// A handle that may be NULL.
///
/// # Safety
/// As for [`handle`].
pub(crate) unsafe fn optional<'a, T>(
    pointer: *const T,
    name: &'static str,
) -> Result<Option<&'a T>, Failure> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller promises it.
    unsafe { handle(pointer, name) }.map(Some)
}

/// Gives a handle to the caller.
pub(crate) fn give<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Makes the function that takes a handle back.
macro_rules! frees {
    ($function:ident, $handle:ty) => {
        /// Frees a handle.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $function(handle: *mut $handle) {
            if !handle.is_null() {
                // SAFETY: it comes from `give` and has not been freed, as the header says.
                drop(unsafe { Box::from_raw(handle) });
            }
        }
    };
}
pub(crate) use frees;

/// A copy of an object.
///
/// # Safety
/// The pointer is NULL or points to a valid object.
#[inline]
pub(crate) unsafe fn copy<T: Copy>(pointer: *const T, name: &'static str) -> Result<T, Failure> {
    // SAFETY: the caller promises it.
    checked(pointer, name).map(|found| unsafe { found.read() })
}

/// Copies of the objects of an array, which may be NULL if it is empty.
///
/// # Safety
/// The pointer is NULL or points to an array of this length.
pub(crate) unsafe fn copies<T: Copy>(
    pointer: *const T,
    length: usize,
    name: &'static str,
) -> Result<Vec<T>, Failure> {
    if length == 0 {
        return Ok(Vec::new());
    }
    let array = checked(pointer, name)?;
    check_length::<T>(length, name)?;
    // SAFETY: the caller promises it, and nobody writes to the array until the copy is made.
    Ok(unsafe { std::slice::from_raw_parts(array.as_ptr(), length) }.to_vec())
}

fn check_length<T>(length: usize, name: &'static str) -> Result<(), Failure> {
    let most = isize::MAX as usize / size_of::<T>().max(1);
    if length <= most {
        return Ok(());
    }
    Err(Failure::Argument {
        name,
        why: format!("has {length} elements, more than memory can hold"),
    })
}

/// An object that is written at the end of a call.
pub(crate) struct Output<T>(NonNull<T>);

impl<T> Output<T> {
    /// # Safety
    /// The pointer is NULL or points to memory for the object, until the call ends.
    #[inline]
    pub(crate) unsafe fn new(pointer: *mut T, name: &'static str) -> Result<Self, Failure> {
        checked(pointer, name).map(Self)
    }

    #[inline]
    pub(crate) fn write(&self, value: T) {
        // SAFETY: `new` was promised memory for it. C objects need not be dropped.
        unsafe { self.0.write(value) };
    }
}

/// An array that is written at the end of a call.
pub(crate) struct OutputArray<T> {
    array: *mut T,
    capacity: usize,
    name: &'static str,
}

impl<T> OutputArray<T> {
    /// The array may be NULL. Then nothing is written, and any number of objects fits.
    ///
    /// # Safety
    /// The pointer is NULL or points to memory for `capacity` objects, until the call ends.
    pub(crate) unsafe fn new(
        array: *mut T,
        capacity: usize,
        name: &'static str,
    ) -> Result<Self, Failure> {
        if !array.is_null() {
            checked(array, name)?;
            check_length::<T>(capacity, name)?;
        } else if capacity > 0 {
            return Err(Failure::Null(name));
        }
        Ok(Self { array, capacity, name })
    }

    /// Writes the object with this index, if there is room for it.
    #[inline]
    pub(crate) fn write(&self, index: usize, value: T) {
        if index < self.capacity {
            // SAFETY: `new` was promised memory for it.
            unsafe { self.array.add(index).write(value) };
        }
    }

    /// Whether this number of objects fits.
    pub(crate) fn check(&self, needed: usize) -> Result<(), Failure> {
        let Self { array, capacity, name } = *self;
        if array.is_null() || needed <= capacity {
            return Ok(());
        }
        Err(Failure::Capacity { name, capacity, needed })
    }
}
