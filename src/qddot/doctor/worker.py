"""The other side of `peers.ask`: a process of its own in which one peer loads one robot.

Other engines print, write log files into the current folder, and some end the process when a file
displeases them. So each runs where it can harm nothing: in a temporary folder, with its job in
job.json and its answer in answer.json.
"""

from __future__ import annotations

import importlib
import json
import re
from dataclasses import asdict
from pathlib import Path

from qddot.doctor.job import ANSWER, JOB, Answer, Job

MODULES = {
    "Pinocchio": "qddot.doctor.peer_pinocchio",
    "MuJoCo": "qddot.doctor.peer_mujoco",
    "Drake": "qddot.doctor.peer_drake",
}


def main() -> None:
    """Do the job in this folder and leave the answer beside it."""
    job = Job(**json.loads(Path(JOB).read_text(encoding="utf-8")))
    try:
        answer = importlib.import_module(MODULES[job.peer]).answer(job)
    except Exception as error:  # whatever a peer may throw is news about the robot
        answer = Answer(failed=in_short(error))
    Path(ANSWER).write_text(json.dumps(asdict(answer)), encoding="utf-8")


def in_short(error: Exception) -> str:
    """Return the first line of what an exception says, and the element that it names."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    element = [line for line in lines[1:2] if line.startswith("Element")]
    text = "; ".join([*lines[:1], *element]) or type(error).__name__
    # the lines of a text without its meshes are not the file's
    return re.sub(r"^(<literal-string>\.urdf:\d+: )?(error: )?", "", text, flags=re.IGNORECASE)


if __name__ == "__main__":
    main()
