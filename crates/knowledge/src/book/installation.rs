//! Where certificates are that come with a program, or that somebody has put where programs look for
//! data.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The directories of certificates for this process.
pub(super) fn dirs() -> Vec<PathBuf> {
    let program = env::current_exe().ok();
    proof_dirs(program.as_deref(), |name| env::var_os(name))
}

/// The directories of certificates: beside the program, in the `share` of its installation, and in the
/// data directories of the XDG specification.
fn proof_dirs(program: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let variable = |name| variable(name).filter(|value| !value.is_empty());
    let mut dirs = Vec::new();
    if let Some(beside) = program.and_then(Path::parent) {
        dirs.push(beside.join("proofs"));
        dirs.extend(beside.parent().map(|prefix| prefix.join("share/fanorona/proofs")));
    }
    let of_home = || variable("HOME").map(|home| Path::new(&home).join(".local/share"));
    let own = variable("XDG_DATA_HOME").map(PathBuf::from).or_else(of_home);
    let shared = variable("XDG_DATA_DIRS").unwrap_or_else(|| "/usr/local/share:/usr/share".into());
    let data = own.into_iter().chain(env::split_paths(&shared));
    dirs.extend(data.map(|dir| dir.join("fanorona/proofs")));
    // Relative paths in these variables have to be ignored.
    dirs.retain(|dir| dir.is_absolute());
    dirs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_are_beside_the_program_and_where_data_is() {
        let program = Path::new("/opt/f/bin/fanorona");
        let home = |name: &str| (name == "HOME").then(|| "/home/me".into());
        let found = proof_dirs(Some(program), home);
        let expected = [
            "/opt/f/bin/proofs",
            "/opt/f/share/fanorona/proofs",
            "/home/me/.local/share/fanorona/proofs",
            "/usr/local/share/fanorona/proofs",
            "/usr/share/fanorona/proofs",
        ];
        assert_eq!(found, expected.map(PathBuf::from));
        let data = |name: &str| match name {
            "XDG_DATA_HOME" => Some("/data".into()),
            "XDG_DATA_DIRS" => Some("relative:/more".into()),
            _ => None,
        };
        let expected = ["/data/fanorona/proofs", "/more/fanorona/proofs"];
        assert_eq!(proof_dirs(None, data), expected.map(PathBuf::from));
    }
}
