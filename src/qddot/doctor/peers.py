"""Which other engines are here, and asking each what it makes of a robot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

from qddot.doctor.job import ANSWER, JOB, Answer, Job
from qddot.errors import printable, shorten

PATIENCE = 60  # [s] for one peer to start, load the robot and answer


@dataclass(frozen=True)
class Peer:
    """Another engine: its name, the module it is imported as, and what pip calls it."""

    name: str
    module: str
    package: str
    reads: tuple[str, ...]  # the formats that it loads itself

    @property
    def installed(self) -> bool:
        return find_spec(self.module) is not None


PEERS = (
    Peer("Pinocchio", "pinocchio", "pin", ("urdf", "mjcf")),
    Peer("MuJoCo", "mujoco", "mujoco", ("urdf", "mjcf")),
    Peer("Drake", "pydrake", "drake", ("urdf",)),
)


def ask(jobs: Sequence[Job]) -> list[Answer]:
    """Return the peers' answers, all at work at the same time, each in a process of its own.

    A peer that fails, crashes or takes too long gives an answer that says so.
    """
    with tempfile.TemporaryDirectory(prefix="qddot-doctor-") as top:
        folders = [Path(top) / str(i) for i in range(len(jobs))]
        running = [start(job, folder) for job, folder in zip(jobs, folders, strict=True)]
        try:
            return [finish(*pair) for pair in zip(running, folders, strict=True)]
        finally:
            for process in running:
                process.kill()
                process.wait()


def start(job: Job, folder: Path) -> subprocess.Popen[bytes]:
    """Start the process that does a job in a folder."""
    folder.mkdir()
    (folder / JOB).write_text(json.dumps(asdict(job)), encoding="utf-8")
    paths = [os.path.abspath(path) for path in sys.path]  # where this process finds its packages
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.Popen(
        [sys.executable, "-m", "qddot.doctor.worker"],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def finish(process: subprocess.Popen[bytes], folder: Path) -> Answer:
    """Return the answer that a process leaves in its folder, or why there is none."""
    try:
        status = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        return Answer(failed=f"it did not answer within {PATIENCE} s")
    try:
        answer = Answer(**json.loads((folder / ANSWER).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return Answer(failed=f"it ended without an answer (status {status})")
    if answer.failed:
        return Answer(failed=shorten(printable(answer.failed), 200))
    return answer
