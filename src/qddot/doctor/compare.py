"""M(q) and g(q) of the same robot, here and in another engine, joint by joint name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from qddot.doctor.evidence import TOLERANCE, Evidence
from qddot.doctor.explain import handed_over, other_differences, reasons
from qddot.doctor.peers import PEERS, Answer, Peer, ask, material
from qddot.dynamics.crba import mass_matrix
from qddot.dynamics.rnea import gravity_torque
from qddot.errors import shorten
from qddot.model.folding import coordinates, fold, numeric
from qddot.model.limits import limits_of
from qddot.model.model import Model, mapped

SEED = 2718
CONFIGURATIONS = 4
MOST_JOINTS = 200  # M in full, and in words between processes
NO_JOINTS = "no joint of it moves"
# what a peer was given
USERS_FILE, OWN_URDF = "the file", "qddot's URDF of it"


@dataclass(frozen=True)
class PeerComparison:
    """How one peer sees the robot: the same, otherwise and why, or not at all."""

    peer: str
    version: str = ""
    read: str = ""  # what it loaded
    why_not: str = ""  # why there was nothing to compare
    difference_M: float | None = None  # relative, see `Evidence`
    difference_g: float | None = None
    reasons: tuple[str, ...] = ()  # why it differs
    asides: tuple[str, ...] = ()  # what differs outside M and g

    @property
    def compared(self) -> bool:
        """Whether both engines gave numbers."""
        return self.difference_M is not None and self.difference_g is not None

    @property
    def agrees(self) -> bool:
        """Whether M and g are the same up to rounding."""
        return self.compared and max(self.difference_M or 0, self.difference_g or 0) <= TOLERANCE

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {**asdict(self), "compared": self.compared, "agrees": self.agrees}


def compare(model: Model, path: Path, peers: Sequence[Peer] = PEERS) -> tuple[PeerComparison, ...]:
    """Return the comparison with each peer; one that is missing or fails says so in words."""
    if model.symbols:
        names = ", ".join(f"{name}=..." for name in model.symbols[:3])
        why = f"the robot has symbols; give the symbols values: with_values({names})"
        return tuple(PeerComparison(peer.name, why_not=why) for peer in peers)
    if not 0 < model.n <= MOST_JOINTS:
        why = f"it has {model.n} joints, more than {MOST_JOINTS}" if model.n else NO_JOINTS
        return tuple(PeerComparison(peer.name, why_not=why) for peer in peers)
    model = mapped(model, numeric)
    q = configurations(model)
    thing = material(model, path)
    present = [peer for peer in peers if peer.installed]
    given = [positions(model, row) for row in q]
    answers = dict(zip(present, ask([thing.job(p, given) for p in present]), strict=True))
    ours = at(model, q)

    def comparison(peer: Peer) -> PeerComparison:
        if peer not in answers:
            why = f"it is not installed (pip install {peer.package})"
            return PeerComparison(peer.name, why_not=why)
        answer, read = answers[peer], USERS_FILE if thing.reads_file(peer) else OWN_URDF
        found = compared(peer, read, model, q, ours, answer)
        if found.compared or thing.kind != "mjcf" or read == OWN_URDF or peer.name == "MuJoCo":
            return found
        # MJCF is MuJoCo's own; another reader of it may know only a part
        (answer,) = ask([replace(thing, kind="other").job(peer, given)])
        again = compared(peer, OWN_URDF, model, q, ours, answer)
        return replace(again, asides=(f"of the file itself: {found.why_not}", *again.asides))

    return tuple(comparison(peer) for peer in peers)


def compared(
    peer: Peer,
    read: str,
    model: Model,
    q: np.ndarray,
    ours: tuple[np.ndarray, np.ndarray],
    answer: Answer,
) -> PeerComparison:
    """Return the comparison with the answer of one peer."""
    if answer.failed:
        why = f"it could not load {read}: {answer.failed}"
        return PeerComparison(peer.name, answer.version, read, why)
    if why := mismatch(model, answer.joints):
        return PeerComparison(peer.name, answer.version, read, why)
    if not (np.isfinite(answer.M).all() and np.isfinite(answer.g).all()):
        return PeerComparison(peer.name, answer.version, read, "its M or g is not a number")
    evidence = Evidence.of(model, q, *ours, answer)
    differences = evidence.differences()
    why_so = reasons(evidence, peer.name) if max(differences) > TOLERANCE else ()
    beside = tuple(handed_over(model)) if read == OWN_URDF else ()
    more = (*beside, *other_differences(evidence, peer.name))
    return PeerComparison(peer.name, answer.version, read, "", *differences, why_so, more)


def mismatch(model: Model, theirs: Sequence[str]) -> str:
    """Return which joint the peer lacks, or nothing."""
    lost = [name for name in model.joint_names if name not in theirs]
    return f"it has no joint {shorten(lost[0])!r}" if lost else ""


def at(model: Model, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return M and g at each configuration."""
    tree = fold(model)
    M = np.array([mass_matrix(tree, row) for row in q], dtype=float)
    return M, np.array([gravity_torque(tree, row) for row in q], dtype=float)


def configurations(model: Model) -> np.ndarray:
    """Return some configurations within the limits, the same ones every time."""
    ends = limits_of(model).span(most=1)
    return np.random.default_rng(SEED).uniform(*ends, (CONFIGURATIONS, model.n))


def positions(model: Model, q: np.ndarray) -> dict[str, float]:
    """Return where each joint stands, those that follow others or are locked included."""
    return {
        name: float(offset if index is None else ratio * q[index] + offset)
        for name, (index, ratio, offset) in coordinates(model).items()
    }
