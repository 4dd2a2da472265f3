#!/usr/bin/env python3
"""Kills the builder at random moments and checks that the finished tables are still correct.

    tools/kill_test.py --program target/release/fanorona --stones 6 --metric wdl --kills 100
    tools/kill_test.py --mpi target/release/fanorona-mpi --ranks 1 2 3 4 --stones 6 --kills 20

The builder is killed with SIGKILL, so that it cannot clean up, after a random time. It is restarted in
the same directory until it finishes. Then every file must be byte-identical to the file of an
undisturbed build, and no other file may remain. This is repeated until the requested number of kills
is reached. The log has one line for each kill: when it happened, what the build had resumed from, and
how far it had come.

With --mpi, each start has a random number of processes, with one thread each. A kill hits one of
them or mpirun, and the others have to end by themselves within a minute. The undisturbed build is that
of --program, with one process.

Exit status: 0 if all files are equal and at least one start resumed from a checkpoint; 1 if not; 2 if
a build failed. Needs only the standard library.
"""

import argparse
import filecmp
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", default="target/release/fanorona", help="the built program")
    parser.add_argument("--mpi", help="the program that builds with several processes")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2], help="numbers of processes")
    parser.add_argument("--board", default="9x5")
    parser.add_argument("--rules", default="standard")
    goal = parser.add_mutually_exclusive_group()
    goal.add_argument("--stones", type=int, default=6)
    goal.add_argument("--slice", help="build this slice and all that it can lead to")
    parser.add_argument("--metric", choices=["wdl", "dtw"], default="wdl")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--checkpoint", default="0", help="minutes between checkpoints")
    parser.add_argument("--memory", help="memory limit in MiB")
    parser.add_argument(
        "--longest",
        type=float,
        help="the latest kill, in seconds after a start; default: a third of the time of the "
        "undisturbed build",
    )
    parser.add_argument(
        "--seed", type=int, help="seed of the random moments; default: a new one each time"
    )
    parser.add_argument("--base", help="a directory of tables to start from; they are copied")
    parser.add_argument(
        "--reference", help="a directory of undisturbed tables; built if not given"
    )
    parser.add_argument("--dir", help="where to make directories; default: the system's temporary directory")
    parser.add_argument("--log", help="a file for the log, in addition to standard output")
    options = parser.parse_args()
    if options.reference and not options.longest:
        parser.error("--reference needs --longest")
    return options


class Log:
    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8") if path else None

    def __call__(self, text):
        for file in [sys.stdout, self.file]:
            if file:
                print(text, file=file, flush=True)


class Builder:
    """A started build and its output so far."""

    def __init__(self, options, directory, ranks=None):
        self.started = time.monotonic()
        self.ranks = ranks
        command = [options.program]
        if ranks:
            command = ["mpirun", "--oversubscribe", "-n", str(ranks), options.mpi]
        command += ["build", "--board", options.board, "--rules", options.rules]
        if ranks:
            command += ["--threads", "1"]
        command += goal(options) + ["--metric", options.metric]
        if options.memory:
            command += ["--memory", options.memory]
        command += ["--checkpoint", options.checkpoint, "--tables", str(directory)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
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

    def kill(self, moments):
        """Kills the build, or one of its processes. Returns what was killed."""
        target, name, others = self.process.pid, "the build", []
        if self.ranks:
            others = children(self.process.pid)
            target, name = moments.choice([(self.process.pid, "mpirun"), *others] or [()])
        try:
            os.kill(target, signal.SIGKILL)
        except ProcessLookupError:
            name = f"{name} (it had ended)"
        until = time.monotonic() + 60
        while time.monotonic() < until and (
            self.process.poll() is None or any(alive(pid) for pid, _ in others)
        ):
            time.sleep(0.05)
        if self.process.poll() is None or any(alive(pid) for pid, _ in others):
            sys.exit("the other processes did not end within a minute")
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
        last = own[-1]
        return f"after table {last.split()[0]}" if last.endswith(tables) else last


def children(pid):
    """The processes that mpirun has started, with names."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            stat = (entry / "stat").read_text()
        except OSError:
            continue
        name, rest = stat[stat.index("(") + 1 : stat.rindex(")")], stat[stat.rindex(")") + 2 :]
        if entry.name.isdigit() and rest.split()[1] == str(pid) and name.startswith("fanorona"):
            found.append((int(entry.name), "one process"))
    return found


def alive(pid):
    """Whether a process exists and is not only waited for."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat[stat.rindex(")") + 2] != "Z"


