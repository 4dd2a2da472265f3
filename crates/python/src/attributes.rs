//! Classes that have attributes more than methods.

/// The methods of a class for Python: first its attributes, each with its type and its value, which the
/// stub names likewise, then the others.
///
/// Python sees an attribute as a property that cannot be set.
macro_rules! attributes {
    (
        of $class:ident, $self:ident:
        $($(#[doc = $doc:tt])+ $name:ident: $type:ty = $value:expr;)*
        methods:
        $($methods:tt)*
    ) => {
        #[pymethods]
        impl $class {
            $(
                $(#[doc = $doc])+
                #[getter]
                fn $name(&$self) -> $type {
                    $value
                }
            )*

            $($methods)*
        }
    };
}

pub(crate) use attributes;
