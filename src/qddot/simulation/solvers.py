"""Ways to step a state through time: SciPy's adaptive ones, and fixed steps with the same face."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import BDF, DOP853, RK45, DenseOutput, OdeSolver, Radau

from qddot.simulation.steps import Step

ADAPTIVE: dict[str, type[OdeSolver]] = {
    "RK45": RK45,
    "DOP853": DOP853,
    "Radau": Radau,
    "BDF": BDF,
}
IMPLICIT = ("Radau", "BDF")

Rate = Callable[[float, np.ndarray], np.ndarray]
# q, q̇ of the joints, to M and Ṁ q̇
Momentum = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


class CompiledStages:
    """What makes an explicit method of SciPy's take its stages in compiled code.

    Step sizes are controlled as there (E. Hairer, S. Nørsett, G. Wanner, *Solving Ordinary
    Differential Equations I*, §II.4).
    """

    K: np.ndarray  # the stages, one a row

    def __init__(self, *args: Any, stages: Callable[[np.ndarray], Any], **more: Any) -> None:
        super().__init__(*args, **more)
        self.take: Any = stages(self.K)

    def _step_impl(self: Any) -> Any:
        t, y = self.t, self.y
        least = 10 * abs(np.nextafter(t, np.inf) - t)
        h = min(max(self.h_abs, least), self.max_step)
        rejected = False
        self.K[0] = self.f
        while True:
            if h < least:
                return False, self.TOO_SMALL_STEP
            t_new = min(t + h, self.t_bound)
            h = t_new - t
            y_new = self.take(t, y, h)
            scale = self.atol + np.maximum(np.abs(y), np.abs(y_new)) * self.rtol
            error = self._estimate_error_norm(self.K, h, scale)
            factor = 0.9 * error**self.error_exponent if error else 10.0
            if error < 1:
                break
            h, rejected = h * max(0.2, factor), True
        self.t, self.y, self.f = t_new, y_new, self.K[-1].copy()
        self.y_old, self.h_previous = y, h
        self.h_abs = h * min(1.0 if rejected else 10.0, factor)
        return True, None


class CompiledRK45(CompiledStages, RK45):
    """RK45 with compiled stages."""


class CompiledDOP853(CompiledStages, DOP853):
    """DOP853 with compiled stages."""


COMPILED: dict[str, Any] = {"RK45": CompiledRK45, "DOP853": CompiledDOP853}


class FixedStep(OdeSolver):
    """A solver of equal steps, the last one shorter. Between steps, cubics of values and rates."""

    def __init__(self, fun: Rate, t0: float, y0: np.ndarray, t_bound: float, step: float) -> None:
        super().__init__(fun, t0, y0, t_bound, vectorized=False)
        self.h = step
        self.rate = self.fun(self.t, self.y)

    def _step_impl(self) -> tuple[bool, str | None]:
        left = self.t_bound - self.t
        # a rest of less than a millionth of a step is rounding, not a step
        whole = left > self.h * (1 + 1e-6)
        h = self.h if whole else left
        t = self.t + h if whole else self.t_bound
        self.before = (self.t, self.y, self.rate)
        with np.errstate(over="ignore", invalid="ignore"):
            y = self.advanced(h)
        if not np.isfinite(y).all():
            return False, f"the state is no longer finite: the step of {self.h:g} s is too long"
        self.t, self.y = t, y
        self.rate = self.fun(t, y)
        return True, None

    def advanced(self, h: float) -> np.ndarray:
        """Return the state after a step of h."""
        raise NotImplementedError

    def _dense_output_impl(self) -> DenseOutput:
        t_old, y_old, rate_old = self.before
        return Cubic(t_old, self.t, y_old, self.y, rate_old, self.rate)


class Explicit(FixedStep):
    """A method of `steps` that goes straight from state to state."""

    def __init__(self, *args: Any, method: Step, **more: Any) -> None:
        super().__init__(*args, **more)
        self.method = method

    def advanced(self, h: float) -> np.ndarray:
        def rate(share: float, y: np.ndarray) -> np.ndarray:
            return self.fun(self.t + share * h, y) if share else self.rate  # known at the start

        return self.method(rate, self.y, h)


class Midpoint(FixedStep):
    """Second order, symplectic: energy stays within bounds over runs of any length.

    The implicit midpoint rule in positions and momenta p = M q̇, with ṗ = M q̈ + Ṁ q̇ at the middle
    of the step (E. Hairer, C. Lubich, G. Wanner, *Geometric Numerical Integration*, §VI.4):

        p⁺ = p + h ṗ(q_m, q̇_m)      q⁺ = q + h q̇_m      M(q_m) q̇_m = (p + p⁺)/2,  q_m = (q + q⁺)/2
    """

    ITERATIONS = 50

    def __init__(
        self, *args: Any, momentum: Momentum, free: np.ndarray, tracked: int, **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self.momentum, self.free, self.tracked = momentum, free, tracked
        self.n = len(free)
        self.joints = slice(self.n, 2 * self.n)

    def advanced(self, h: float) -> np.ndarray:
        n, y, joints = self.n, self.y, self.joints
        M, _ = self.momentum(y[:n], y[joints])
        p = M @ y[joints]
        middle = self._iterated(h, p)
        if middle is None:
            middle = self._solved(h, p)
        rate, _, wanted = self._rates(h, p, middle)
        end = y + h * rate
        end[:n] = y[:n] + h * middle[joints]
        M, _ = self.momentum(end[:n], middle[joints])
        end[joints] = self._velocity(M, 2 * wanted - p)
        return end

    def _rates(self, h: float, p: np.ndarray, middle: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return dy/dt in the middle of a step, M there, and the momenta that it should have."""
        rate = self.fun(self.t + h / 2, middle)
        M, turning = self.momentum(middle[: self.n], middle[self.joints])
        return rate, M, p + h / 2 * (M @ rate[self.joints] + turning)

    def _velocity(self, M: np.ndarray, p: np.ndarray) -> np.ndarray:
        free, qd = self.free, np.zeros(self.n)
        qd[free] = np.linalg.solve(M[np.ix_(free, free)], p[free])
        return qd

    def _iterated(self, h: float, p: np.ndarray) -> np.ndarray | None:
        """Return the middle by putting what is found in again; None if that does not converge."""
        n, y, joints = self.n, self.y, self.joints
        middle, last = y + h / 2 * self.rate, np.inf
        for _ in range(self.ITERATIONS):
            rate, M, wanted = self._rates(h, p, middle)
            new = y + h / 2 * rate
            new[joints] = self._velocity(M, wanted)
            new[:n] = y[:n] + h / 2 * new[joints]
            change = np.abs(new - middle)[: self.tracked].max(initial=0)
            middle = new
            # down to rounding, where changes no longer shrink
            if change <= 4e-16 * np.abs(new[: 2 * n]).max() or (last < 1e-13 and change >= last):
                return middle
            if not change < last:
                return None
            last = change
        return None

    def _solved(self, h: float, p: np.ndarray) -> np.ndarray:
        """Return the middle by Newton's method; NaN if that does not converge either."""
        n, y, joints, tracked = self.n, self.y, self.joints, self.tracked

        def whole(unknown: np.ndarray) -> np.ndarray:
            middle = np.concatenate([y[:n], unknown, y[tracked:]])
            middle[:n] = y[:n] + h / 2 * middle[joints]
            return middle

        def missing(t: float, unknown: np.ndarray) -> np.ndarray:
            middle = whole(unknown)
            rate, M, wanted = self._rates(h, p, middle)
            held = middle[joints]
            off = np.where(self.free, M @ held - wanted, held)
            return np.concatenate([off, (middle - y - h / 2 * rate)[2 * n : tracked]])

        unknown, last = y[n:tracked], np.inf
        slope = sensitivity(missing, tracked - n)
        for _ in range(self.ITERATIONS):
            off = missing(0.0, unknown)
            if not np.isfinite(off).all():
                break
            step = np.linalg.lstsq(slope(0.0, unknown), off)[0]
            unknown = unknown - step
            change, size = np.abs(step).max(initial=0), max(1.0, np.abs(unknown).max())
            if change <= 4e-16 * size or (last < 1e-9 * size and change >= last):
                return whole(unknown)
            last = change
        return np.full_like(y, np.nan)


class Cubic(DenseOutput):
    """The cubic through two states with their rates."""

    def __init__(self, t_old: float, t: float, *ends: np.ndarray) -> None:
        super().__init__(t_old, t)
        self.ends = ends

    def _call_impl(self, t: np.ndarray) -> np.ndarray:
        y0, y1, f0, f1 = (x[:, None] if np.ndim(t) else x for x in self.ends)
        h = self.t - self.t_old
        s = (t - self.t_old) / h
        line = y0 + s * (y1 - y0)
        bend = (1 - 2 * s) * (y1 - y0) + (s - 1) * h * f0 + s * h * f1
        return line + s * (s - 1) * bend


def sensitivity(fun: Rate, tracked: int) -> Rate:
    """Return ∂(dy/dt)/∂y by differences, as a function; nothing depends on the works."""

    def jacobian(t: float, y: np.ndarray) -> np.ndarray:
        at = fun(t, y)
        J = np.zeros((len(y), len(y)))
        for i in range(tracked):
            moved = y.copy()
            moved[i] += 1.5e-8 * max(abs(y[i]), 1.0)
            J[:, i] = (fun(t, moved) - at) / (moved[i] - y[i])
        return J

    return jacobian
