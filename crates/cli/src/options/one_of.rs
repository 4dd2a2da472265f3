//! One of some values as an argument, by its name.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// A parser of values that have these names.
pub(crate) fn one_of<T: Clone + Send + Sync + 'static, const N: usize>(
    values: [(&'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(values.iter().map(|(name, _)| *name));
    names.map(move |text| {
        let found = values.iter().find(|(name, _)| **name == text);
        found.expect("only these names are possible").1.clone()
    })
}
