"""Solvers that step a state: SciPy's adaptive ones, and fixed steps with the same interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import BDF, DOP853, RK45, DenseOutput, OdeSolver, Radau

from qddot.motions.piecewise import cubic_at
from qddot.simulation import midpoint
from qddot.simulation.steps import StepFunction

ADAPTIVE: dict[str, type[OdeSolver]] = {"RK45": RK45, "DOP853": DOP853, "Radau": Radau, "BDF": BDF}
IMPLICIT = ("Radau", "BDF")

RateAtTime = Callable[[float, np.ndarray], np.ndarray]  # from t [s] and y to dy/dt
# q, q̇ of the joints, to M and Ṁ q̇
Momentum = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


class CompiledStages:
    """What makes an explicit method of SciPy's take its stages in compiled code.

    Step sizes are controlled as there (E. Hairer, S. Nørsett, G. Wanner, *Solving Ordinary
    Differential Equations I*, §II.4).
    """

    K: np.ndarray  # the stages, one per row

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

    def __init__(
        self, fun: RateAtTime, t0: float, y0: np.ndarray, t_bound: float, step: float
    ) -> None:
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

    def __init__(self, *args: Any, method: StepFunction, **more: Any) -> None:
        super().__init__(*args, **more)
        self.method = method

    def advanced(self, h: float) -> np.ndarray:
        def rate(share: float, y: np.ndarray) -> np.ndarray:
            return self.fun(self.t + share * h, y) if share else self.rate  # known at the start

        return self.method(rate, self.y, h)


class Middle(NamedTuple):
    """What `midpoint.residual` asks of an instant, in floats, and dy/dt and M."""

    rate: np.ndarray
    M: np.ndarray
    momentum: np.ndarray
    momentum_rate: np.ndarray
    xd: np.ndarray  # of all that follows q̇ in what the motion depends on


class Midpoint(FixedStep):
    """Second order, symplectic: energy stays within bounds over runs of any length.

    The rule of `midpoint`, of joints some of which may be held.
    """

    ITERATIONS = 50

    def __init__(
        self, *args: Any, momentum: Momentum, free: np.ndarray, tracked: int, **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self.momentum, self.free, self.tracked = momentum, free, tracked
        self.n = len(free)

    def advanced(self, h: float) -> np.ndarray:
        n, y = self.n, self.y
        M, _ = self.momentum(y[:n], y[n : 2 * n])
        z = np.concatenate([y[:n], M @ y[n : 2 * n], y[2 * n : self.tracked]])
        middle = self._solved(h, z)
        now = self._at(self.t + h / 2, np.concatenate([y[:n] + h / 2 * middle[:n], middle]))
        end = y + h * now.rate
        end[:n], p, _ = midpoint.ended(h, z, middle, now.momentum)
        M, _ = self.momentum(end[:n], middle[:n])
        end[n : 2 * n] = self._velocity(M, np.where(self.free, p, 0.0))
        return end

    def _at(self, t: float, state: np.ndarray) -> Middle:
        n = self.n
        rate = self.fun(t, np.concatenate([state, self.y[self.tracked :]]))
        M, turning = self.momentum(state[:n], state[n : 2 * n])
        rising = M @ rate[n : 2 * n] + turning
        self.last = Middle(rate, M, M @ state[n : 2 * n], rising, rate[2 * n : self.tracked])
        return self.last

    def _velocity(self, M: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Return M⁻¹ p, in which joints that are held have M of 1 and nothing to do with others."""
        return np.linalg.solve(np.where(np.outer(self.free, self.free), M, np.eye(self.n)), p)

    def _solved(self, h: float, z: np.ndarray) -> np.ndarray:
        """Return q̇ and x in the middle of a step; NaN if that does not converge.

        Newton's method with M for the slope, all that a short step leaves of it; where that does
        not converge, with the whole slope.
        """
        n = self.n

        def missing(t: float, middle: np.ndarray) -> np.ndarray:
            off = midpoint.residual(self._at, self.t, h, z, middle)
            return np.concatenate([np.where(self.free, off[:n], middle[:n]), off[n:]])

        def by_mass(middle: np.ndarray, off: np.ndarray) -> np.ndarray:
            return np.concatenate([self._velocity(self.last.M, off[:n]), off[n:]])

        def by_slope(middle: np.ndarray, off: np.ndarray) -> np.ndarray:
            return np.linalg.lstsq(slope(0.0, middle), off)[0]

        slope = sensitivity(missing, self.tracked - n)
        for step_of, near in ((by_mass, 1e-13), (by_slope, 1e-9)):
            middle, last = (self.y + h / 2 * self.rate)[n : self.tracked], np.inf
            for _ in range(self.ITERATIONS):
                off = missing(0.0, middle)
                if not np.isfinite(off).all():
                    break
                step = step_of(middle, off)
                middle = middle - step
                change, size = np.abs(step).max(initial=0), max(1.0, np.abs(middle).max(initial=0))
                # down to rounding, where changes no longer shrink
                if change <= 4e-16 * size or (last < near * size and change >= last):
                    return middle
                if step_of is by_mass and not change < last:
                    break
                last = change
        return np.full_like(z[n:], np.nan)


class Cubic(DenseOutput):
    """The cubic through two states with their rates."""

    def __init__(self, t_old: float, t: float, *ends: np.ndarray) -> None:
        super().__init__(t_old, t)
        self.ends = ends

    def _call_impl(self, t: np.ndarray) -> np.ndarray:
        y0, y1, f0, f1 = (x[:, None] if np.ndim(t) else x for x in self.ends)
        h = self.t - self.t_old
        s = (t - self.t_old) / h
        return cubic_at(s, h, (y0, f0), (y1, f1))[0]


def sensitivity(fun: RateAtTime, tracked: int) -> RateAtTime:
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
