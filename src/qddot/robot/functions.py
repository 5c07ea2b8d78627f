"""A robot's quantities on another backend: the same names, the same arguments, the same shapes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from qddot.errors import BadArgument, did_you_mean
from qddot.program.program import Program
from qddot.robot.loading import robot_of
from qddot.robot.quantities import NAMES, Request
from qddot.robot.robot import Robot

# what stands behind the arrays, in a robot's own methods too
CHOICES = {
    "pose": ("frame",),
    "point_motion": ("frame",),
    "jacobian": ("frame", "axes"),
    "jacobian_rate": ("frame", "axes"),
    "inverse_effective_mass": ("frame", "axes"),
}


class Functions:
    """A robot's quantities, each lowered when it is first called.

    What is asked by name is a function of arrays, and of frames where a robot's method is:

        functions.inverse_dynamics(q, qd, qdd)      functions.jacobian(q, "tool", axes="local")
        functions.forward_dynamics(q, qd, tau, wrenches={"tool": f})
    """

    def __init__(
        self,
        robot: Robot | str | Path,
        lower: Callable[[Program], Callable[..., Any]],
        where: str,
    ):
        robot = robot_of(robot)
        if robot.symbols:
            raise BadArgument(
                f"{robot.name} has symbols without a value: {', '.join(robot.symbols)}.\n"
                f"  Give each one: robot.with_values({robot.symbols[0]}=1.0, ...)"
            )
        self.robot = robot
        self._lower, self._where = lower, where
        self._lowered: dict[Request, Callable[..., Any]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What is lowered stays behind when it is copied or sent to another process."""
        return self.__dict__ | {"_lowered": {}}

    def __dir__(self) -> list[str]:
        return ["robot", "lowered", *NAMES]

    def __repr__(self) -> str:
        return f"<{self.robot.name!r} on {self._where}: {', '.join(NAMES)}>"

    def __getattr__(self, quantity: str) -> Callable[..., Any]:
        if quantity.startswith("_"):  # asked before there is anything, when it is copied
            raise AttributeError(quantity)
        if quantity not in NAMES:
            near = did_you_mean(quantity, NAMES)
            raise AttributeError(f"A robot on {self._where} has no {quantity!r}.{near}")

        def function(*arguments: Any, **more: Any) -> Any:
            return self._call(quantity, *arguments, **more)

        function.__name__ = quantity
        function.__doc__ = getattr(Robot, quantity, function).__doc__
        return function

    def lowered(self, quantity: str, **choices: Any) -> Callable[..., Any]:
        """Return a quantity as what the backend makes of its program, made once.

        Args:
            quantity: "inverse_dynamics", "mass_matrix", ...
            choices: `frame`, `axes`, `wrenches` (names of frames), `base_moves`.
        """
        self.prepare(quantity, **choices)
        return self._lowered[Request(quantity, **choices)]

    def prepare(self, quantity: str, **choices: Any) -> bool:
        """Lower a quantity, if that was not done before."""
        request = Request(quantity, **choices)
        if request not in self._lowered:
            self._lowered[request] = self._lower(self.robot.program(quantity, **choices))
        return True

    def _call(
        self,
        quantity: str,
        *arguments: Any,
        wrenches: Any = None,
        base_motion: Any = None,
        **choices: Any,
    ) -> Any:
        arrays = [x for x in arguments if not isinstance(x, str)]
        words = [x for x in arguments if isinstance(x, str)]
        names = CHOICES.get(quantity, ())
        choices |= dict(zip(names, words, strict=False))
        if len(words) > len(names) or not choices.keys() <= set(names):
            extra = [*words[len(names) :], *(choices.keys() - set(names))]
            raise BadArgument(f"{quantity} takes no {extra[0]!r}.")
        if names and "frame" not in choices:
            raise BadArgument(f"{quantity} needs a frame: {quantity}(..., {self._tip!r}).")
        # what shape these have is the backend's to check: arrays differ between them
        by_frame, motion = dict(wrenches or {}), () if base_motion is None else tuple(base_motion)
        if by_frame or motion:
            choices |= {"wrenches": tuple(by_frame), "base_moves": bool(motion)}
        return self.lowered(quantity, **choices)(*arrays, *by_frame.values(), *motion)

    @property
    def _tip(self) -> str:
        return self.robot.frame_names[-1]
