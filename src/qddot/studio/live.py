"""A loop that runs while somebody turns its gains: simulated piece by piece, as a page asks for it.

Runs in a helper, which keeps what it compiled last. What goes on from piece to piece is a
`LiveState`, so that any helper can go on: a new law, reference or payload takes effect with the
next piece.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.checks import is_number
from qddot.control.laws.law import ControlLaw
from qddot.control.report import rms
from qddot.control.sampled import HeldPlant, SampledLoop, Sampling
from qddot.control.spec import RATE, ControlSpec, described_control
from qddot.control.tunable import Tunable
from qddot.program.recorder import record
from qddot.robot import Robot
from qddot.studio.controlled import Controlled
from qddot.studio.controlling import followed
from qddot.studio.library import Changes

ROWS = 60  # per second of the motion
SMOOTHING = 0.01  # of dry friction, as `closed_loop` has it


@dataclass(frozen=True, eq=False)
class LiveState:
    """Where a live loop is."""

    t: float
    q: np.ndarray
    qd: np.ndarray
    x: np.ndarray  # the law's own state
    past: tuple[np.ndarray, np.ndarray]  # q and q̇ of the last steps, the newest last
    step: float  # [s] between them
    samples: int
    following: str  # the law's name and its reference, as text
    began: float  # when it began to follow this [s]
    place: np.ndarray  # and where the arm was then

    @classmethod
    def at(cls, q: np.ndarray, qd: np.ndarray) -> LiveState:
        """Return the start of a loop."""
        none = np.zeros((0, len(q))), np.zeros((0, len(q)))
        return cls(0.0, q, qd, np.zeros(0), none, 0.0, 0, "", 0.0, q)


@dataclass(eq=False)
class WatchedLaw:
    """A law and an arm, compiled; gains can be turned."""

    about: tuple  # what it was compiled for: everything but the gains
    spec: ControlSpec  # with the gains that are chosen
    arm: Robot
    error: Kernel
    tunable: Tunable


_kept: list[WatchedLaw] = []
_plants: list[tuple[tuple[Any, Changes], HeldPlant]] = []


def live(
    run: Controlled, state: LiveState | None, seconds: float, *, tell: Callable[..., None]
) -> tuple[dict[str, Any], LiveState]:
    """Return the next piece of a live loop [s], and where it is then; it starts without a state."""
    state = state or LiveState.at(run.q, run.qd)
    parts = [run.control.get(key) for key in ("law", "reference", "frame", "axes")]
    following = json.dumps(parts, sort_keys=True)
    fresh = following != state.following
    began, place = (state.t, state.q) if fresh else (state.began, state.place)
    if fresh:
        tell("Compiling the arm and its law", None)
    made, law = compiled(run, following, place)
    spec = made.spec
    rate = spec.rate or RATE
    limits = made.arm.limits.effort
    cut = limits if spec.effort == "enforce" and np.isfinite(limits).any() else None
    spread = spec.noise_q, spec.noise_qd
    sampling = Sampling(rate, spec.delay, spread, (1, state.samples), cut)  # type: ignore[arg-type]
    loop = SampledLoop(plant_of(run, made.arm), law, state.q, state.qd, sampling)
    if not fresh and len(state.x) == len(law.x0):
        loop.x = state.x
    if abs(state.step - loop.step) < 1e-12 and len(state.past[0]):
        loop.past.continued(*state.past)
    count, stride = max(1, round(seconds * rate)), max(1, round(rate / ROWS))
    rows = list(loop.samples(count, began=state.t - began))
    kept = [row for k, row in enumerate(rows[:-1]) if (state.samples + k) % stride == 0]
    kept = kept or rows[:1]
    layout = loop.plant.layout
    q, qd = loop.y[layout.q], loop.y[layout.v]
    good = bool(np.isfinite(loop.y[: layout.v.stop]).all())
    after = LiveState(
        *(state.t + count / rate, q, qd, loop.x, loop.past.last_states, loop.step),
        *(state.samples + count, following, began, place),
    )
    return {
        "is": "live",
        "good": good,
        "ends": after.t,
        **told(made, law, kept, began, layout),
    }, after


def told(
    made: WatchedLaw, law: ControlLaw, rows: list[tuple], began: float, layout: Any
) -> dict[str, Any]:
    """Return the rows of a piece as a page shows them."""
    t, Y, tau, x, _ = (np.array(column) for column in zip(*rows, strict=True))
    q, qd = (np.ascontiguousarray(Y[:, part]) for part in (layout.q, layout.v))
    error = made.error(t, q)
    state = [t, q, qd] + ([np.ascontiguousarray(x)] if len(law.x0) else [])
    return {
        "t": t + began,
        "q": q,
        "qd": qd,
        "tau": tau,
        "error": error,
        "error_names": list(law.error_names),
        "error_units": list(law.error_units),
        "rms": rms(t, error),
        "V": made.tunable.lyapunov(law, *state),
        "law": law.kind,
        **followed(law, t, error),
    }


def compiled(run: Controlled, following: str, place: np.ndarray) -> tuple[WatchedLaw, ControlLaw]:
    """Return what is compiled of a law and an arm, and the law with the gains that it has now."""
    rest = {key: value for key, value in run.control.items() if key != "gains"}
    control = json.dumps(rest, sort_keys=True)
    about = (run.robot.model, run.changes, run.believed, control, following, place.tolist())
    more = {"start_given": True, "seconds": run.seconds, "model": run.model}
    made = next((each for each in _kept if each.about == about), None)
    arm = made.arm if made else run.arm
    spec = made.spec if made else described_control(rest, arm, place, **more)
    law = turned(spec.law, run.control.get("gains") or {})
    if law is None:  # the description knows what is wrong with a gain
        law = described_control(run.control, arm, place, **more).law
    if made is None:
        error = Kernel(record(law.error, "error", t=(), q=(arm.nq,)))
        made = WatchedLaw(about, spec, arm, error, Tunable(law, arm))
    elif not made.tunable.fits(law):
        made.tunable = Tunable(law, arm)
    _kept[:] = [made]
    return made, made.tunable.with_gains(law)


def turned(law: ControlLaw, gains: Any) -> ControlLaw | None:
    """Return a law with other gains, numbers or so many times its own; None: not so plain."""
    plain: dict[str, Any] = {}
    for name, value in gains.items() if isinstance(gains, dict) else ():
        times = value.get("times") if isinstance(value, dict) and len(value) == 1 else None
        numbers = value if isinstance(value, list) else [value if times is None else times]
        if name not in law.gain_names or not all(map(is_number, numbers)):
            return None
        plain[name] = value if times is None else times * getattr(law, name)
    return replace(law, **plain) if plain else law


def plant_of(run: Controlled, arm: Robot) -> HeldPlant:
    """Return the arm that moves; compiling it takes longest, so it is kept while it is the same."""
    about = (run.robot.model, run.changes)
    if not _plants or _plants[0][0] != about:
        _plants[:] = [(about, HeldPlant(arm, np.inf, None, None, SMOOTHING))]
    return _plants[0][1]
