#!/usr/bin/env python3
"""Checks certificates with the second checker, `fanorona-recheck`, and records what it took. Writes
data/proofs/rechecks.json and a table in crates/solver/docs/RESULTS.md.

    cargo build --release -p fanorona-recheck
    python3 tools/recheck_proofs.py --tables DIR [DIR ...] --machine "2 cores of an AMD EPYC, 24 GiB"

Takes the certificates in data/proofs and data/proofs/openings. The packed tables that they name must be in one
of the directories. A certificate whose tables are missing is left out; if it was recorded before, its row
stays. Those of the vela are checked by `prove_vela.py`. Needs Python 3.9. Exits with status 1 if a certificate
is not accepted.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

from prove_starts import DATA, ROOT, replace_part

FILE = DATA / "rechecks.json"
# Certificates with fewer entries share one row.
LARGE = 50_000
ANSWER = re.compile(r"(?P<value>.+), proved by (?P<entries>[\d,]+) positions? and (?P<tables>\d+) tables?$")


def recheck(program, path, tables):
    """The exit status, what was printed, CPU time in seconds and memory in MB."""
    command = [program, str(path)]
    for directory in tables:
        command += ["--tables", str(directory)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    return os.waitstatus_to_exitcode(status), output or errors, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def table(rows):
    large = sorted((row for row in rows if row["entries"] >= LARGE), key=lambda row: -row["entries"])
    small = [row for row in rows if row["entries"] < LARGE]
    lines = ["| certificate | entries | tables | CPU time (s) | memory (MB) | date |", "|---|---:|---:|---:|---:|---|"]
    for row in large:
        lines.append(f"| {row['name']} | {row['entries']:,} | {row['tables']} | {row['seconds']:.1f} "
                     f"| {row['memory']:,.0f} | {row['date']} |")
    if small:
        most = {key: max(row[key] for row in small) for key in ("entries", "tables", "seconds", "memory", "date")}
        lines.append(f"| {len(small)} others, each up to | {most['entries']:,} | {most['tables']} "
                     f"| {most['seconds']:.1f} | {most['memory']:,.0f} | {most['date']} |")
    machines = sorted({row["machine"] for row in rows})
    return "\n".join([*lines, "", f"Machine: {'; '.join(machines)}. Command: `tools/recheck_proofs.py`."])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", default=ROOT / "target/release/fanorona-recheck")
    parser.add_argument("--tables", type=pathlib.Path, nargs="+", default=[])
    parser.add_argument("--machine", required=True, help="a description of the machine")
    options = parser.parse_args()
    known = {row["name"]: row for row in json.loads(FILE.read_text())} if FILE.exists() else {}
    is_good = True
    for path in sorted([*DATA.glob("*.proof"), *DATA.glob("openings/*.proof")]):
        name = str(path.relative_to(DATA).with_suffix(""))
        status, text, seconds, memory = recheck(options.program, path, options.tables)
        found = ANSWER.search(text.strip())
        if status != 0 or not found:
            is_good &= status == 2
            print(f"{name}: {text.strip()}", flush=True)
            continue
        known[name] = {
            "name": name, "value": found["value"], "entries": int(found["entries"].replace(",", "")),
            "tables": int(found["tables"]), "seconds": round(seconds, 2), "memory": round(memory, 1),
            "machine": options.machine, "date": datetime.date.today().isoformat(),
        }
    FILE.write_text(json.dumps([known[name] for name in sorted(known)], indent=2) + "\n")
    replace_part("rechecks", table([known[name] for name in sorted(known)]))
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
