"""A model and the kernels that are compiled from it, each when it is first asked for.

A method with a compiled short cut says which kernel is to be called with which arrays. When it is
looked up on a robot, a builtin function is put in front of it. Called with exactly one state, that
records and compiles the program behind the quantity, once for each choice (of a frame, axes, which
wrenches act); from then on such calls never enter Python code, and everything else (lists, batches,
mistakes) arrives at the method as written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from inspect import getattr_static
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

import numpy as np

from qddot.backends.call_layout import KernelCall
from qddot.backends.fastcall import make_fastcall
from qddot.backends.kernel import Kernel
from qddot.backends.threads import available_threads
from qddot.checks import frame_name, one_of, whole
from qddot.dynamics.kinematics import AXES
from qddot.dynamics.manipulability import ROWS
from qddot.errors import UnknownName, WrongShape, WrongValue
from qddot.model import Model
from qddot.model.arguments import loads, sign_on
from qddot.program.ports import wrong_shape
from qddot.program.program import Port, Program
from qddot.progress import message_if_slow
from qddot.robot.described import Described
from qddot.robot.quantities import (
    NAMES,
    OF_A_POSE,
    OF_PARTS,
    OF_SHAPE,
    Request,
    coriolis_form_name,
    program_for,
    results_of,
)

MethodArguments = ParamSpec("MethodArguments")
MethodResult = TypeVar("MethodResult")
DTYPES = ("float64", "float32")


@dataclass(frozen=True, repr=False)
class Kernels(Described):
    """A model, its programs and its kernels."""

    model: Model
    threads: int = 0  # 0: as many as there are cores
    dtype: str = "float64"

    def with_options(self, *, threads: int | None = None, dtype: str | None = None) -> Self:
        """Return the robot with other kernels.

        Args:
            threads: How many threads a large batch may use; 0 means one a core.
            dtype: "float64" or "float32".
        """
        known = {name: name for name in DTYPES} | {np.dtype(x): x for x in DTYPES}
        known |= {np.float64: "float64", np.float32: "float32", float: "float64"}
        if dtype is not None and dtype not in known:
            raise WrongValue("dtype", f"is {dtype!r}", "it must be 'float64' or 'float32'")
        if threads is not None:
            threads = whole("threads", threads, wanted="a whole number, 0 for all cores")
        return replace(
            self,
            threads=self.threads if threads is None else threads,
            dtype=self.dtype if dtype is None else known[dtype],
        )

    def program(self, quantity: str, **choices: Any) -> Program:
        """Return the program behind a quantity: to read, to count, to save, to lower elsewhere.

        Args:
            quantity: The name of a method: "inverse_dynamics", "mass_matrix", "jacobian", ...
            choices: What that method chooses by: `frame`, `axes`, `wrenches` (names of frames),
                `reaction`, `disturbed`, `base_moves`, `form`, of derivatives `few_at_once`, of
                inverse kinematics `within_limits` and `free` (names of joints).
        """
        if quantity not in (*NAMES, *OF_A_POSE):
            raise UnknownName("quantity", quantity, self.name, (*NAMES, *OF_A_POSE))
        for frame in (choices.get("frame"), *choices.get("wrenches", ())):
            if frame is not None:
                frame_name(self, frame)
        of_masses = ("all", "linear") if quantity == "inverse_effective_mass" else ()
        known = tuple(ROWS) if quantity in OF_PARTS else (*AXES, *of_masses)
        one_of("axes", choices.get("axes", known[0]), known)
        if "form" in choices:
            coriolis_form_name(choices["form"])
        for names in {"wrenches", "free"} & choices.keys():
            choices[names] = tuple(choices[names])
        return self._program(Request(quantity, **choices))

    def _program(self, request: Request) -> Program:
        whose = self._shape_alone if request.quantity in OF_SHAPE else self
        return self.cached("program", request, lambda: program_for(whose.tree, request))

    def _kernel(self, *choices: Any, **more: Any) -> Kernel:
        request = Request(*choices, **more)
        if request not in self._cache:
            with message_if_slow(f"recording {request.quantity} of {self.name}"):
                program = self._program(request)
            threads = self.threads or available_threads()
            self._cache[request] = Kernel(
                program,
                np.dtype(self.dtype),
                threads,
                self._refuse,
                results_of(request),
                self._otherwise(request),
            )
        return self._cache[request]

    def _otherwise(self, request: Request) -> Callable[..., Any] | None:
        """Return what gives a quantity where its program says that it cannot."""
        return None

    def _loaded(
        self,
        quantity: str,
        arrays: tuple,
        wrenches: Any,
        wrenches_on: str,
        axes: str,
        disturbance: Any,
        base_motion: Any,
        out: Any,
    ) -> np.ndarray:
        reaction = sign_on(wrenches_on) < 0
        one_of("axes", axes, AXES)
        if wrenches is None and disturbance is None and base_motion is None:
            return self._kernel(quantity).asked(*arrays, out=out)
        by_frame, motion = loads(wrenches, "robot", base_motion)
        kernel = self._kernel(
            quantity,
            wrenches=tuple(frame_name(self, name) for name in by_frame),
            axes=axes if by_frame else "world",
            reaction=reaction and bool(by_frame),
            disturbed=disturbance is not None,
            base_moves=bool(motion),
        )
        more = (*by_frame.values(), *(() if disturbance is None else (disturbance,)), *motion)
        return kernel.asked(*arrays, *more, out=out)

    def _refuse(self, port: Port, shape: tuple[int, ...]) -> Exception:
        if port.name in ("X", "given"):
            return wrong_shape(port, shape)
        names = self.model.position_names if port.name == "q" else self.joint_names
        if port.shape != (len(names),):  # of a wrench
            return wrong_shape(port, shape)
        return WrongShape(port.name, shape, self.name, names)


class compiled(Generic[MethodArguments, MethodResult]):
    """Decorates a method that returns `kernel.asked(...)`, or a result where there is no kernel."""

    def __init__(self, method: Callable[Concatenate[Any, MethodArguments], MethodResult]):
        @wraps(method)
        def general(*args: Any, **kwargs: Any) -> Any:
            call = method(*args, **kwargs)
            return call() if isinstance(call, KernelCall) else call

        self.method, self.general = method, general
        self.__doc__ = method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(
        self, whose: None, owner: type
    ) -> Callable[Concatenate[Any, MethodArguments], MethodResult]: ...
    @overload
    def __get__(self, whose: object, owner: type) -> Callable[MethodArguments, MethodResult]: ...
    def __get__(self, whose: Any, owner: type | None = None) -> Any:
        if whose is None:
            return self.general
        # a subclass that has a method of this name reaches here through super()
        hidden = getattr_static(type(whose), self.name) is not self
        place = f"super().{self.name}" if hidden else self.name
        if place in whose.__dict__:
            return whose.__dict__[place]
        general, asked = (MethodType(f, whose) for f in (self.general, self.method))
        # an attribute of the object that has its name hides this descriptor from now on
        whose.__dict__[place] = short_cut = make_fastcall(self.name, general, asked)
        return short_cut


def asked_of(robot: Any, quantity: str, *args: Any, **kwargs: Any) -> Any:
    """Return what a method of a robot asks a kernel for, or its result if it asks none."""
    method = getattr_static(type(robot), quantity)
    return getattr(method, "method", method)(robot, *args, **kwargs)
