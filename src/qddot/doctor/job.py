"""What is asked of a peer, and what it answers: plain values that travel between processes."""

from __future__ import annotations

from dataclasses import dataclass, field

JOB, ANSWER = "job.json", "answer.json"


@dataclass(frozen=True)
class Job:
    """Load a robot and give M(q) and g(q) at some configurations."""

    peer: str
    kind: str  # "urdf" or "mjcf"
    text: str  # the URDF
    path: str  # or the MJCF file, which may include others
    root: str  # the name of the base link
    positions: list[dict[str, float]]  # of every joint that moves, one dict a configuration
    # for a text that cannot hold them itself
    gravity: list[float] | None = None
    rotor_inertia: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What a peer made of the robot; rows and columns in its own order of joints."""

    failed: str = ""  # why it could not load the robot
    version: str = ""
    joints: list[str] = field(default_factory=list)
    M: list[list[list[float]]] = field(default_factory=list)  # one matrix a configuration
    g: list[list[float]] = field(default_factory=list)
    gravity: list[float] = field(default_factory=list)
    rotor_inertia: list[float] = field(default_factory=list)  # reflected, one a joint
    zero: list[float] = field(default_factory=list)  # its position in the drawn configuration
    # in the world at the first configuration: a point of each joint's axis, and its direction
    axes: list[list[list[float]]] = field(default_factory=list)
    mass: float = 0.0  # of all that it knows of
    damping: list[float] = field(default_factory=list)  # viscous, one a joint
