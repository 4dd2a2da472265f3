//! Structs that may grow in later versions. They begin with their size, which the caller sets.
//!
//! A caller may have been compiled with an older header, whose struct is shorter, or with a newer
//! one, whose struct is longer. Options that are not given are 0, which is the default. Options that
//! this version does not know must be 0. Of results, the caller gets the fields that it knows.

use crate::failure::Failure;

/// A struct that may grow.
///
/// # Safety
/// It is `repr(C)`, begins with a `usize` and consists of integers, of pointers that may be NULL, and
/// of such structs.
pub(crate) unsafe trait Grows: Copy {
    /// The size in the first version that had the struct: that of today, until it grows.
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// The most bytes that a struct will ever have.
const MAX_SIZE: usize = 1 << 12;

/// The size that the caller has given to a struct.
///
/// # Safety
/// The pointer is NULL or points to a struct of the size in its first field.
unsafe fn size_of_struct<T: Grows>(
    pointer: *const T,
    name: &'static str,
) -> Result<usize, Failure> {
    if pointer.is_null() {
        return Err(Failure::Null(name));
    }
    if !pointer.is_aligned() {
        return Err(Failure::Unaligned(name));
    }
    // SAFETY: the first field is the size.
    let size = unsafe { pointer.cast::<usize>().read() };
    if (T::FIRST_SIZE..=MAX_SIZE).contains(&size) {
        return Ok(size);
    }
    let why = format!("has struct_size {size}, but must have the size of its struct");
    Err(Failure::Argument { name, why })
}

/// Reads options; the default, which is 0 everywhere, if the pointer is NULL.
///
/// # Safety
/// The pointer is NULL or points to a struct of the size in its first field.
pub(crate) unsafe fn read<T: Grows>(pointer: *const T, name: &'static str) -> Result<T, Failure> {
    // SAFETY: the struct consists of integers.
    let mut value = unsafe { std::mem::zeroed::<T>() };
    if pointer.is_null() {
        return Ok(value);
    }
    // SAFETY: the caller promises it.
    let size = unsafe { size_of_struct(pointer, name) }?;
    let known = size.min(size_of::<T>());
    // SAFETY: both have this number of bytes, and the value is on the stack of this function. Bytes
    // of padding are copied as they are.
    unsafe {
        (&raw mut value).cast::<u8>().copy_from_nonoverlapping(pointer.cast::<u8>(), known);
    }
    for offset in known..size {
        // SAFETY: the struct has `size` bytes. What this version does not know are fields, which
        // the caller has set to 0 with the whole struct.
        let byte = unsafe { pointer.cast::<u8>().add(offset).read() };
        if byte != 0 {
            let why = format!("sets an option at byte {offset} that this version does not know");
            return Err(Failure::Argument { name, why });
        }
    }
    Ok(value)
}

/// A result that is written at the end of a call.
pub(crate) struct GrowingOutput<T> {
    pointer: *mut T,
    size: usize,
}

impl<T: Grows> GrowingOutput<T> {
    /// # Safety
    /// The pointer is NULL or points to a struct of the size in its first field, until the call
    /// ends.
    pub(crate) unsafe fn new(pointer: *mut T, name: &'static str) -> Result<Self, Failure> {
        // SAFETY: the caller promises it.
        let size = unsafe { size_of_struct(pointer.cast_const(), name) }?;
        Ok(Self { pointer, size })
    }

    /// Writes the fields that the caller knows; the size stays.
    pub(crate) fn write(&self, value: T) {
        let skip = size_of::<usize>();
        let known = self.size.min(size_of::<T>());
        // SAFETY: both have this number of bytes. The value is on the stack of this function.
        unsafe {
            let from = (&raw const value).cast::<u8>().add(skip);
            let to = self.pointer.cast::<u8>().add(skip);
            to.copy_from_nonoverlapping(from, known - skip);
        }
    }
}

/// An option that is not 0: that is the default.
pub(crate) fn given<T: Default + PartialEq>(option: T) -> Option<T> {
    (option != T::default()).then_some(option)
}

/// Refuses flags that this version does not know.
pub(crate) fn check_flags(flags: u32, known: u32, name: &'static str) -> Result<(), Failure> {
    if flags & !known == 0 {
        return Ok(());
    }
    let why = format!("sets the unknown flags {:#x}", flags & !known);
    Err(Failure::Argument { name, why })
}

/// Refuses a reserved field that is set: a later version may give it a meaning.
pub(crate) fn check_reserved(field: u32, name: &'static str) -> Result<(), Failure> {
    if field == 0 {
        return Ok(());
    }
    let why = "sets `reserved`, an option that this version does not know".to_owned();
    Err(Failure::Argument { name, why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, PartialEq, Debug)]
    #[repr(C)]
    struct Today {
        size: usize,
        first: u64,
        second: u64,
    }

    // SAFETY: integers, the size first.
    unsafe impl Grows for Today {
        const FIRST_SIZE: usize = 16;
    }

    #[repr(C)]
    struct Tomorrow {
        today: Today,
        third: u64,
    }

    #[test]
    fn callers_of_other_versions_are_understood() {
        // SAFETY: in all calls, the size is at most that of the struct that is pointed to.
        let read = |given: &Tomorrow| unsafe { read(&raw const given.today, "it") };
        let given = |size, third| Tomorrow { today: Today { size, first: 1, second: 2 }, third };
        assert_eq!(read(&given(16, 3)).unwrap().second, 0, "an older caller has no second field");
        assert_eq!(read(&given(24, 3)).unwrap().second, 2);
        assert_eq!(read(&given(32, 0)).unwrap().second, 2, "a newer caller with defaults");
        for wrong in [given(32, 3), given(8, 0), given(0, 0), given(usize::MAX, 0)] {
            assert!(matches!(read(&wrong), Err(Failure::Argument { .. })));
        }
        // SAFETY: NULL is allowed.
        assert_eq!(unsafe { super::read::<Today>(std::ptr::null(), "it") }.unwrap().first, 0);
    }

    #[test]
    fn results_are_as_long_as_the_caller_knows() {
        for (size, second) in [(16, 9), (24, 7), (32, 7)] {
            let mut out = Tomorrow { today: Today { size, first: 9, second: 9 }, third: 9 };
            // SAFETY: the size is at most that of the struct.
            let output = unsafe { GrowingOutput::new((&raw mut out).cast::<Today>(), "it") };
            output.unwrap().write(Today { size: 1, first: 7, second: 7 });
            assert_eq!(out.today, Today { size, first: 7, second });
            assert_eq!(out.third, 9);
        }
    }
}
