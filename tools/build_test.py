#!/usr/bin/env python3
"""Tests builds that take too long for the tests of the workspace: their files must not depend on what happened.

    tools/build_test.py kill --stones 6 --metric wdl --kills 100
    tools/build_test.py kill --mpi target/release/fanorona-mpi --ranks 1 2 3 4 --stones 6 --kills 20
    tools/build_test.py ranks --log data/runs/ranks.log
    tools/build_test.py memory --slice 4v3 --base tables --limits 350 500 1000
    tools/build_test.py memory --stones 8 --base tables7 --limits 1024 2048 --cgroup /sys/fs/cgroup/memory

Exit status: 0 if the test passes; 1 if not; 2 if a build failed. Needs Linux and the standard library, and mpirun
for several processes.
"""

import argparse
import filecmp
import itertools
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from common import ROOT, commands

MIB = 1 << 20
# How far the memory of a build may exceed its limit.
TOLERANCE = 1.1
PRESETS = ["standard", "forced-relay", "first-capture-single", "free-capture", "vela+stones-2"]


class Log:
    """Standard output, and a file if there is one."""

    def __init__(self, path):
        self.files = [sys.stdout, *([open(path, "w", encoding="utf-8")] if path else [])]

    def __call__(self, text):
        for file in self.files:
            print(text, file=file, flush=True)


class Builder:
    """A started build and its output so far. With `ranks`, it has that many processes of one thread each."""

    def __init__(self, options, directory, ranks=None, memory=None, enter=None):
        self.started = time.monotonic()
        self.ranks = ranks
        goal = ["--slice", options.slice] if options.slice else ["--stones", options.stones]
        command = ["mpirun", "--oversubscribe", "-n", ranks, options.mpi] if ranks else [options.program]
        command += ["build", "--board", options.board, "--rules", options.rules, *goal, "--metric", options.metric]
        command += ["--threads", 1] if ranks else []
        command += ["--memory", memory] if memory else []
        command += ["--checkpoint", options.checkpoint] if options.checkpoint else []
        command += ["--tables", directory]
        # Open MPI refuses to run as root without these.
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        self.process = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True, env=environment, preexec_fn=enter)
        self.lines = []
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.strip())

    def seconds(self):
        return time.monotonic() - self.started

    def wait(self, seconds=None):
        """The exit status, or None if the build is still running after that time."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        self.reader.join()
        return self.process.returncode

    def finish(self, log):
        """Waits for the end, and returns the seconds."""
        if self.wait() != 0:
            log("\n".join(self.lines))
            sys.exit(2)
        return self.seconds()

    def kill(self, moments):
        """Kills the build, or one of its processes. Returns what was killed."""
        target, name, others = self.process.pid, "the build", []
        if self.ranks:
            others = children(self.process.pid)
            target, name = moments.choice([(self.process.pid, "mpirun"), *others])
        try:
            os.kill(target, signal.SIGKILL)
        except ProcessLookupError:
            name = f"{name} (it had ended)"
        until = time.monotonic() + 60
        while self.process.poll() is None or any(is_alive(pid) for pid, _ in others):
            if time.monotonic() > until:
                sys.exit("the other processes did not end within a minute")
            time.sleep(0.05)
        self.reader.join()
        return name

    def written(self):
        return sum(line.endswith(" written") for line in self.lines)

    def resumed(self):
        """The checkpoint that it resumed from, if any."""
        found = [line for line in self.lines if " continues from a checkpoint " in line]
        return found[0].replace(" continues from a checkpoint", "") if found else None

    def reached(self):
        """The last progress that it reported."""
        tables = (" written", " exists")
        own = [line for line in self.lines if line.endswith(tables) or " checkpoint at " in line]
        if not own:
            return "start"
        return f"after table {own[-1].split()[0]}" if own[-1].endswith(tables) else own[-1]


def process_state(pid):
    """The name, the state and the parent of a process; empty if there is none."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return "", "", ""
    rest = stat[stat.rindex(")") + 2:].split()
    return stat[stat.index("(") + 1:stat.rindex(")")], rest[0], rest[1]


