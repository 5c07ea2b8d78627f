"""The figures of a closed loop: errors, torques, its V, and whether its stability is proved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.backends.kernel import Kernel
from qddot.certificate.bound import rounded_up
from qddot.control.laws.assumption import VERDICTS, Assumption, verdict
from qddot.model.tree import Tree
from qddot.plain_text import fitted
from qddot.program.differentiate import gradient
from qddot.program.optimise import optimised
from qddot.program.program import Program, flat
from qddot.program.recorder import record
from qddot.results import in_notebook

SETTLED = 0.02  # of the largest error: where a run counts as settled
RISE = 1e-6  # of its range: V may rise by this and still count as falling
STEADY = 1e-7  # of its size: V that changes no more than that is constant as far as is computed
LEVEL = 1e-9  # [rad or m], of positions of about 1: up to this an error is one of rounding


@dataclass(frozen=True, eq=False)
class Report:
    """The figures of one run."""

    law: str
    error_names: tuple[str, ...]
    error_units: tuple[str, ...]  # "rad", "m", or "" where none is known
    rms: np.ndarray  # of every error, over time
    worst: np.ndarray  # the largest |e|
    final: np.ndarray  # e at the end
    settling_time: float | None  # [s] after which ‖e‖ stays below 2 % of its largest; None: never
    joint_names: tuple[str, ...]
    effort: np.ndarray  # (n,), RMS of the torques
    peak: np.ndarray  # (n,), the largest |τ|
    margin: np.ndarray  # (n,), effort limit less peak; infinite where there is no limit
    V_rise: float | None  # the largest rise of V above an earlier value, as a share of its range
    assumptions: tuple[Assumption, ...]
    level: float = 0.0  # [rad or m] up to which an error is one of rounding
    V_still: bool = False  # whether V stays as small as errors of rounding make it
    sampled: bool = False  # whether the law is asked at a rate: proofs that V falls are of no rate

    @property
    def falls(self) -> bool | None:
        """Whether V never rose; None where the law has no V."""
        return None if self.V_rise is None else self.V_rise <= RISE

    @property
    def sound(self) -> bool | None:
        """Whether the law's theorem is about this run, and the run does not contradict it.

        True: every assumption was decided and holds for this arm, reference, sampling and region,
        and V and the error did fall. False: one fails, or V rose though the law is asked all the
        time. None: none fails, but one is open.
        """
        return False if self._rose else verdict(self.assumptions)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not sound: what fails, or else what is open."""
        rose = [f"V rises, by {self.V_rise:.1e} of its range"] if self._rose else []
        said = [(e.holds, f"{e.statement}: {e.verdict} ({e.why})") for e in self.assumptions]
        failing = [*rose, *(text for holds, text in said if holds is False)]
        return tuple(failing or (text for holds, text in said if holds is None))

    @property
    def _rose(self) -> bool:
        return self.falls is False and not self.sampled

    @property
    def settling(self) -> str:
        """When the error settled, in words."""
        if (worst := float(self.worst.max(initial=0))) <= self.level:
            units = " or ".join(dict.fromkeys(self.error_units))
            most = f"{rounded_up(worst, 2)} {units}".rstrip()
            return f"starts on its reference; the error is at most {most}"
        if self.settling_time is None:
            return "not settled"
        return f"settled to 2 % after {self.settling_time:.4g} s"

    @property
    def lyapunov(self) -> str:
        """Whether V rose, in words; nothing where the law has none."""
        if self.V_rise is None:
            return ""
        if not self.falls:
            if self.sampled:
                return "rises while torques are held"
            return f"rises, by {self.V_rise:.1e} of its range"
        return "stays at the level of rounding" if self.V_still else "never rises"

    @property
    def verdict(self) -> str:
        """`sound` in a line: "yes", or "no" or "open" and the first reason."""
        word = VERDICTS[self.sound]
        return word if self.sound else f"{word}: {self.reasons[0]}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "law": self.law,
            "error": {
                "names": list(self.error_names),
                "units": list(self.error_units),
                "rms": self.rms.tolist(),
                "worst": self.worst.tolist(),
                "final": self.final.tolist(),
            },
            "settling_time": self.settling_time,
            "torque": {
                "joints": list(self.joint_names),
                "rms": self.effort.tolist(),
                "peak": self.peak.tolist(),
                "margin": self.margin.tolist(),  # infinite where there is no limit
            },
            "assumptions": [
                {"statement": each.statement, "holds": each.verdict, "why": each.why}
                for each in self.assumptions
            ],
            "sound": VERDICTS[self.sound],
            "reasons": list(self.reasons),
        }

    def _largest_errors(self) -> str:
        """Return the figures of the largest error, of each unit that there is."""
        said = []
        for unit in dict.fromkeys(self.error_units):
            of_unit = [k for k, other in enumerate(self.error_units) if other == unit]
            k = max(of_unit, key=lambda k: self.worst[k])
            rms, worst, final = (
                f"{x:.3g} {unit}".rstrip() for x in (self.rms[k], self.worst[k], abs(self.final[k]))
            )
            of = f" of {self.error_names[k]}" if len(self.error_names) > 1 else ""
            said.append(f"error{of} {rms} (RMS), {worst} (worst), {final} (final)")
        return "; ".join(said) or "no error"

    @fitted
    def __str__(self) -> str:
        lines = [f"{self.law}: {self._largest_errors()}; {self.settling}"]
        for name, effort, peak, margin in zip(
            self.joint_names, self.effort, self.peak, self.margin, strict=True
        ):
            room = f", {margin:.4g} below its limit" if np.isfinite(margin) else ""
            lines.append(f"  {name}: torque {effort:.4g} (RMS), {peak:.4g} (peak){room}")
        if self.lyapunov:
            lines.append(f"  Lyapunov function {self.lyapunov}")
        lines += [f"  {each}" for each in self.assumptions]
        lines.append(f"  sound: {self.verdict}")
        return "\n".join(lines)

    __repr__ = __str__

    _repr_html_ = in_notebook("control.report_html")


