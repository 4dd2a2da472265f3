//! Prints what a certificate claims, and checks it.
//!
//! ```console
//! $ cargo run --release -p fanorona-proof --example check -- data/proofs/3x5-standard.proof
//! 3x5, standard, BBB/BBB/B1W/WWW/WWW w
//! white wins: 25 positions
//! proved
//! ```
//!
//! A second argument is the directory of the tables, for certificates that name some.

use std::env;
use std::error::Error;
use std::io::{self, Write};
use std::sync::atomic::AtomicBool;

use fanorona_proof::{Certificate, CertificateError};
use fanorona_tablebase::Tables;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let (file, tables) = match &args[..] {
        [file] => (file, None),
        [file, tables] => (file, Some(tables.as_str())),
        _ => return Err("give a certificate, and a directory of tables if it names some".into()),
    };
    check(file, tables, &mut io::stdout())
}

/// Writes what a certificate claims, and whether it is proved.
fn check(file: &str, tables: Option<&str>, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let certificate = Certificate::open(file)?;
    let (board, rules) = (certificate.board(), certificate.rules());
    writeln!(out, "{board}, {rules}, {}", certificate.position())?;
    for proof in certificate.proofs() {
        writeln!(out, "{}: {} positions", proof.claim, proof.positions)?;
    }
    if !certificate.tables().is_empty() {
        writeln!(out, "needs {} tables", certificate.tables().len())?;
    }

    let tables = tables.map(|dir| Tables::open(dir, board, rules)).transpose()?;
    let never = AtomicBool::new(false);
    match certificate.check(tables.as_ref(), &never, |_| {}) {
        Ok(_) => writeln!(out, "proved")?,
        Err(CertificateError::DoesNotHold { flaw, .. }) => writeln!(out, "not proved: {flaw}")?,
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
