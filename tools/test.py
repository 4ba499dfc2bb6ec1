#!/usr/bin/env python3
"""Builds all tests of the workspace and runs them: several programs at a time, each of another package.

Many programs wait, or have one long thread, so one after the other leaves processors idle. Programs of one package share a
folder for temporary files. Prints the output of each program when it has ended, and the end of that of those that failed
once more at the end; all run, whatever fails.

CARGO: the command (cargo). RUST_TEST_THREADS: threads of each program (as many as processors).
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CARGO = os.environ.get("CARGO", "cargo")
PROCESSORS = os.cpu_count() or 1
# Bytes at the end of the output of a program that failed, which are printed again after all others.
SHOWN_AGAIN = 6000


def programs():
    """Builds them. Returns the test programs of each package, by its folder: those that are built last come first."""
    command = [CARGO, "test", "--workspace", "--no-run", "--message-format=json-render-diagnostics"]
    build = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    found = defaultdict(list)
    for line in build.stdout:
        message = json.loads(line)
        if message.get("executable") and message["profile"]["test"]:
            found[Path(message["manifest_path"]).parent].insert(0, Path(message["executable"]))
    if build.wait() != 0:
        sys.exit("the tests are not built")
    if not found:
        sys.exit("there are no test programs")
    return found


def ended(folder, program):
    """Runs a program in its package. Returns its output, and why it failed or None."""
    environment = {"RUST_TEST_THREADS": str(PROCESSORS), **os.environ, "CARGO": CARGO, "CARGO_MANIFEST_DIR": str(folder)}
    try:
        run = subprocess.run([program], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
    except OSError as error:
        return b"", str(error)
    status = run.returncode
    return run.stdout, None if status == 0 else f"signal {-status}" if status < 0 else f"exit status {status}"


class Run:
    """The programs that have not run, the packages of those that are running, and what has failed."""

    def __init__(self, waiting):
        self.waiting = waiting
        self.busy = set()
        self.failed = []
        self.changed = threading.Condition()

    def next(self):
        """A program of the package with the most left, of which none is running, and its folder. None: all have begun."""
        with self.changed:
            while any(self.waiting.values()):
                free = [folder for folder, left in self.waiting.items() if left and folder not in self.busy]
                if free:
                    folder = max(free, key=lambda folder: len(self.waiting[folder]))
                    self.busy.add(folder)
                    return folder, self.waiting[folder].pop(0)
                self.changed.wait()
        return None

    def work(self):
        while chosen := self.next():
            folder, program = chosen
            begun = time.monotonic()
            output, failure = ended(folder, program)
            name = f"{program.name.rsplit('-', 1)[0]} of {folder.name}"
            with self.changed:
                self.busy.remove(folder)
                self.changed.notify_all()
                if failure:
                    self.failed.append((f"{name}: {failure} ({program})", output))
                print(f"---- {name}: {time.monotonic() - begun:.0f} s", flush=True)
                sys.stdout.buffer.write(output)
                sys.stdout.flush()


def main():
    run = Run(programs())
    number = sum(len(left) for left in run.waiting.values())
    workers = max(2, PROCESSORS)
    with ThreadPoolExecutor(workers) as pool:
        for work in [pool.submit(run.work) for _ in range(workers)]:
            work.result()
    if subprocess.run([CARGO, "test", "--workspace", "--doc", "--no-fail-fast"]).returncode != 0:
        run.failed.append(("the examples in documentation comments", b""))
    for failed, output in run.failed:
        print(f"---- again: {failed}", flush=True)
        sys.stdout.buffer.write(output[-SHOWN_AGAIN:])
        sys.stdout.flush()
    for failed, _ in run.failed:
        print(f"failed: {failed}", file=sys.stderr)
    print(f"{number} test programs, {len(run.failed)} failures")
    sys.exit(1 if run.failed else 0)


if __name__ == "__main__":
    main()
