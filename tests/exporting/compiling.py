"""Exported source, compiled strictly and run; every operation alone, as NumPy has it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from translated import assert_same_signs

from qddot.exporting.functions import ExportedFunction
from qddot.program.operations import OPERATIONS
from qddot.program.program import Port, Program, Step

STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Wdouble-promotion", "-pedantic", "-Werror"]
STANDARDS = {"gcc": "c99", "clang": "c99", "g++": "c++17", "clang++": "c++17"}
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
SHARED = ["-O1", "-shared", "-fPIC"]
with_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")
with_gpp = pytest.mark.skipif(not shutil.which("g++"), reason="g++ is not installed")
SPECIAL = np.array([-2.5, -1.0, -0.0, 0.0, 0.7, 1.0, 3.0, 700.0, np.inf, -np.inf, np.nan])
DO_EACH = [
    ExportedFunction(
        f"do_{name}",
        Program(
            *(name, (Port("x", (3,)),), (), (Step(op, tuple(range(op.arity))),)),
            *((Port("y", (1,)),), (3,)),
        ),
        name,
    )
    for name, op in OPERATIONS.items()
]


def run(*command: Any, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, command)], capture_output=True, text=True, **options)


def build(folder: Path, *flags: Any, compiler: str = "gcc", sources: Any = None) -> Path:
    """Return the program of all C sources in a folder, or of those named; without a warning."""
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    strict = [f"-std={STANDARDS[compiler]}", *STRICT, *(["-Wshadow"] if "+" in compiler else [])]
    sources = sources or sorted(folder.glob("*.c"))
    done = run(compiler, *strict, *flags, "-o", folder / "made", *sources, "-lm")
    assert done.returncode == 0, done.stderr[:3000]
    assert not done.stderr
    return folder / "made"


def said(program: Path, status: int = 0) -> str:
    """Return what a program prints that ends with this status."""
    done = run(program)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def states_of_operations(single: bool) -> np.ndarray:
    """Return all triples of special numbers, one to a row."""
    every = np.array(np.meshgrid(SPECIAL, SPECIAL, SPECIAL)).reshape(3, -1).T
    return np.ascontiguousarray(every, np.float32 if single else np.float64)


def assert_as_in_numpy(name: str, found: np.ndarray, states: np.ndarray) -> None:
    op = OPERATIONS[name]
    with np.errstate(all="ignore"):
        wanted = op.apply(*(states[:, i] for i in range(op.arity)))
    close = 1e-6 if states.dtype == np.float32 else 4e-16
    assert np.allclose(found, wanted, rtol=close, atol=0, equal_nan=True), name
    assert_same_signs(name, found, wanted)
