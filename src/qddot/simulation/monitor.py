"""What all steps of a run show, whatever rows are kept: limits, torques, the energy balance.

States are looked at in blocks, in the order of time, and forgotten: memory does not grow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from qddot.model.limits import stops_of
from qddot.motions.piecewise import control_points
from qddot.motions.spline import interpolated
from qddot.robot import Robot
from qddot.simulation.energy import Balance, energy_of
from qddot.simulation.equation import Layout
from qddot.simulation.trajectory import NO_MOTOR, Event

BLOCK = 500  # states
BETWEEN = np.arange(1, 10) / 10  # of a step: where positions and velocities are looked at
ROUNDING = 1e-9  # of a limit, or of the largest value: on a stop is not beyond it
LEAST = 1e-4  # of their unit, what limits and values count as at least


@dataclass
class Monitor:
    """What the states of a run have shown so far."""

    robot: Robot  # in float64 from the beginning on
    layout: Layout
    cut: Sequence[float] | np.ndarray | None = None  # torques are cut off at these
    # from instants (k,), states (k, ...) and lists of what else was given, to q̈, τ, asked torques
    rows: Callable[..., tuple[np.ndarray, ...]] | None = None
    smooth: bool = True  # whether quintics hold between the states
    balance: Balance = field(default_factory=Balance)
    block: list[tuple] = field(default_factory=list)  # not yet looked at
    last: tuple[np.ndarray, ...] = ()  # the row before them
    seconds: float = 0.0
    # by what and joint: when first, how far beyond at worst, and the value there
    passed: dict[tuple[str, int], tuple[float, float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.robot.dtype != "float64":  # one that is keeps what it has compiled
            self.robot = self.robot.with_options(dtype="float64")
        self.seconds_cut, self.asked, self.change = np.zeros((3, self.robot.n))

    def add(self, t: float, y: np.ndarray, lost: float = 0.0, *more: Any) -> None:
        """Take the next state, with what was lost at stops so far [J]."""
        self.block.append((t, y, lost, *more))
        if len(self.block) == BLOCK:
            self.look()

    def look(self) -> None:
        """Look at the states that have come since the last time."""
        if not self.block or self.rows is None:
            return
        t, Y, lost, *more = zip(*self.block, strict=True)
        t, Y, lost = (np.array(column) for column in (t, Y, lost))
        self.block = []
        qdd, tau, asked = self.rows(t, Y, *more)
        parts = self.layout.parts(Y)
        q, qd = (np.ascontiguousarray(parts[name]) for name in ("q", "qd"))
        rows = (t, q, qd, qdd, np.abs(tau), np.abs(asked))
        with np.errstate(all="ignore"):  # a run that has run away is not good
            kinetic, potential = self.robot.kinetic_energy(q, qd), self.robot.potential_energy(q)
            self.balance.add(energy_of(parts, kinetic, potential, lost))
            before = self.last or tuple(x[0] for x in rows)
            self.last = tuple(x[-1] for x in rows)
            self._watch(*(np.concatenate([x[None], y]) for x, y in zip(before, rows, strict=True)))

    def _watch(self, *rows: np.ndarray) -> None:
        """Note what passes its limits in rows that begin with the last one looked at before."""
        t, q, qd, qdd, load, asked = rows
        limits, tree, h = self.robot.limits, self.robot.tree, np.diff(t)[:, None]
        self._note("effort", t, load, -limits.effort, limits.effort)
        none = np.zeros(self.robot.n)
        self._note("motor", t, load * ~self.robot.actuated, none, none)
        self.asked = np.maximum(self.asked, asked.max(axis=0))
        changes = np.abs(np.diff(asked, axis=0)) * (h > 0)
        self.change = np.maximum(self.change, changes.max(axis=0))
        if self.cut is not None:
            cut = load >= self.cut
            self.seconds_cut += (h * (1.0 * cut[1:] + cut[:-1])).sum(axis=0) / 2
            self._note("cut", t, asked, -np.array(self.cut), np.array(self.cut), least=0.0)
        self.seconds += float(h.sum())
        if self.smooth:  # a step of an accurate method may be long
            times = (t[:-1, None] + h * BETWEEN)[self._leaving(h, q, qd, qdd)].ravel()
            between = interpolated(t, q, qd, qdd, times, None if tree.flat else tree)
            t = np.concatenate([t, times])
            order = np.argsort(t, kind="stable")
            q, qd = (np.concatenate(pair)[order] for pair in zip((q, qd), between, strict=False))
            t = t[order]
        at = tree.positions
        self._note("position", t, q[:, at], limits.lower[at], limits.upper[at])
        self._note("stop", t, q[:, at], *self._stops)
        self._note("velocity", t, np.abs(qd), -limits.velocity, limits.velocity)

    @cached_property
    def _stops(self) -> tuple[np.ndarray, np.ndarray]:
        return stops_of(self.robot.model)[:2]

    def _leaving(self, h: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        """Return which steps may pass a limit on their way: whose quintics' hulls do, (k − 1,)."""
        if not self.robot.tree.flat:
            return h[:, 0] > 0
        limits, (low, high) = self.robot.limits, self._stops
        low, high = np.maximum(low, limits.lower), np.minimum(high, limits.upper)
        hull = control_points(h, (q[:-1], qd[:-1], qdd[:-1]), (q[1:], qd[1:], qdd[1:]))
        beyond = np.any((hull < low) | (hull > high), axis=(0, 2))
        beyond |= np.any(np.abs(np.diff(hull, axis=0)) > limits.velocity * h / 5, axis=(0, 2))
        return beyond & (h[:, 0] > 0)

    def _note(
        self, what: str, t: np.ndarray, value: np.ndarray, *ends: Any, least: float = ROUNDING
    ) -> None:
        """Note when each joint first passes a limit, and by how much at worst."""
        low, high = ends
        beyond = np.maximum(value - high, low - value)
        size = np.abs(np.where(np.isfinite(high), high, 0)) + np.fmax.reduce(np.abs(value))
        past = beyond >= least * (size + LEAST)
        for i in map(int, np.flatnonzero((past & (size > 0)).any(axis=0))):
            when = first_time(t, past[:, i], beyond[:, i])
            when, most, worst = self.passed.get((what, i), (when, -np.inf, 0.0))
            k = int(np.nanargmax(beyond[:, i]))
            if beyond[k, i] > most:
                most, worst = float(beyond[k, i]), float(value[k, i])
            self.passed[what, i] = (when, most, worst)

    @property
    def events(self) -> list[Event]:
        """When each joint first passed each of its limits, or was held at that of its effort."""
        found = []
        for (what, i), (when, beyond, value) in sorted(self.passed.items(), key=lambda x: x[0][1]):
            joint = self.robot.model.free_joints[i]
            if what == "cut":
                share = self.seconds_cut[i] / self.seconds if self.seconds else 1.0
                detail = f"at {value - beyond:g}, {share:.0%} of the time"
                found.append(Event(when, "is held at its effort limit", joint.name, detail))
            elif what == "motor":
                detail = f"up to {value:.4g} {joint.units.effort}"
                found.append(Event(when, NO_MOTOR, joint.name, detail))
            else:
                unit = getattr(joint.units, "position" if what == "stop" else what)
                detail = f"at worst {value:.4g} {unit}, {beyond:.4g} beyond"
                limit = "stop" if what == "stop" else f"{what} limit"
                found.append(Event(when, f"passes its {limit}", joint.name, detail))
        return found

    @property
    def how(self) -> dict[str, Any]:
        """What a run keeps of them: its balance; the peaks and changes of torques asked for."""
        balance = {"worst": self.balance.worst, "exchanged": self.balance.exchanged}
        asked = {"peak": self.asked.tolist(), "change": self.change.tolist()}
        return {"balance": balance, "asked": asked}


def first_time(t: np.ndarray, past: np.ndarray, beyond: np.ndarray) -> float:
    """Return when a limit is first passed: where a line between two rows passes it."""
    first = int(past.argmax())
    if not first or t[first] == t[first - 1]:
        return float(t[first])
    low, high = beyond[first - 1], beyond[first]
    share = -low / (high - low) if low < 0 < high else 1.0
    return float(t[first - 1] + share * (t[first] - t[first - 1]))
