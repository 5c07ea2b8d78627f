"""A run: smooth pieces of motion, one after the other, with what happens between them.

Within a piece nothing switches, so a solver of smooth equations is right. A piece ends where a
joint stops slipping, breaks loose, hits or leaves a stop, where something acting is not smooth, or
where a watched function crosses zero.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qddot.errors import listing, printable
from qddot.progress import percent_done
from qddot.simulation.contact import Modes, after_impact, arriving
from qddot.simulation.endings import MOST_STEPS, Crossing, Pace, PieceGuards, Watch, far_angle
from qddot.simulation.files import joint_units
from qddot.simulation.monitor import Monitor
from qddot.simulation.plant import Plant
from qddot.simulation.signals import Stopped
from qddot.simulation.trajectory import Event

TURNS = 200  # pieces within a moment before a run gives up
MOMENT = 1e-7  # [s], and of the duration
SAME = 1e-12  # of an instant: rows that are nearer to each other are one


@dataclass
class SmoothPiece:
    """A smooth piece of motion: its rows, and the modes it was in."""

    modes: Modes
    end: float  # [s], where it was to end
    lost_before: float  # [J] in impacts
    t: list[float] = field(default_factory=list)
    y: list[np.ndarray] = field(default_factory=list)

    def keep(self, t: Any, y: Any) -> None:
        self.t += list(np.atleast_1d(t))
        self.y += list(np.atleast_2d(y))

    def close(self, t: float, y: np.ndarray) -> None:
        """Keep the last row, unless it was kept on the way."""
        if t > self.t[-1]:
            self.keep(t, y)


@dataclass
class Run:
    """A run in the making. What it has computed stays, however it ends."""

    plant: Plant
    solver: Callable[[Modes, float, np.ndarray, float], Any]  # from (t, y) to an end
    y: np.ndarray
    duration: float
    every: tuple[float, ...]  # [s] between rows; with several, the rows of each
    watches: tuple[Watch, ...] = ()
    most_steps: int = MOST_STEPS
    monitor: Monitor | None = None
    t: float = 0.0
    steps: int = 0
    lost: float = 0.0  # [J] in impacts
    pieces: list[SmoothPiece] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    stopped: str = ""  # why it ended early, in words
    failed: bool = False  # whether that was not asked for
    interrupted: bool = False  # by Ctrl-C

    def __post_init__(self) -> None:
        at = self.plant.layout
        self.names = self.plant.robot.joint_names
        signs = [np.sign(w.at(0.0, self.y[at.q], self.y[at.v])) for w in self.watches]
        self.signs = np.array(signs)
        jumps = [t for signal in self.plant.signals.values() for t in signal.breaks]
        self.breaks = np.unique(np.array(jumps))
        units = joint_units(self.plant.robot)
        if self.monitor is not None:
            self.monitor.rows = self._rows
        self.pace = Pace(self.duration, self.most_steps, self.names, units)

    def go(self) -> None:
        """Run to the end, or until something stops it."""
        loose = -1
        before: Modes | None = None
        with percent_done(f"simulating {self.plant.robot.name}", 100) as self.advance:
            self.shown = 0
            try:
                while self.t < self.duration and not self.stopped:
                    modes = self.plant.modes(self.t, self.y, loose)
                    self._keep_changes(before, modes)
                    crossing = self._piece(modes)
                    before = modes
                    loose = self._happens(crossing, modes) if crossing else -1
                    self._check_chatter()
            except Stopped as reason:
                self.stopped = f"stopped at t = {reason.t:.6g} s: {reason.what}"
                self.failed = True
                self.keep_last()

    def keep_last(self) -> None:
        """Keep the state that a run has come to when it stops between two rows."""
        if self.pieces:
            piece = self.pieces[-1]
            with suppress(Stopped):  # what acts must be known there
                self.plant.rows(np.array([self.t]), self.y[None], piece.modes, piece.end)
                piece.close(self.t, self.y)
                self._look()

    def _check_chatter(self) -> None:
        """Give up where pieces become shorter and shorter."""
        moment = MOMENT * max(1.0, self.duration)
        if len(self.pieces) > TURNS and self.t - self.pieces[-TURNS].t[0] < moment:
            names = {event.joint or event.name for event in self.events[-TURNS:]}
            raise Stopped(
                self.t,
                f"{TURNS} changes within {moment:g} s, of {listing(sorted(names))}; "
                "friction='smooth' or stops=0.0 does not chatter",
            )

    # one piece

    def _piece(self, modes: Modes) -> Crossing | None:
        """Go on until something switches; keep the rows on the way."""
        v = self.plant.layout.v
        later = self.breaks[np.searchsorted(self.breaks, self.t, side="right") :]
        end = float(later[0]) if len(later) else self.duration
        piece = SmoothPiece(modes, end, self.lost)
        piece.keep(self.t, self.y)
        self.pieces.append(piece)
        self._add()
        solver = self.solver(modes, self.t, self.y, end)
        guards = PieceGuards(self.plant, modes, self.t, end, self.watches, self.signs)
        found: tuple[float, Crossing] | None = None
        while solver.status == "running":
            try:
                message = solver.step()
            except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
                raise Stopped(self.t, self._trouble(str(error), modes)) from error
            if solver.status == "failed":
                raise Stopped(self.t, self._trouble(message or "", modes))
            self.steps += 1
            solver.y = self.plant.projected(solver.y)
            t_old, t, y = solver.t_old, solver.t, solver.y
            between = self._grid(t_old, t)
            path: Any = solver.dense_output() if guards.kinds or len(between) else None
            found = guards.first(path, t_old, t)
            if found is not None:
                t, y = found[0], self.plant.projected(np.array(path(found[0])))
                between = between[between < t]
            if len(between):
                piece.keep(between, self.plant.projected(path(between).T))
            y[v][modes.held] = 0.0  # whatever a solver's rounding makes of it
            self.t, self.y = t, y
            self._add()
            self._show_progress()
            self.pace.look(self.steps, t, y[v])
            self._notice_signs()
            if found is not None:
                break
        piece.close(self.t, self.y)
        self._look()
        return None if found is None else found[1]

    def _add(self) -> None:
        if self.monitor is None:
            return
        plant, piece, more = self.plant, self.pieces[-1], ()
        if not plant.constant_inputs:  # users' functions are asked as seldom as may be
            more = (plant.inputs(self.t, self.y, piece.modes, piece.end),)
        self.monitor.add(self.t, self.y, self.lost, *more)

    def _look(self) -> None:
        if self.monitor is not None:
            self.monitor.look()

    def _rows(self, t: np.ndarray, Y: np.ndarray, *each: Any) -> tuple[np.ndarray, ...]:
        """Return q̈, τ and the torques asked for, at states of the last piece."""
        piece = self.pieces[-1]
        qdd, tau, _, asked = self.plant.rows(t, Y, piece.modes, piece.end, *each)
        return qdd, tau, asked

    def _notice_signs(self) -> None:
        """Note the sign of watched functions that were zero at the start."""
        at = self.plant.layout
        for k in np.flatnonzero(self.signs == 0) if self.watches else ():
            value = self.watches[k].at(self.t, self.y[at.q], self.y[at.v])
            self.signs[k] = np.sign(value)

    def _grid(self, start: float, end: float) -> np.ndarray:
        """Return the instants in (start, end] at which a row is kept."""
        found = []
        for every in self.every:
            first, last = int(start / every * (1 + 1e-12)), int(end / every * (1 + 1e-12))
            found.append(np.minimum(np.arange(first + 1, last + 1) * every, end))
        if len(found) == 1:
            return found[0]
        t = np.unique(np.concatenate(found))
        return t[np.diff(t, prepend=-np.inf) > SAME * end]

    # between two pieces

    def _happens(self, crossing: Crossing, modes: Modes) -> int:
        """Do what a crossing means to the state; return the joint that broke loose, or −1."""
        v, i = self.plant.layout.v, crossing.index
        self.y = self.y.copy()
        if crossing.kind == "watch":
            self._seen(i)
            return -1
        if crossing.kind == "still":
            self.y[v][i] = 0.0
            return -1
        if crossing.kind == "stop":
            self._hits(i, modes)
            return -1
        return i

    def _seen(self, k: int) -> None:
        watch, was = self.watches[k], self.signs[k]
        self.signs[k] = -(was or 1.0)
        # what is zero at the very start does not cross it there
        if was and watch.direction in (0, self.signs[k]):
            self.events.append(Event(self.t, watch.name))
            if watch.stop:
                self.stopped = f"stopped at t = {self.t:.6g} s, as asked: {watch.name}"

    def _hits(self, i: int, modes: Modes) -> None:
        """Let a joint hit its stop, and with it all others that reach theirs at this instant."""
        given, at = self.plant.restraints, self.plant.robot.tree.positions
        q, qd = self.plant.ends(self.y), self.y[self.plant.layout.v]
        lower = q[i] - given.lower[i] < given.upper[i] - q[i]
        if (qd[i] < 0) != lower:  # on its way back already, as far as the method can tell
            self.y[at[i]] = given.lower[i] if lower else given.upper[i]
            return
        hit = arriving(given, q, qd)
        self.y[at] = q = np.where(hit > 0, given.upper, np.where(hit < 0, given.lower, q))
        _, M = self.plant.kernel("free")(self.y, *self.plant.inputs(self.t, self.y, modes))
        touched = np.where(hit, hit, given.resting_on(q, qd))
        after = after_impact(given.restitution, touched, qd, M)
        self.lost += float(qd @ M @ qd - after @ M @ after) / 2
        for k in np.flatnonzero(hit):
            which = "lower" if hit[k] < 0 else "upper"
            detail = f"at {abs(qd[k]):.4g} {self.pace.units[k]}/s"
            self.events.append(Event(self.t, f"hits its {which} stop", self.names[k], detail))
        qd[:] = after

    # what is reported

    def _keep_changes(self, before: Modes | None, now: Modes) -> None:
        """Keep as events which joints have stuck, broken loose or left a stop."""
        for i, name in enumerate(self.names):
            what = ""
            if before is None:
                if now.stop[i] and now.held[i]:
                    what = f"rests on its {'lower' if now.stop[i] < 0 else 'upper'} stop"
            elif before.stop[i] and not now.stop[i]:
                what = "leaves its stop"
            elif now.held[i] and not before.held[i] and not now.stop[i]:
                what = "sticks"
            elif before.held[i] and not now.held[i]:
                what = "slips"
            elif now.direction[i] * before.direction[i] < 0:
                what = "turns round"
            if what:
                self.events.append(Event(self.t, what, name))

    def _show_progress(self) -> None:
        done = int(100 * self.t / self.duration)
        for _ in range(done - self.shown):
            self.advance()
        self.shown = max(done, self.shown)

    def _trouble(self, message: str, modes: Modes) -> str:
        """Return why a solver could not go on."""
        at = self.plant.layout
        now = self.plant.rate_in(modes)(self.t, self.y)[at.v]
        bad = np.flatnonzero(~np.isfinite(now))
        if far := far_angle(self.plant.robot, self.y[at.q], 0.5):
            return far
        if len(bad):
            return (
                f"the acceleration of joint {printable(self.names[bad[0]])!r} is {now[bad[0]]}; "
                "the mass matrix is singular there, or the motion has run away"
            )
        fastest = int(np.abs(now).argmax())
        return (
            f"{message.rstrip('.')} (joint {printable(self.names[fastest])!r} accelerates at "
            f"{now[fastest]:.3g}); the motion runs away or jumps there"
        )
