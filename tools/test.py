#!/usr/bin/env python3
"""Builds all tests of the workspace and runs them: several programs at a time, each of another package.

Many programs wait, or have one long thread, so one after the other leaves processors idle. Programs of one package share a
folder for temporary files. Prints the output of each program when it has ended; all run, whatever fails.

CARGO: the command (cargo). RUST_TEST_THREADS: threads of each program (as many as processors).
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

CARGO = os.environ.get("CARGO", "cargo")
PROCESSORS = os.cpu_count() or 1


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
        sys.exit(build.returncode)
    return found


class Run:
    """The programs that have not run, and what has failed."""

    def __init__(self, waiting):
        self.waiting = waiting
        self.busy = set()
        self.failed = []
        self.lock = threading.Lock()

    def next(self):
        """A program of the package with the most left, of which none is running; its folder."""
        with self.lock:
            free = [folder for folder in self.waiting if self.waiting[folder] and folder not in self.busy]
            if not free:
                return None
            folder = max(free, key=lambda folder: len(self.waiting[folder]))
            self.busy.add(folder)
            return folder, self.waiting[folder].pop(0)

    def left(self):
        with self.lock:
            return any(self.waiting.values())

    def work(self):
        while self.left():
            chosen = self.next()
            if chosen is None:
                time.sleep(0.1)
                continue
            self.run(*chosen)

    def run(self, folder, program):
        begun = time.monotonic()
        environment = {"RUST_TEST_THREADS": str(PROCESSORS), **os.environ, "CARGO": CARGO, "CARGO_MANIFEST_DIR": str(folder)}
        ended = subprocess.run([program], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
        seconds = time.monotonic() - begun
        with self.lock:
            self.busy.remove(folder)
            name = f"{program.name.rsplit('-', 1)[0]} of {folder.name}"
            print(f"---- {name}: {seconds:.0f} s", flush=True)
            sys.stdout.buffer.write(ended.stdout)
            sys.stdout.flush()
            if ended.returncode != 0:
                self.failed.append(f"{name}: {program}, exit status {ended.returncode}")


def main():
    run = Run(programs())
    workers = [threading.Thread(target=run.work) for _ in range(max(2, PROCESSORS))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if subprocess.run([CARGO, "test", "--workspace", "--doc", "--no-fail-fast"]).returncode != 0:
        run.failed.append("the examples in documentation comments")
    for failed in run.failed:
        print(f"failed: {failed}", file=sys.stderr)
    sys.exit(1 if run.failed else 0)


if __name__ == "__main__":
    main()
