"""Stacks of the tests, and a bad network."""

from __future__ import annotations

import tempfile
from pathlib import Path

import nacre

EXAMPLES = Path(__file__).parents[2] / "examples"
LONG = 60.0
BAD = nacre.Faults(loss=0.05, duplicate=0.05, reorder=0.1, seed=7)

reliable = nacre.Stack.compile(EXAMPLES / "reliable.nacre", "reliable")
secure = nacre.Stack.compile(EXAMPLES / "secure.nacre", "secure", level="inline")
with tempfile.TemporaryDirectory() as _folder:
    _source = Path(_folder) / "credited.nacre"
    _layers = ("credit", "pt2pt", "floor")
    _source.write_text(
        "".join(f'import "nacre/{layer}.nacre";\n' for layer in _layers)
        + "stack credited = credit / pt2pt<64> / floor;\n"
    )
    credited = nacre.Stack.compile(_source, "credited", level="inline")