def children(pid):
    """The processes that mpirun has started, with names."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        name, _, parent = process_state(entry.name)
        if name.startswith("fanorona") and parent == str(pid):
            found.append((int(entry.name), "one process"))
    return found


def is_alive(pid):
    """Whether a process exists and is not only waited for."""
    return process_state(pid)[1] not in ("", "Z")


def fill(directory, base, copy=shutil.copy2):
    """Makes a directory, with copies of the tables in `base` if it is given."""
    if base:
        shutil.copytree(base, directory, copy_function=copy)
    else:
        directory.mkdir()


def same_files(reference, directory, expected, log):
    """Whether `directory` has exactly the expected files, equal to those of `reference`."""
    found = {path.name for path in directory.iterdir()}
    for name in sorted(found ^ expected):
        log(f"{name} is {'left over' if name in found else 'missing'}")
    _, differ, errors = filecmp.cmpfiles(reference, directory, expected & found, shallow=False)
    for name in differ + errors:
        log(f"{name} differs")
    return found == expected and not differ and not errors


def kill(options, log, work):
    """Kills the builder with SIGKILL at random moments, and restarts it in the same directory until it finishes.
    Then every file must be byte-identical to that of an undisturbed build, and no other file may remain. This is
    repeated until the number of kills is reached, and at least one start must resume from a checkpoint. The log
    has a line for each kill: when it happened, what the build had resumed from, and how far it had come. With
    --mpi, each start has a random number of processes. A kill hits one of them or mpirun, and the others have to
    end by themselves within a minute."""
    seed = options.seed if options.seed is not None else random.randrange(2**32)
    moments = random.Random(seed)
    goal = f"--slice {options.slice}" if options.slice else f"--stones {options.stones}"
    log(f"# {time.strftime('%Y-%m-%d %H:%M')}: {options.board}, {options.rules}, {options.metric}, {goal},")
    log(f"# checkpoint every {options.checkpoint} minutes, seed {seed}")
    reference = pathlib.Path(options.reference or work / "reference")
    if not options.reference:
        fill(reference, options.base)
        seconds = Builder(options, reference, memory=options.memory).finish(log)
        log(f"# the undisturbed build takes {seconds:.1f} s")
        options.longest = options.longest or seconds / 3
    log(f"# kills at most {options.longest:.1f} s after each start")
    expected = {path.name for path in reference.iterdir() if path.name.endswith(f".{options.metric}.fano")}
    kills = resumed = inside = builds = 0
    good = True
    while kills < options.kills and good:
        builds += 1
        directory = work / f"build-{builds}"
        fill(directory, options.base)
        while True:
            ranks = moments.choice(options.ranks) if options.mpi else None
            builder = Builder(options, directory, ranks, options.memory)
            status = builder.wait(moments.uniform(0, options.longest) if kills < options.kills else None)
            resumed += builder.resumed() is not None
            before = builder.resumed() or "no checkpoint"
            if status is not None:
                break
            killed = builder.kill(moments)
            kills += 1
            checkpoints = [path.name for path in directory.glob("*.checkpoint")]
            inside += bool(checkpoints)
            log(f"kill {kills}: {killed}{f' of {ranks}' if ranks else ''}, {builder.seconds():.2f} s after the start "
                f"from {before}, with {builder.written()} tables written; reached: {builder.reached()}; "
                f"left: {checkpoints[0] if checkpoints else 'no checkpoint'}")
        if status != 0:
            log(f"the builder exited with status {status}:\n" + "\n".join(builder.lines))
            good = False
            break
        with_ranks = f"{ranks} processes, " if ranks else ""
        log(f"finished, {with_ranks}started from {before}, after {builder.seconds():.2f} s")
        good = same_files(reference, directory, expected, log)
        if good:
            log(f"all {len(expected)} files are equal to those of the undisturbed build")
        shutil.rmtree(directory)
    log(f"{kills} kills, {inside} of them left a checkpoint; {resumed} starts resumed from one; "
        f"{builds} builds, files {'equal' if good else 'NOT EQUAL'}")
    if not resumed:
        log("no start resumed from a checkpoint: kill later, or use shorter checkpoint intervals")
    return good and resumed > 0


def all_cases(options):
    """Small boards under all presets and random rule sets, and larger boards with few stones."""
    chance = random.Random(options.seed)
    rules = [*PRESETS]
    for _ in range(options.options):
        preset, draws = chance.choice(PRESETS), chance.choice(["", "+no-turns-draw"])
        rules.append(preset + draws + chance.choice(["", "+direction-strict", "+direction-free"]))
    for metric in ["wdl", "dtw"]:
        for (board, points), name in itertools.product([("3x3", 9), ("5x3", 15)], rules):
            yield board, name, points - 1, metric, 1, 2, 4, 7
        yield "5x5", "standard", 8, metric, 2, 4
        yield "9x5", "standard", 6, metric, 1, 2, 4, 7


def ranks(options, log, work):
    """Checks that any number of processes builds the same tables as one program, byte for byte. Builds those of
    each case with `fanorona build`, which chooses its method, and with `fanorona-mpi` and several numbers of
    processes. A case is a board, a rule set, a number of stones, a metric and the numbers of processes, as in
    `--case 9x5 standard 7 wdl 2`. Without one, these are 3x3 and 5x3 to the last stone under every preset and under
    random options, 5x5 to 8 stones, and 9x5 to 6 stones, with both metrics, which takes a quarter of an hour."""
    good = True
    for number, (board, rules, stones, metric, *counts) in enumerate(options.case or all_cases(options)):
        case = argparse.Namespace(program=options.program, mpi=options.mpi, board=board, rules=rules, slice=None,
                                  stones=stones, metric=metric, checkpoint="never")
        alone = work / f"{number}-alone"
        seconds = Builder(case, alone).finish(log)
        names = {file.name for file in alone.iterdir()}
        size = sum(file.stat().st_size for file in alone.iterdir())
        results = []
        for count in counts:
            together = work / f"{number}-ranks-{count}"
            Builder(case, together, ranks=int(count)).finish(log)
            same = same_files(alone, together, names, log)
            results.append(f"{count} {'equal' if same else 'DIFFERENT'}")
            good &= same
            shutil.rmtree(together)
        shutil.rmtree(alone)
        log(f"{board} {rules} {stones} stones {metric}: {len(names)} files, {size:,} bytes, {seconds:.1f} s alone; "
            f"processes: {', '.join(results)}")
    log("all files are equal" if good else "FILES DIFFER")
    return good


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


def anonymous(pid):
    """The anonymous memory of a process in bytes, now."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"RssAnon:\s+(\d+) kB", status)
    return int(found[1]) * 1024 if found else 0


