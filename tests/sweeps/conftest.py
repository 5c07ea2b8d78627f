"""Plans that run in moments, and the real command in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from qddot.sweeps.running import sweep

SWINGS = {
    "robot": "pendulum",
    "q0": [0.0],
    "duration": 0.2,
    "step": 0.001,
    "draws": 100,
    "unit": 10,
    "vary": {"q0": {"uniform": [-1, 1]}, "friction.viscous": {"uniform": [0, 0.2]}},
}


@pytest.fixture
def swings():
    """A plan of a hundred pendulums in ten units."""
    return {**SWINGS, "vary": dict(SWINGS["vary"])}


@pytest.fixture
def run(tmp_path):
    """Run a plan in this process; the folder is new each time."""
    count = iter(range(1000))

    def run(plan, **options):
        return sweep(plan, tmp_path / f"sweep{next(count)}", **{"workers": 0} | options)

    return run


@pytest.fixture
def contents():
    """Return what a folder holds, file by file, but for the lock."""

    def contents(folder):
        paths = [path for path in Path(folder).rglob("*") if path.is_file()]
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in paths
            if path.name != ".lock"
        }

    return contents


@pytest.fixture
def goes_on(tmp_path, contents):
    """Finish a sweep, and compare its bytes with those of one that nothing interrupted."""

    def goes_on(plan, folder):
        assert sweep(plan, folder, workers=0).complete
        sweep(plan, tmp_path / "whole", workers=0)
        assert contents(folder) == contents(tmp_path / "whole")

    return goes_on


@pytest.fixture
def command():
    """Start the real command, and end it if the test did not."""
    processes = []

    def start(*words, before=(sys.executable, "-m", "qddot", "sweep"), **options):
        process = subprocess.Popen(
            [*before, *map(str, words)],
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options,
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate()


IN_A_WORKER = """
import sys
if "loky.backend.popen_loky_posix" in sys.orig_argv:
    import os, signal, time
    from qddot.sweeps.unit import Units
    whole = Units.part
"""


@pytest.fixture
def in_workers(tmp_path, monkeypatch):
    """Have lines of Python run in every worker process before anything else."""

    def lines(text):
        folder = tmp_path / "site"
        folder.mkdir(exist_ok=True)
        indented = "".join(f"    {line}\n" for line in text.strip().splitlines())
        (folder / "sitecustomize.py").write_text(IN_A_WORKER + indented)
        paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))

    return lines
