"""Stacks: what connections run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from ._interface import library


class StackError(Exception):
    """A stack could not be compiled or loaded."""


class Stack:
    """An emitted stack, in a shared object. It stays loaded until the program ends."""

    def __init__(self, path: str | os.PathLike[str], name: str) -> None:
        """Loads the stack `name` from a shared object that `nacre build --shared` has written.

        Raises StackError if there is no such object, or no such stack in it."""
        self.name = name
        self.path = os.fspath(path)
        # A path without a slash is one that the loader searches for elsewhere.
        file, symbol = os.fsencode(os.path.abspath(self.path)), f"{name}_stack".encode()
        if b"\0" in file + symbol:
            raise StackError("a path or a name with a zero byte")
        raw = library.nacre_stack_load(file, symbol)
        if not raw:
            raise StackError(library.nacre_error(None).decode(errors="replace"))
        self._raw: int = raw

    @staticmethod
    def compile(
        file: str | os.PathLike[str], name: str, *, level: str | None = None, nacre: str | None = None
    ) -> Stack:
        """Compiles the stack `name` of a source with the program `nacre` and the C compiler of this machine, and loads
        it.

        `level` is one of queue, call, inline and bypass (the default of `nacre build`); `nacre` is the path of the
        program. Raises StackError with what the compiler says, or if one of the two programs is missing."""
        program = nacre or os.environ.get("NACRE") or shutil.which("nacre")
        if program is None:
            raise StackError("the program `nacre` is not on the path; `Stack(path, name)` loads a compiled stack")
        # A name that begins with `-` is no option.
        source = os.fspath(file)
        source = os.path.join(".", source) if source.startswith("-") else source
        with tempfile.TemporaryDirectory() as folder:
            arguments = [program, "build", source, "--stack", name, "--shared", "--json", "-o", folder]
            if level is not None:
                arguments += ["--level", level]
            try:
                ran = subprocess.run(arguments, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
            except OSError as error:
                raise StackError(f"cannot run {program}: {error}") from error
            if ran.returncode != 0:
                raise StackError(ran.stderr.strip() or f"{program} ended with {ran.returncode}")
            try:
                files = json.loads(ran.stdout)["files"]
                built = next(path for path in files if path.endswith(".so"))
            except (ValueError, TypeError, KeyError, StopIteration):
                raise StackError(f"{program} has not built a shared object: is it `nacre`?") from None
            # What is loaded stays when its file is removed.
            return Stack(Path(built), name)

    def __repr__(self) -> str:
        return f"<nacre.Stack {self.name}>"

