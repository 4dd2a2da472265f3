#!/usr/bin/env python3
"""Checks that a build keeps to its memory limit, and that the limit does not change its files.

    tools/memory_test.py --slice 4v3 --metric wdl --base tables --memory 350 500 1000
    tools/memory_test.py --stones 8 --base tables7 --memory 1024 2048 4096 --cgroup /sys/fs/cgroup/memory

For each limit, the program builds in a copy of the base directory. The test prints the most anonymous
memory that the program has had (sampled; mapped files do not count), the limit, and the time. With
--cgroup, the program runs in a new control group with a hard limit of 1.1 times --memory, page cache
included, which needs root. The files must be equal to those of the directory given with --against, or
else to those of the first build.

A limit that the program refuses is reported with the limit that it asks for, and is no failure.

Exit status: 0 if all files are equal and all peaks are within 1.1 times the limit; 1 if not; 2 if a
build failed. Needs Linux and the standard library.
"""

import argparse
import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

MIB = 1 << 20
TOLERANCE = 1.1


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", default="target/release/fanorona", help="the built program")
    parser.add_argument("--board", default="9x5")
    parser.add_argument("--rules", default="standard")
    goal = parser.add_mutually_exclusive_group(required=True)
    goal.add_argument("--stones", type=int)
    goal.add_argument("--slice")
    parser.add_argument("--metric", choices=["wdl", "dtw"], default="wdl")
    parser.add_argument("--memory", type=int, nargs="+", required=True, help="limits in MiB")
    parser.add_argument("--base", help="a directory of tables to start from")
    parser.add_argument("--against", help="a directory of tables to compare with")
    parser.add_argument("--temp", help="the directory for the builds")
    parser.add_argument("--cgroup", help="the directory of the memory controller")
    return parser.parse_args()


class Group:
    """A control group with a memory limit, of version 1 or 2."""

    def __init__(self, parent, limit):
        self.path = pathlib.Path(parent) / f"fanorona-memory-test-{os.getpid()}"
        self.path.mkdir()
        for name in ["memory.limit_in_bytes", "memory.max"]:
            if (self.path / name).exists():
                (self.path / name).write_text(str(limit))

    def enter(self):
        (self.path / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self):
        self.path.rmdir()


def anonymous(pid):
    """The anonymous memory of a process in bytes, now."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"RssAnon:\s+(\d+) kB", status)
    return int(found[1]) * 1024 if found else 0


def run(options, limit, target):
    """Builds with a limit in MiB. Returns exit status, error output, peak in bytes and seconds."""
    goal = ["--slice", options.slice] if options.slice else ["--stones", str(options.stones)]
    command = [options.program, "build", "--board", options.board, "--rules", options.rules]
    command += goal + ["--metric", options.metric, "--memory", str(limit), "--tables", str(target)]
    group = Group(options.cgroup, int(limit * MIB * TOLERANCE)) if options.cgroup else None
    begin = time.monotonic()
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            preexec_fn=group.enter if group else None,
        )
        peak = 0
        while process.poll() is None:
            peak = max(peak, anonymous(process.pid))
            time.sleep(0.02)
        seconds = time.monotonic() - begin
        errors.seek(0)
        text = errors.read()
    if group:
        group.remove()
    return process.returncode, text, peak, seconds


def differences(found, expected):
    names = sorted(path.name for path in expected.glob("*.fano"))
    return [
        name
        for name in names
        if (found / name).exists()
        and not filecmp.cmp(found / name, expected / name, shallow=False)
    ]


def main():
    options = arguments()
    against = pathlib.Path(options.against) if options.against else None
    failed = False
    with tempfile.TemporaryDirectory(dir=options.temp) as temp:
        for limit in options.memory:
            target = pathlib.Path(temp) / str(limit)
            target.mkdir()
            for table in pathlib.Path(options.base).glob("*.fano") if options.base else []:
                os.link(table, target / table.name)
            status, errors, peak, seconds = run(options, limit, target)
            needed = re.search(r"needs ([\d,]+) MiB of memory", errors)
            if status != 0 and needed:
                print(f"{limit:6} MiB: refused, needs {needed[1]} MiB", flush=True)
                continue
            if status != 0:
                print(f"{limit:6} MiB: exit status {status}: {errors.strip()}", flush=True)
                return 2
            different = differences(target, against) if against else []
            ratio = peak / (limit * MIB)
            verdict = "files are equal" if not different else f"DIFFERENT: {' '.join(different)}"
            if against is None:
                verdict = "the others are compared with these files"
            print(
                f"{limit:6} MiB: peak {peak / MIB:8.0f} MiB, {ratio:.2f} of the limit, "
                f"{seconds:.0f} s; {verdict}",
                flush=True,
            )
            failed |= bool(different) or ratio > TOLERANCE
            if against is None:
                against = target
            else:
                shutil.rmtree(target)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
