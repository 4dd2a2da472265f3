#!/usr/bin/env python3
"""Checks certificates without believing tables (`check --trust-no-table`) and records what it took. Writes
data/proofs/expansions.json and a table in crates/solver/docs/RESULTS.md, and marks the certificates in the tables
of all answers, of openings and of the vela. Certificates that rest on no tables are left out.

    cargo build --release -p fanorona-cli
    python3 tools/expand_proofs.py --tables DIR --machine "2 cores of an AMD EPYC, 24 GiB"

The tables of all boards and rule sets must be in DIR; unpack them first, or it takes much longer. A certificate
that was recorded before is replaced, and the others stay, so that several runs can use several directories.
With --only NAME..., as in `5x5-standard` or `openings/5x5-standard-b2-c3A`, others are not tried. With
--together LABEL, these are checked together, so that they share positions, and recorded in one row. Needs
Python 3.9. Exits with status 1 if a certificate is not proved.
"""

import argparse
import datetime
import json
import pathlib
import subprocess
import sys

import prove_openings
import prove_vela
from prove_starts import DATA, ROOT, answers, replace_part

FILE = DATA / "expansions.json"


def recorded():
    """The rows of the file, by name."""
    return json.loads(FILE.read_text()) if FILE.exists() else []


def check(program, names, tables, options):
    """The JSON answer for certificates; `None` if it took too long."""
    files = [DATA / f"{name}.proof" for name in names]
    command = [program, "check", *files, "--tables", tables, "--json", *options.no_table]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode not in (0, 1):
        sys.exit(f"{', '.join(names)}: {done.stderr}")
    return json.loads(done.stdout)


def one_value(certificates, key):
    """What all certificates have in common; "several" if they differ."""
    values = {certificate[key] for certificate in certificates}
    return values.pop() if len(values) == 1 else "several"


def value(certificates, proofs):
    """The value of one certificate, or its bound; of several, what their claims are about."""
    if len(certificates) == 1:
        known, least, most = (certificates[0][key] for key in ("value", "at_least", "at_most"))
        return known if known != "unknown" else f"at least {least}" if least != "loss" else f"at most {most}"
    kinds = {"wins" if proof["claim"].endswith("wins") else "draws" for proof in proofs}
    return " and ".join(sorted(kinds))


def row(label, names, found, options):
    expansion = found["expansion"]
    certificates = found.get("certificates", [found])
    return {
        "name": label, "certificates": names, "value": value(certificates, expansion["proofs"]),
        "rules": one_value(certificates, "rules"), "board": one_value(certificates, "board"),
        "tables": max(certificate["tables"] for certificate in certificates),
        "entries": sum(certificate["positions"] for certificate in certificates),
        "positions": expansion["positions"], "replies": expansion["replies"],
        "seconds": round(expansion["seconds"], 1), "memory": expansion["memory_bytes"],
        "machine": options.machine, "date": datetime.date.today().isoformat(), "proofs": expansion["proofs"],
    }


def table(rows):
    lines = [
        "| certificate | value | entries | positions | replies | time (s) | memory (MiB) | date |",
        "|---|---|---:|---:|---:|---:|---:|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row['name']} | {row['value']} | {row['entries']:,} | {row['positions']:,} "
            f"| {row['replies']:,} | {row['seconds']:,.1f} | {-(-row['memory'] // 2**20):,} | {row['date']} |")
    machines = sorted({row["machine"] for row in rows})
    lines += ["", f"Machine: {'; '.join(machines)}. Command: "
              "`fanorona check FILE... --trust-no-table --memory MIB --tables DIR`, run by `tools/expand_proofs.py`."]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", default=ROOT / "target/release/fanorona")
    parser.add_argument("--tables", type=pathlib.Path, default="tables")
    parser.add_argument("--machine", required=True, help="a description of the machine")
    parser.add_argument("--memory", type=int, default=6000, help="MiB for each check")
    parser.add_argument("--timeout", type=float, help="seconds for each check; certificates that need more are left out")
    parser.add_argument("--only", nargs="+", help="names of certificates")
    parser.add_argument("--together", metavar="LABEL", help="check these together; the name of their row")
    options = parser.parse_args()
    options.no_table = ["--trust-no-table", "--memory", str(options.memory)]
    is_good = True
    names = options.only or sorted(path.stem for path in DATA.glob("*.proof"))
    for label, of in [(options.together, names)] if options.together else [(name, [name]) for name in names]:
        found = check(options.program, of, options.tables, options)
        if found is None:
            print(f"{label}: not done after {options.timeout:g} s", flush=True)
        elif not found["ok"]:
            is_good = False
            errors = {part["error"] for part in found.get("certificates", [found]) if "error" in part}
            print(f"{label}: {'; '.join(sorted(errors))}", flush=True)
        elif any(part["tables"] for part in found.get("certificates", [found])):
            new = row(label, of, found, options)
            print(json.dumps(new), flush=True)
            # Read only now: another run may have written meanwhile.
            rows = [new, *(other for other in recorded() if other["name"] != label)]
            FILE.write_text(json.dumps(sorted(rows, key=lambda row: row["name"]), indent=2) + "\n")
    replace_part("expansions", table(recorded()))
    replace_part("answers", answers())
    prove_openings.write_tables()
    prove_vela.write_table()
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
