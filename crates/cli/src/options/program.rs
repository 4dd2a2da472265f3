//! The options of other programs.

/// Reads `NAME=VALUE`, for an option of a program.
pub(crate) fn program_option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or(("", ""));
    if name.trim().is_empty() {
        return Err("write the name of the option, = and its value, as in Hash=64".to_owned());
    }
    Ok((name.trim().to_owned(), value.to_owned()))
}
