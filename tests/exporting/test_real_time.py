"""An exported law in a loop: no system call, no allocation, no page fault; and each is noticed."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
pytestmark = [
    pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="this asks Linux"),
]


@pytest.fixture(scope="module")
def loop(tmp_path_factory):
    """The loop of the benchmark around the computed torque of a panda."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        from real_time import build
    finally:
        sys.path.remove(str(BENCHMARKS))
    folder = tmp_path_factory.mktemp("loop")
    return build(folder, "-std=gnu11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-O1")


def run(loop, *words):
    return subprocess.run([loop, *words], capture_output=True, text=True)


def changed(loop, *words):
    """Return page faults and bytes of the heap over 100,000 calls, the least of three runs.

    The kernel may move a page meanwhile, which is a fault that nobody asked for.
    """
    found = [json.loads(run(loop, "time", "100000", "0", *words).stdout) for _ in range(3)]
    if not found[0]["locked"]:
        pytest.skip("this machine does not let a program lock its memory")
    return min((said["faults"], said["bytes"]) for said in found)


def test_the_kernel_lets_it_compute_where_every_system_call_is_the_end(loop):
    done = run(loop, "alone", "100000")
    if done.returncode == 3:
        pytest.skip("this kernel has no strict seccomp")
    assert (done.returncode, done.stdout) == (0, "no system call\n")
    assert run(loop, "alone", "1000", "call").returncode == -signal.SIGKILL


def test_no_page_fault_and_no_allocation(loop):
    assert changed(loop) == (0, 0)
    assert changed(loop, "touch") == (1, 0)
    assert changed(loop, "allocate")[1] >= 100


@pytest.mark.skipif(not shutil.which("nm"), reason="nm is not installed")
def test_nothing_is_called_but_sine_and_cosine_of_far_angles(loop):
    source = loop.with_name("panda.c")
    made = loop.with_name("panda.o")
    subprocess.run(["gcc", "-O1", "-c", source, "-o", made], check=True)
    names = subprocess.run(["nm", "-u", made], capture_output=True, text=True).stdout.split()
    assert set(names) - {"U"} <= {"sin", "cos", "sincos", "_GLOBAL_OFFSET_TABLE_"}