def rms(t: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the root of the mean square over time, column by column; rows may be uneven."""
    if len(t) < 2 or t[-1] <= t[0]:
        return np.abs(values[-1])
    return np.sqrt(np.trapezoid(values**2, t, axis=0) / (t[-1] - t[0]))


def settling_time(
    t: np.ndarray, error: np.ndarray, share: float = SETTLED, level: float = 0.0
) -> float | None:
    """Return when ‖e‖ is below a share of its largest, or a level, for good; None if never."""
    size = np.linalg.norm(error, axis=1)
    outside = np.flatnonzero(size > max(share * size.max(initial=0), level))
    if not len(outside):
        return float(t[0])
    return None if outside[-1] == len(t) - 1 else float(t[outside[-1] + 1])


def rounding_level(q: np.ndarray) -> float:
    """Return up to which size an error of a motion is one of rounding [rad or m]."""
    return LEVEL * float(np.nan_to_num(np.abs(q), nan=0, posinf=0).max(initial=1))


def rise(V: np.ndarray, least: float = 0.0, claimed: np.ndarray | None = None) -> float:
    """Return by how much V rose at most above an earlier value, relative to how far it goes.

    It counts as going `least` far where there is hardly an error. It rose for good where it is not
    finite. Where V is said to fall at some rows only, it counts from the first of consecutive ones.
    """
    if not np.isfinite(V).all():
        return np.inf
    if np.ptp(V) <= STEADY * np.abs(V).max(initial=0):
        return 0.0
    size, most, lowest = max(float(np.ptp(V)), least), 0.0, np.inf
    for value, falls in zip(V, np.ones(len(V), bool) if claimed is None else claimed, strict=True):
        lowest = min(lowest, value) if falls else np.inf
        most = max(most, value - lowest) if falls else most
    return float(most / size) if size else 0.0


def rate_program(V: Program, tree: Tree) -> Program:
    """Return the program of V̇ from that of V(t, q, q̇[, x]), the accelerations and ẋ as inputs.

    The chain rule, no differencing, with dq/dt what the tree says (q̇, of most joints):

        V̇ = ∂V/∂t + ∂V/∂q · dq/dt + ∂V/∂q̇ · q̈ + ∂V/∂x · ẋ
    """
    shapes = {port.name: port.shape for port in V.inputs}
    slope = gradient(V, list(shapes))
    rates = {"qdd": shapes["qd"]} | ({"xd": shapes["x"]} if "x" in shapes else {})

    def rate(*arrays: Any) -> dict[str, Any]:
        given = dict(zip([*shapes, *rates], arrays, strict=True))
        entries = flat(given[name] for name in shapes)
        slopes = slope.pack(slope.results_at([*entries, 1.0]))
        moving = tree.rate(given["q"], given["qd"])
        along = {"t": 1.0, "q": moving, "qd": given["qdd"], "x": given.get("xd")}
        terms = [np.dot(g, along[name]) for name, g in zip(shapes, slopes, strict=True)]
        return {"rate": sum(terms[1:], terms[0])}

    return optimised(record(rate, f"rate of {V.name}", **shapes, **rates))


def lyapunov_along(
    V: Program,
    tree: Tree,
    t: np.ndarray,
    q: np.ndarray,
    qd: np.ndarray,
    qdd: np.ndarray,
    x: np.ndarray | None = None,
    xd: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return V and V̇ at every row of a motion, shape (k,) each."""
    state = [t, q, qd] + ([] if x is None else [x])
    rates = [qdd] + ([] if xd is None else [xd])
    return Kernel(V)(*state), Kernel(rate_program(V, tree))(*state, *rates)
