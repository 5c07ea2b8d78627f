"""Branch and prune: small boxes that hold every solution of equations in the joints.

A box is made narrower by all equations in its joints (`equation_boxes`); what these neither throw
away nor make much narrower is halved.

**Stages.** The smallest set of joints that has as many independent equations as joints comes first;
what is left of it is the beginning for the next. With a wrist whose axes meet, the joints of the
arm come before those of the wrist, mostly one at a time; the joints of a general arm of six come
four, one and one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from qddot.certificate.equation_boxes import OUT, Boxes, EquationSet
from qddot.certificate.pose_equations import PoseEquation
from qddot.certificate.rounding import U

CHUNK = 4096  # boxes at a time
FIRST = {True: 0.3, False: 0.25}  # half-widths to begin with, of turns [rad] and of slides
POINT = 1e-7  # half-width of a box that is not halved again
NARROW = 5e-3  # half-width from which on there are few boxes, unless solutions are a curve
MOST_NARROW = 3000


def stages(
    equations: Sequence[PoseEquation], turns: Sequence[bool], widths: np.ndarray
) -> Iterator[tuple[list[int], list[PoseEquation]]]:
    """Yield the joints that come next and all equations in these and earlier ones.

    What is not determined by any equations comes last, at once.
    """
    m = len(turns)
    known: list[int] = []
    point = np.random.default_rng(3).uniform(-0.9, 0.9, (m, 1))

    def independent(new: tuple[int, ...]) -> bool:
        own = [e for e in equations if set(e.joints) <= {*known, *new} and {*new} & {*e.joints}]
        if len(own) < len(new):
            return False
        joints = sorted({*known, *new})
        _, J = EquationSet(own, joints, turns).at(point[joints])
        return np.linalg.matrix_rank(J[:, [joints.index(k) for k in new], 0], 1e-9) == len(new)

    while len(known) < m:
        rest = [k for k in range(m) if k not in known]
        sets = [new for size in range(1, len(rest) + 1) for new in combinations(rest, size)]
        sets.sort(key=lambda new: (len(new), float(np.log(widths[list(new)]).sum())))
        new = next((new for new in sets if independent(new)), tuple(rest))
        known += new
        yield sorted(new), [e for e in equations if set(e.joints) <= set(known)]


@dataclass
class Pruned:
    """What is left: boxes that hold all solutions."""

    boxes: Boxes  # of all joints of the chain
    open: Boxes  # those among which the search ended early
    looked_at: int = 0
    reason: str = ""  # why it did


def prune(
    equations: Sequence[PoseEquation],
    turns: Sequence[bool],
    whole: Boxes,
    deadline: float,
    most: int,
) -> Pruned:
    """Return boxes that hold every solution.

    Args:
        equations: What solutions meet.
        turns: Of each joint, whether it turns; else it slides, and its coordinate is within ±1.
        whole: The box of all joints.
        deadline: When to stop, by `time.monotonic`.
        most: How many boxes to look at.
    """
    found = Pruned(whole.take(slice(0)), whole.take(slice(0)))
    if any(abs(float(e.table)) > e.error for e in equations if not e.joints):
        return found
    usable = [e.scaled() for e in equations if e.joints]
    if not usable:  # no joint changes what is asked for
        found.open, found.reason = whole, "curve"
        return found
    known: list[int] = []
    boxes = Boxes(np.zeros((0, 1)), np.zeros((0, 1)))
    for new, own in stages(usable, turns, whole.half[:, 0]):
        for k in new:
            boxes = _with_joint(boxes, whole.middle[k, 0], whole.half[k, 0], FIRST[turns[k]])
        known += new
        order = np.argsort(known)
        known = [known[k] for k in order]
        boxes = Boxes(boxes.middle[order], boxes.half[order])
        search = StageSearch(EquationSet(own, known, turns), deadline, most, found)
        boxes = touching(search.run(boxes))
        for part in search.open:  # of joints that have not come yet, all positions are left
            middle, half = (np.repeat(x, len(part), 1) for x in (whole.middle, whole.half))
            middle[known], half[known] = part.middle, part.half
            found.open = Boxes.joined([found.open, Boxes(middle, half)])
        if not len(boxes):
            return found
    found.boxes = boxes
    return found


@dataclass
class StageSearch:
    """A stage: boxes are looked at until all are thrown away, done, or left open."""

    equations: EquationSet
    deadline: float
    most: int
    found: Pruned  # its counter and reason go on from stage to stage
    open: list[Boxes] = field(default_factory=list)

    def run(self, live: Boxes) -> Boxes:
        """Return the boxes that are done: as narrow as rounding and `within` let them be."""
        done = [live.take(slice(0))]
        while len(live):
            live = self._shortened(live)
            waiting = [live.take(slice(0))]
            for start in range(0, len(live), CHUNK):
                if time.monotonic() > self.deadline:
                    waiting.append(live.take(slice(start, None)))
                    break
                part = live.take(slice(start, start + CHUNK))
                self.found.looked_at += len(part)
                new = self.equations.contracted(part)
                again = (new.boxes.half < 0.6 * part.half).any(0)
                ready = (new.boxes.half.max(0) <= POINT) | (new.regular & ~again)
                halve = new.may & ~ready & ~again
                done.append(new.boxes.take(new.may & ready))
                waiting.append(new.boxes.take(new.may & ~ready & again))
                waiting.append(_halved(new.boxes.take(halve), new.lean[:, halve]))
            live = Boxes.joined(waiting)
        return Boxes.joined(done)

    def _shortened(self, live: Boxes) -> Boxes:
        """Return the boxes to go on with; the others are left open, with the reason."""
        narrow = live.half.max(0) < NARROW
        late = time.monotonic() > self.deadline
        if late or self.found.looked_at + len(live) > self.most:
            self.found.reason = "out of time" if late else "too many boxes"
            narrow[:] = True
        elif narrow.sum() > MOST_NARROW:
            self.found.reason = self.found.reason or "curve"
        else:
            return live
        self.open.append(live.take(narrow))
        return live.take(~narrow)


def _with_joint(boxes: Boxes, middle: float, half: float, first: float) -> Boxes:
    """Return boxes times equal pieces of the range of one joint more."""
    count = max(1, int(np.ceil(half / first)))
    edges = np.linspace(middle - half, middle + half, count + 1)
    centres = 0.5 * (edges[1:] + edges[:-1])
    width = np.maximum(edges[1:] - centres, centres - edges[:-1]) + 4 * U * (abs(middle) + half)
    pick, piece = np.repeat(np.arange(len(boxes)), count), np.tile(np.arange(count), len(boxes))
    return Boxes(
        np.vstack([boxes.middle[:, pick], centres[piece]]),
        np.vstack([boxes.half[:, pick], width[piece]]),
    )


def _halved(boxes: Boxes, lean: np.ndarray) -> Boxes:
    """Return both halves of boxes, cut across the joint that matters most."""
    weight = np.where(boxes.half > POINT / 2, lean + 0.3 * boxes.half, -1.0)
    k, rows = np.argmax(weight, axis=0), np.arange(len(boxes))
    half = boxes.half.copy()
    half[k, rows] = 0.5 * half[k, rows] + 4 * U * (1 + np.abs(boxes.middle[k, rows]))
    low, high = boxes.middle.copy(), boxes.middle.copy()
    low[k, rows] -= 0.5 * boxes.half[k, rows]
    high[k, rows] += 0.5 * boxes.half[k, rows]
    return Boxes(np.concatenate([low, high], 1), np.concatenate([half, half], 1))


def touching(boxes: Boxes, most: int = 1500) -> Boxes:
    """Return boxes around those that touch each other; many are left as they are."""
    while 1 < len(boxes) <= most:
        c, r = boxes.middle, boxes.half
        near = (np.abs(c[:, :, None] - c[:, None]) <= (r[:, :, None] + r[:, None]) * 1.01).all(0)
        group = _groups(np.asarray(near))
        names = np.unique(group)
        if len(names) == len(boxes):
            return boxes
        low = np.stack([(c - r)[:, group == g].min(1) for g in names], 1)
        high = np.stack([(c + r)[:, group == g].max(1) for g in names], 1)
        middle = 0.5 * (low + high)
        boxes = Boxes(middle, np.maximum(high - middle, middle - low) * OUT + 8 * U)
    return boxes


def _groups(near: np.ndarray) -> np.ndarray:
    """Return for each box the first of those that are near it, or near one that is, and so on."""
    group = np.full(len(near), -1)
    for first in range(len(near)):
        new = np.flatnonzero(group[first : first + 1] < 0) + first
        while new.size:
            group[new] = first
            new = np.flatnonzero(near[new].any(0) & (group < 0))
    return group