def goal(options):
    """The arguments that say what to build."""
    if options.slice:
        return ["--slice", options.slice]
    return ["--stones", str(options.stones)]


def build(options, directory, log):
    builder = Builder(options, directory)
    if builder.wait() != 0:
        log("\n".join(builder.lines))
        sys.exit(2)
    return builder.seconds()


def main():
    # Open MPI refuses to run as root without these.
    os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    options = arguments()
    log = Log(options.log)
    seed = options.seed if options.seed is not None else random.randrange(2**32)
    moments = random.Random(seed)
    began = time.strftime("%Y-%m-%d %H:%M")
    log(f"# {began}: {options.board}, {options.rules}, {options.metric}, {' '.join(goal(options))},")
    log(f"# checkpoint every {options.checkpoint} minutes, seed {seed}")

    with tempfile.TemporaryDirectory(dir=options.dir) as work:
        work = pathlib.Path(work)
        reference = pathlib.Path(options.reference or work / "reference")
        if not options.reference:
            fill(reference, options.base)
            seconds = build(options, reference, log)
            log(f"# the undisturbed build takes {seconds:.1f} s")
            options.longest = options.longest or seconds / 3
        log(f"# kills at most {options.longest:.1f} s after each start")
        expected = {
            path.name for path in reference.iterdir() if path.name.endswith(f".{options.metric}.fano")
        }

        kills = resumed = inside = builds = 0
        good = True
        while kills < options.kills and good:
            builds += 1
            directory = work / f"build-{builds}"
            fill(directory, options.base)
            while True:
                ranks = moments.choice(options.ranks) if options.mpi else None
                builder = Builder(options, directory, ranks)
                left = options.kills - kills
                status = builder.wait(moments.uniform(0, options.longest) if left else None)
                resumed += builder.resumed() is not None
                before = builder.resumed() or "no checkpoint"
                if status is not None:
                    break
                killed = builder.kill(moments)
                kills += 1
                checkpoints = [path.name for path in directory.glob("*.checkpoint")]
                inside += bool(checkpoints)
                log(
                    f"kill {kills}: {killed}{f' of {ranks}' if ranks else ''}, "
                    f"{builder.seconds():.2f} s after the start from {before}, with "
                    f"{builder.written()} tables written; reached: {builder.reached()}; "
                    f"left: {checkpoints[0] if checkpoints else 'no checkpoint'}"
                )
            if status != 0:
                log(f"the builder exited with status {status}:")
                log("\n".join(builder.lines))
                good = False
                break
            with_ranks = f"{ranks} processes, " if ranks else ""
            log(f"finished, {with_ranks}started from {before}, after {builder.seconds():.2f} s")
            good = compare(reference, directory, expected, log)
            shutil.rmtree(directory)
        log(
            f"{kills} kills, {inside} of them left a checkpoint; {resumed} starts resumed from one; "
            f"{builds} builds, files {'equal' if good else 'NOT EQUAL'}"
        )
        if not resumed:
            log("no start resumed from a checkpoint: kill later, or use shorter checkpoint intervals")
    sys.exit(0 if good and resumed else 1)


def fill(directory, base):
    """Makes a directory, with copies of the tables in `base` if it is given."""
    if base:
        shutil.copytree(base, directory)
    else:
        directory.mkdir()


def compare(reference, directory, expected, log):
    """Whether `directory` has exactly the expected tables, equal to those of `reference`."""
    found = {path.name for path in directory.iterdir()}
    for name in sorted(found ^ expected):
        log(f"{name} is {'left over' if name in found else 'missing'}")
    _, differ, errors = filecmp.cmpfiles(reference, directory, expected & found, shallow=False)
    for name in differ + errors:
        log(f"{name} differs")
    good = found == expected and not differ and not errors
    if good:
        log(f"all {len(expected)} files are equal to those of the undisturbed build")
    return good


if __name__ == "__main__":
    main()
