"""Other engines: which are installed, what each is given to load, and asking it for M and g.

A peer loads the user's own file where it can, else qddot's URDF of it. Other engines print, write
log files into the current folder, and some end the process when they cannot read a file. So each
runs in a process and a folder of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from qddot.errors import printable, shorten
from qddot.model.model import Model
from qddot.readers.files import read_bytes
from qddot.readers.read import format_of
from qddot.robot_formats import read_endings
from qddot.workers import Worker

TIME_LIMIT = 60  # [s] for one peer to start, load the robot and answer
ADAPTERS = {
    "Pinocchio": "qddot.doctor.peer_pinocchio",
    "MuJoCo": "qddot.doctor.peer_mujoco",
    "Drake": "qddot.doctor.peer_drake",
}
GEOMETRY = ("visual", "collision")  # meshes may be missing, and change nothing here


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


@dataclass(frozen=True)
class Job:
    """Load a robot and give M(q) and g(q) at some configurations."""

    peer: str
    kind: str  # "urdf" or "mjcf"
    text: str  # the URDF
    path: str  # or the MJCF file, which may include others
    root: str  # the name of the base link
    positions: list[dict[str, float]]  # of every joint that moves, one dict per configuration
    # for a text that cannot hold them itself
    gravity: list[float] | None = None
    rotor_inertia: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What a peer made of the robot; rows and columns in its own order of joints."""

    failed: str = ""  # why it could not load the robot
    version: str = ""
    joints: list[str] = field(default_factory=list)
    M: list[list[list[float]]] = field(default_factory=list)  # one matrix per configuration
    g: list[list[float]] = field(default_factory=list)
    gravity: list[float] = field(default_factory=list)
    rotor_inertia: list[float] = field(default_factory=list)  # reflected, one per joint
    zero: list[float] = field(default_factory=list)  # its position in the drawn configuration
    # the direction of each joint's axis in the world, at the first configuration
    axes: list[list[float]] = field(default_factory=list)
    mass: float = 0.0  # of all that it knows of
    damping: list[float] = field(default_factory=list)  # viscous, one per joint


def ask(jobs: Sequence[Job]) -> list[Answer]:
    """Return the peers' answers, all at work at the same time.

    A peer that fails, crashes or takes too long gives an answer that says so.
    """
    with ExitStack() as running:
        workers = [running.enter_context(Worker(private=True)) for _ in jobs]
        for worker, job in zip(workers, jobs, strict=True):
            worker.ask(f"{__name__}:answer", job)
        return [_answer_of(worker) for worker in workers]


def answer(job: Job) -> dict[str, Any]:
    """Return a peer's answer as plain values. Runs in a worker."""
    try:
        return asdict(import_module(ADAPTERS[job.peer]).answer(job))
    except Exception as error:  # whatever a peer may throw is news about the robot
        return asdict(Answer(failed=_in_short(error)))


def _answer_of(worker: Worker) -> Answer:
    """Return what a worker answers, or why there is no answer."""
    try:
        found = Answer(**worker.result(TIME_LIMIT))
    except TimeoutError:
        return Answer(failed=f"it did not answer within {TIME_LIMIT} s")
    except EOFError as error:
        return Answer(failed=f"it ended without an answer ({error})")
    return Answer(failed=shorten(printable(found.failed), 200)) if found.failed else found


def _in_short(error: Exception) -> str:
    """Return the first line of what an exception says, and the element that it names."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    element = [line for line in lines[1:2] if line.startswith("Element")]
    text = "; ".join([*lines[:1], *element]) or type(error).__name__
    # the lines of a text without its meshes are not the file's
    return re.sub(r"^(<literal-string>\.urdf:\d+: )?(error: )?", "", text, flags=re.IGNORECASE)


@dataclass(frozen=True)
class Material:
    """The robot as the user has it: a URDF or MJCF file, or something that only qddot reads."""

    model: Model
    path: Path
    kind: str  # "urdf", "mjcf", or a format that no peer reads

    def reads_file(self, peer: Peer) -> bool:
        """Return whether a peer loads the user's own file."""
        return self.kind in peer.reads

    def job(self, peer: Peer, positions: Sequence[dict[str, float]]) -> Job:
        """Return what to ask of a peer."""
        root, given = self.model.links[0].name, list(positions)
        if self.kind == "mjcf" and self.reads_file(peer):
            return Job(peer.name, "mjcf", "", str(self.path.resolve()), root, given)
        if self.reads_file(peer):
            text = without_geometry(read_bytes(self.path))
            return Job(peer.name, "urdf", text, "", root, given)
        from qddot.writers.urdf import to_urdf

        # URDF has no words for gravity and rotors, so they are handed over beside the text
        moving = [joint for joint in self.model.joints if joint.kind != "fixed"]
        return Job(
            peer.name,
            "urdf",
            without_geometry(to_urdf(self.model).encode()),
            "",
            root,
            given,
            [float(x) for x in self.model.gravity],
            {joint.name: float(joint.motor.reflected) for joint in moving},
        )


def material(model: Model, path: Path) -> Material:
    """Return the robot as the peers can be given it."""
    in_a_file = path.suffix.lower() in read_endings()
    return Material(model, path, format_of(path).name.lower() if in_a_file else "other")


def without_geometry(data: bytes) -> str:
    """Return a URDF's text without its shapes: no peer then looks for a mesh."""
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError:  # a prefix that is not declared, which other readers allow
        return data.decode("utf-8", errors="replace")
    for link in root.iter("link"):
        for tag in GEOMETRY:
            for element in link.findall(tag):
                link.remove(element)
    return ElementTree.tostring(root, encoding="unicode")
