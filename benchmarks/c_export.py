"""How long does exported C take for a state, and exported C++ for a batch, beside LLVM here?

C and LLVM are called from the same loop in C, over the same states, one by one; C++ and the kernel
take the whole batch. Each is called from Python once.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from robots import NAMES, robot_named
from table import Row, duration, times
from timing import Contender, Effort, one_core, race, say

import qddot
from qddot.backends.ir import Lanes
from qddot.backends.llvm import compile_module
from qddot.backends.loops import module, single_state

STATES, MOST = 1000, 1.3  # times the kernel
MOST_OF_A_BATCH = 1.5
FLAGS = {"gcc -O3 -march=native": ["-O3", "-march=native"], "gcc -O3": ["-O3"]}
LOOP = """
typedef void (*function)(const double *, const double *, const double *, double *);
void repeat(function f, const double *a, const double *b, const double *c, double *out, int count)
{ for (int k = 0; k < count; ++k) f(a + k * N, b + k * N, c + k * N, out + k * N); }
"""


def rows(effort: Effort) -> list[Row]:
    """Return, a robot and a set of flags, the time of exported inverse dynamics."""
    if not shutil.which("gcc"):
        say("gcc is not installed: exported C was not timed")
        return []
    found = []
    with one_core(), tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            for flags in FLAGS:
                say(f"c_export: {name}, {flags} ...")
                found.append(compare(robot_named(name), flags, Path(folder), effort))
            if shutil.which("g++"):
                found.append(compare_batches(robot_named(name), Path(folder), effort))
    return found


def compare(robot: qddot.Robot, flags: str, folder: Path, effort: Effort) -> Row:
    program, n = robot.program("inverse_dynamics"), robot.n
    qddot.export(robot, folder, functions=["inverse_dynamics"], force=True)
    (folder / "loop.c").write_text(LOOP.replace("N", str(n)))
    library = folder / f"{robot.name}{len(flags)}.so"
    sources = [folder / "loop.c", folder / f"{robot.name}.c"]
    command = [
        "gcc",
        "-std=gnu99",
        *FLAGS[flags],
        "-shared",
        "-fPIC",
        "-o",
        library,
        *sources,
        "-lm",
    ]
    subprocess.run(command, check=True)
    exported = ctypes.CDLL(str(library))
    out, state = single_state(program, Lanes(1))
    code = compile_module(module(out, state))
    given = [*np.random.default_rng(0).normal(size=(3, STATES, n)), np.empty((STATES, n))]
    pointers = tuple(ctypes.c_void_p(x.ctypes.data) for x in given)
    functions = (
        ctypes.cast(exported[f"{robot.name}_inverse_dynamics"], ctypes.c_void_p),
        ctypes.c_void_p(code.address("state")),
    )
    entrants = [
        Contender(exported.repeat, (f, *pointers, ctypes.c_int(STATES)), STATES) for f in functions
    ]
    theirs, ours = race(entrants, effort.seconds)
    return Row(
        f"{robot.name}: inverse dynamics as C, {flags}",
        duration(theirs),
        "LLVM, one state at a time",
        duration(ours),
        times(theirs / ours),
        f"≤ {MOST} ×",
        theirs / ours <= MOST,
    )


BATCH = """#include "NAME.hpp"
extern "C" void batch(std::size_t n, const double *a, const double *b, const double *c, double *out)
{ qddot::NAME::inverse_dynamics(n, a, b, c, out); }
"""


def compare_batches(robot: qddot.Robot, folder: Path, effort: Effort) -> Row:
    """Return the time of C++ in lanes beside the kernel's."""
    robot = robot.with_options(threads=1)
    qddot.export(robot, folder, target="cpp", functions=["inverse_dynamics"], force=True)
    (folder / "batch.cpp").write_text(BATCH.replace("NAME", robot.name))
    library, flags = folder / f"{robot.name}_batch.so", "g++ -O3 -march=native"
    subprocess.run(
        [
            *flags.split(),
            *("-std=gnu++17", "-shared", "-fPIC", "-o", library),
            folder / "batch.cpp",
        ],
        check=True,
    )
    given = np.random.default_rng(0).normal(size=(3, effort.states, robot.n))
    out = np.empty((effort.states, robot.n))
    pointers = tuple(ctypes.c_void_p(x.ctypes.data) for x in (*given, out))
    batch = ctypes.CDLL(str(library)).batch
    exported, kernel = race(
        [
            Contender(batch, (ctypes.c_size_t(effort.states), *pointers), effort.states),
            Contender(robot.inverse_dynamics, (*given,), effort.states, out=np.empty_like(out)),
        ],
        effort.seconds,
    )
    return Row(
        f"{robot.name}: inverse dynamics as C++, batch, {flags}",
        duration(exported),
        "the kernel",
        duration(kernel),
        times(exported / kernel),
        f"≤ {MOST_OF_A_BATCH} ×",
        exported / kernel <= MOST_OF_A_BATCH,
    )