def memory(options, log, work):
    """Checks that a build keeps to its memory limit, and that the limit does not change its files. For each limit,
    the program builds in a copy of the base directory. Prints the most anonymous memory that it has had (sampled;
    mapped files do not count) and the time. It may be at most 1.1 times the limit. With --cgroup, the program
    runs in a new control group with that limit, page cache included, which needs root. The files must be equal to
    those of --against, or else to those of the first build. A limit that the program refuses is no failure."""
    against = pathlib.Path(options.against) if options.against else None
    good = True
    for limit in options.limits:
        target = work / str(limit)
        fill(target, options.base, os.link)
        group = Group(options.cgroup, int(limit * MIB * TOLERANCE)) if options.cgroup else None
        builder = Builder(options, target, memory=limit, enter=group.enter if group else None)
        peak = 0
        while builder.process.poll() is None:
            peak = max(peak, anonymous(builder.process.pid))
            time.sleep(0.02)
        status = builder.wait()
        if group:
            group.path.rmdir()
        needed = re.search(r"needs ([\d,]+) MiB of memory", " ".join(builder.lines))
        if status != 0 and needed:
            log(f"{limit:6} MiB: refused, needs {needed[1]} MiB")
            continue
        if status != 0:
            log(f"{limit:6} MiB: exit status {status}: {builder.lines[-1:]}")
            sys.exit(2)
        names = {path.name for path in target.glob("*.fano")}
        same = against is None or same_files(against, target, names, log)
        verdict = "the others are compared with these files" if against is None else "files are equal"
        ratio = peak / (limit * MIB)
        log(f"{limit:6} MiB: peak {peak / MIB:8.0f} MiB, {ratio:.2f} of the limit, {builder.seconds():.0f} s; "
            f"{verdict if same else 'DIFFERENT'}")
        good &= same and ratio <= TOLERANCE
        if against is None:
            against = target
        else:
            shutil.rmtree(target)
    return good


def main():
    parser, part = commands(__doc__)

    def test(run):
        """A subcommand with the options that all have."""
        sub = part(run)
        sub.add_argument("--dir", help="where to make directories; default: the system's temporary directory")
        sub.add_argument("--log", help="a file for the log, in addition to standard output")
        if run is ranks:
            return sub
        sub.add_argument("--board", default="9x5")
        sub.add_argument("--rules", default="standard")
        goal = sub.add_mutually_exclusive_group()
        goal.add_argument("--stones", type=int, default=6)
        goal.add_argument("--slice", help="build this slice and all that it can lead to")
        sub.add_argument("--metric", choices=["wdl", "dtw"], default="wdl")
        sub.add_argument("--checkpoint", default="0" if run is kill else None, help="time between checkpoints")
        sub.add_argument("--base", help="a directory of tables to start from, which are not changed")
        return sub

    sub = test(kill)
    sub.add_argument("--mpi", help="the program that builds with several processes")
    sub.add_argument("--ranks", type=int, nargs="+", default=[2], help="numbers of processes")
    sub.add_argument("--kills", type=int, default=100)
    sub.add_argument("--memory", help="memory limit in MiB")
    sub.add_argument("--longest", type=float, help="the latest kill, in seconds after a start; default: a third of "
                     "the time of the undisturbed build")
    sub.add_argument("--seed", type=int, help="of the random moments; default: a new one each time")
    sub.add_argument("--reference", help="a directory of undisturbed tables; built if not given")

    sub = test(ranks)
    sub.add_argument("--mpi", default=ROOT / "target/release/fanorona-mpi")
    sub.add_argument("--case", nargs="+", action="append", help="a case instead of all")
    sub.add_argument("--seed", type=int, default=1, help="of the random options")
    sub.add_argument("--options", type=int, default=4, help="the number of random options")

    sub = test(memory)
    sub.add_argument("--limits", type=int, nargs="+", required=True, help="in MiB")
    sub.add_argument("--against", help="a directory of tables to compare with")
    sub.add_argument("--cgroup", help="the directory of the memory controller")
    options = parser.parse_args()
    if options.run is kill and options.reference and not options.longest:
        parser.error("--reference needs --longest")
    with tempfile.TemporaryDirectory(dir=options.dir) as work:
        sys.exit(0 if options.run(options, Log(options.log), pathlib.Path(work)) else 1)


if __name__ == "__main__":
    main()
