#!/usr/bin/env python3
"""Checks certificates without believing tables (`check --trust-no-table`) and records what it took. Writes
data/proofs/expansions.json and a table in crates/solver/docs/RESULTS.md, and marks the certificates in the table
of all answers. Certificates that rest on no tables are left out.

    cargo build --release -p fanorona-cli
    python3 tools/expand_proofs.py --tables DIR --machine "2 cores of an AMD EPYC, 24 GiB"

The tables of all boards and rule sets must be in DIR; unpack them first, or it takes much longer. A certificate
that was recorded before is replaced, and the others stay, so that several runs can use several directories.
With --only NAME..., as in `5x5-standard`, others are not tried. With --read FILE and one name, the certificate
is not checked again: FILE has what the command printed without --json. Needs Python 3.9. Exits with status 1 if a
certificate is not proved.
"""

import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys

from prove_starts import DATA, ROOT, answers, replace_part

FILE = DATA / "expansions.json"


def check(program, name, tables, options):
    """The JSON answer for a certificate; `None` if it took too long."""
    command = [program, "check", DATA / f"{name}.proof", "--tables", tables, "--json", *options.no_table]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode not in (0, 1):
        sys.exit(f"{name}: {done.stderr}")
    return json.loads(done.stdout)


def read(name, file):
    """The same from what the command printed for people."""
    text = file.read_text().replace(",", "")
    first = re.search(r"^\S+ [wb] (\S+): (\w+)\nproved by (\d+) positions? and (\d+) tables?", text, re.M)
    proofs = re.findall(r"^(white|black) (.*): (\d+) positions? more (\d+) repl", text, re.M)
    memory = int(re.search(r"trusted; (\d+) MiB for positions (.*)", text)[1])
    parts = re.search(r"MiB for positions (?:(\d+) h ?)?(?:(\d+) min ?)?(?:([\d.]+) s)?", text).groups()
    seconds = sum(float(part or 0) * unit for part, unit in zip(parts, (3600, 60, 1)))
    rules, value, entries, tables = first.groups()
    proofs = [{"side": side, "claim": f"{side} {claim}", "positions": int(positions), "replies": int(replies)}
              for side, claim, positions, replies in proofs]
    total = {key: sum(proof[key] for proof in proofs) for key in ("positions", "replies")}
    return {"ok": True, "value": value, "rules": rules, "board": name.split("-")[0], "tables": int(tables),
            "positions": int(entries),
            "expansion": total | {"memory_bytes": memory << 20, "seconds": seconds, "proofs": proofs}}


def row(name, found, options):
    expansion = found["expansion"]
    return {
        "name": name, "value": found["value"], "rules": found["rules"], "board": found["board"],
        "tables": found["tables"], "metric": options.metric, "entries": found["positions"],
        "positions": expansion["positions"], "replies": expansion["replies"],
        "seconds": round(expansion["seconds"], 1), "memory": expansion["memory_bytes"],
        "machine": options.machine, "date": datetime.date.today().isoformat(), "proofs": expansion["proofs"],
    }


def table(rows):
    lines = [
        "| certificate | value | tables that recommend turns | entries | positions | replies | time (s) "
        "| memory (MiB) | date |",
        "|---|---|---|---:|---:|---:|---:|---:|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row['name']} | {row['value']} | `{row['metric']}` | {row['entries']:,} | {row['positions']:,} "
            f"| {row['replies']:,} | {row['seconds']:,.1f} | {-(-row['memory'] // 2**20):,} | {row['date']} |")
    machines = sorted({row["machine"] for row in rows})
    lines += ["", f"Machine: {'; '.join(machines)}. Command: "
              "`fanorona check FILE --trust-no-table --memory 6000 --tables DIR`, run by `tools/expand_proofs.py`."]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", default=ROOT / "target/release/fanorona")
    parser.add_argument("--tables", type=pathlib.Path, default="tables")
    parser.add_argument("--machine", required=True, help="a description of the machine")
    parser.add_argument("--metric", default="wdl", help="the metric of the tables, for the record")
    parser.add_argument("--memory", type=int, default=6000, help="MiB for each certificate")
    parser.add_argument("--timeout", type=float, help="seconds for each certificate; those that need more are left out")
    parser.add_argument("--only", nargs="+", help="names of certificates")
    parser.add_argument("--read", type=pathlib.Path, metavar="FILE", help="the printed answer for the name in --only")
    options = parser.parse_args()
    if options.read and len(options.only or []) != 1:
        parser.error("--read needs --only with one name")
    options.no_table = ["--trust-no-table", "--memory", str(options.memory)]
    known = {row["name"]: row for row in json.loads(FILE.read_text())} if FILE.exists() else {}
    is_good = True
    for name in options.only or sorted(path.stem for path in DATA.glob("*.proof")):
        if options.read:
            found = read(name, options.read)
        else:
            found = check(options.program, name, options.tables, options)
        if found is None:
            print(f"{name}: not done after {options.timeout:g} s", flush=True)
        elif not found["ok"]:
            is_good = False
            print(f"{name}: {found['error']}", flush=True)
        elif found["tables"]:
            known[name] = row(name, found, options)
            print(json.dumps(known[name]), flush=True)
            FILE.write_text(json.dumps([known[name] for name in sorted(known)], indent=2) + "\n")
    replace_part("expansions", table([known[name] for name in sorted(known)]))
    replace_part("answers", answers())
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
