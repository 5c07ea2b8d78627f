"""The command line within this process, which is quicker than starting another, and Ctrl-C."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import typer

from qddot.cli import app
from qddot.cli.running import run as run_words
from qddot.simulation.run import Run

QDDOT = [sys.executable, "-m", "qddot"]
VERBS = typer.main.get_command(app).commands
WIDTH = 80


@dataclass
class Done:
    """How a command line ended."""

    returncode: int
    stdout: str
    stderr: str


def run(*words: Any, cwd: Path | None = None, encoding: str = "utf-8", **environment: str) -> Done:
    """Run a command line, and return how it ended."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding, write_through=True) for _ in range(2))
    wanted = {"COLUMNS": str(WIDTH), "NO_COLOR": "1", "MPLBACKEND": "Agg"} | environment
    where = nullcontext() if cwd is None else chdir(cwd)
    with patch.dict(os.environ, wanted), where, redirect_stdout(out), redirect_stderr(err):
        status = run_words(app, [str(word) for word in words])
        texts = [stream.buffer.getvalue().decode(encoding) for stream in (out, err)]
    return Done(status, *texts)


@contextmanager
def ctrl_c() -> Iterator[None]:
    """SIGINT is heard as in a terminal, whatever runs the tests."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def interrupted_at(t: float) -> Iterator[None]:
    """Ctrl-C is pressed when a simulation has come so far [s]."""

    def pressed(self: Run) -> None:
        if self.t > t:
            signal.raise_signal(signal.SIGINT)

    with ctrl_c(), patch.object(Run, "_show_progress", pressed):
        yield
