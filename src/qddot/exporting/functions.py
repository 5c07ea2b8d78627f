"""What is exported: programs, under names that any language takes, with a description.

A control law is exported with its reference as inputs, as a controller board has it; a quantity of
a robot with symbols takes their values as its last input, where a language has a place for them.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from qddot.checks import frame_name
from qddot.control.laws.law import NO_STATE, ControlLaw, outputs
from qddot.control.laws.momentum_observer import MomentumObserver
from qddot.control.laws.task_tracking import TaskTracking
from qddot.control.tasks.task_velocity import TaskVelocity
from qddot.errors import BadArgument, NoValues, did_you_mean, listing, printable
from qddot.model.folding import exact, fold
from qddot.motions.setpoint import CommandedReference
from qddot.program.optimise import optimised
from qddot.program.program import Port, Program
from qddot.program.recorder import record
from qddot.robot import Robot
from qddot.robot.functions import CHOICES, WITHOUT_FRAME_TOO
from qddot.robot.quantities import NAMES, OF_A_POSE, Request, definition, state_shapes
from qddot.scalars.expressions import expression
from qddot.spatial.rotation import from_quaternion

WORDS = {
    "inverse_dynamics": "the torques that produce the accelerations qdd",
    "forward_dynamics": "the accelerations that the torques produce",
    "bias_torque": "the torques at zero acceleration",
    "mass_matrix": "the mass matrix M(q)",
    "coriolis_matrix": "the Coriolis matrix C(q, qd), Christoffel's if no other is named",
    "centrifugal_matrix": "the centrifugal matrix C(q), times the squares of qd",
    "coriolis_pairs": "the Coriolis matrix B(q), times the products qd_i qd_j, i < j",
    "velocity_torque": "the centrifugal and Coriolis torques C(q, qd) qd",
    "gravity_torque": "the torques that hold the arm still",
    "friction_torque": "the friction torques",
    "christoffel": "the Christoffel symbols, output index first",
    "mass_matrix_rate": "the time derivative of the mass matrix",
    "regressor": "Y, with Y times the parameters the torques",
    "pose": "the pose of a frame in the base, a homogeneous matrix",
    "jacobian": "the Jacobian of a frame, angular part first",
    "jacobian_rate": "the time derivative of the Jacobian of a frame",
    "kinetic_energy": "the kinetic energy [J]",
    "potential_energy": "the potential energy [J]",
    "center_of_mass": "the centre of mass of what moves [m]",
    "inverse_effective_mass": "J M^-1 J^T at a frame",
    "manipulability": "the manipulability sqrt(det(J J^T)) of a frame",
    "inverse_dynamics_derivatives": "the derivatives of the torques by q and by qd",
    "forward_dynamics_derivatives": "the derivatives of the accelerations by q, qd and tau",
    "inverse_dynamics_second_derivatives": "the second derivatives of the torques, output first",
    "forward_dynamics_second_derivatives": "the second derivatives of the accelerations",
    "inverse_dynamics_product": "how the torques change with q, qd and qdd",
    "inverse_dynamics_transposed_product": "weights times the derivatives of the torques",
    "inverse_dynamics_hessian_product": "how the transposed product changes with q, qd and qdd",
    "forward_dynamics_product": "how the accelerations change with q, qd and tau",
    "forward_dynamics_transposed_product": "weights times the derivatives of the accelerations",
    "forward_dynamics_hessian_product": "how the transposed product changes with q, qd and tau",
    "jacobian_product": "the velocity J qd of a frame, angular part first",
    "jacobian_transposed_product": "the torques J^T f that balance a wrench at a frame",
    "point_motion": "position, velocity and acceleration of a point of a frame",
    "all_terms": "M, c, g and the bias torque; with a frame its pose, J and Jd qd",
    "inverse_kinematics_all": "all joint positions that put a frame at the pose X; NaN where none",
    "dir2dyn": "the accelerations that torques and interaction torques produce",
}
MEANING = {
    "q": "joint positions [rad or m]",
    "qd": "joint velocities [rad/s or m/s]",
    "qdd": "joint accelerations [rad/s^2 or m/s^2]",
    "columns": "what each base parameter of size 1 adds to the torques",
    "rest": "the torques of springs and the Stribeck effect",
    "tau": "joint torques [N m] or forces [N]",
    "u": "[q; qd; tau; tauint]: positions, velocities, torques of the motors and of what touches",
    "p": "the robot's parameters",
    "X": "the pose of a frame in the base, a homogeneous matrix",
    "miss": "the square of how far each solution misses the pose [rad; m in parts of the arm]; up "
    "to 2.5e-25 it is one, up to 1e-10 Newton's method may lead to one from here",
    "margin": "the fourth power of how far each solution is from a singular one; up to 1e-20 a "
    "joint may stand anywhere: it stands at 0, and solutions that need it elsewhere are left out",
    "drift": "Jd qd, the acceleration of the frame while the joints have none [rad/s^2; m/s^2]",
    "t": "time [s]",
    "x": "the law's own state, to be integrated",
    "xd": "the time derivative of the law's own state",
    "applied": "the torques of the actuators, limited or measured [N m] or [N]",
    "position": "the desired position [rad or m]",
    "velocity": "the desired velocity [rad/s or m/s]",
    "acceleration": "the desired acceleration [rad/s^2 or m/s^2]",
}
TASKS_CLOSE = 1e-7  # levels of tasks count by 10⁷ to 1
TEMPLATES = Path(__file__).with_name("templates")
REFERENCE_INPUTS = ("position", "velocity", "acceleration")


@dataclass(frozen=True)
class ExportedFunction:
    """A program under a name, with what it gives in words."""

    name: str
    program: Program
    words: str
    request: Request | None = None  # where it is a quantity of a robot
    symbols: tuple[str, ...] = ()  # behind the entries of its last input p
    # how near its check asks it to come in double precision, relative to the largest entry; a
    # division by a badly conditioned M costs digits, and what may lose more cannot be float32
    close: float = 1e-11

    @property
    def double_only(self) -> bool:
        """Whether float32 cannot hold it: solutions of a pose are right to 5e-13, or are none."""
        of_a_pose = self.request is not None and self.request.quantity in OF_A_POSE
        return of_a_pose or self.close > ExportedFunction.close

    @property
    def operations(self) -> int:
        return len(self.program)

    def inputs(self) -> list[tuple[str, Port]]:
        """The inputs that hold something, under names that any language takes."""
        return [(f"in_{k}" if not _plain(p.name) else p.name, p) for k, p in self._some("inputs")]

    def outputs(self) -> list[tuple[str, Port]]:
        taken = {name for name, _ in self.inputs()}
        return [
            (p.name if _plain(p.name) and p.name not in taken else f"out_{k}", p)
            for k, p in self._some("outputs")
        ]

    def _some(self, which: str) -> list[tuple[int, Port]]:
        return [(k, p) for k, p in enumerate(getattr(self.program, which)) if p.size]

    def examples(
        self, states: int, dtype: Any = np.float64
    ) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Return random inputs, and the outputs that belong to them, one row per state.

        The same ones every time, in the type that they will be given in; symbols are near 1.
        """
        rng, program = np.random.default_rng(0), self.program
        given = [
            random_poses(rng, states)
            if port.shape == (4, 4)
            else rng.uniform(-1.5, 1.5, (states, *port.shape))
            for port in program.inputs
        ]
        if self.symbols:
            given[-1] = 1 + given[-1] / 3
        given = [x.astype(dtype) for x in given]
        with np.errstate(all="ignore"):
            found = program(*(x.astype(float) for x in given))
        right = found if isinstance(found, tuple) else (found,)
        # a program without inputs gives one row for all states
        rows = zip(program.outputs, right, strict=True)
        return given, [np.broadcast_to(x, (states, *port.shape)) for port, x in rows]


def random_poses(rng: np.random.Generator, count: int) -> np.ndarray:
    """Return poses within half a metre, as homogeneous matrices (count, 4, 4)."""
    X = np.tile(np.eye(4), (count, 1, 1))
    X[:, :3, :3] = [from_quaternion(tuple(row)) for row in rng.normal(size=(count, 4))]
    X[:, :3, 3] = rng.uniform(-0.5, 0.5, (count, 3))
    return X


def functions(
    robot: Robot, wanted: Iterable[Any], with_symbols: bool = False
) -> list[ExportedFunction]:
    """Return what is wanted of a robot: names like "mass_matrix" or "jacobian:tool:local", and
    programs, or what has one as `.program`, under the names they have.
    """
    if robot.symbols and not with_symbols:
        raise NoValues(robot.name, robot.symbols, "robot.with_values({}=1.0, ...)")
    found = [_named(robot, x) if isinstance(x, str) else _recorded(x) for x in wanted]
    if not found:
        raise BadArgument("Name at least one function, like inverse_dynamics.")
    names = [function.name for function in found]
    if double := next((name for name in names if names.count(name) > 1), None):
        raise BadArgument(f"{double} is named twice, or two functions would have that name.")
    if empty := next((f.name for f in found if not f.outputs()), None):
        raise BadArgument(f"{empty} of {robot.name!r} has no entries: there is nothing to compute.")
    return found


def _named(robot: Robot, text: str) -> ExportedFunction:
    quantity, *more = text.split(":")
    known = (*NAMES, *OF_A_POSE, "dir2dyn")
    if quantity not in known:
        raise BadArgument(
            f"There is no function {printable(quantity)!r}.{did_you_mean(quantity, known)}\n"
            f"  There are: {listing(known)}."
        )
    choices = CHOICES.get(quantity, ())
    lacks_frame = "frame" in choices and not more and quantity not in WITHOUT_FRAME_TOO
    if len(more) > len(choices) or lacks_frame:
        frame = robot.tip
        form = f"{quantity}:{frame}" if "frame" in choices else quantity
        raise BadArgument(f"{printable(text)!r} is not of the form {printable(form)}.")
    chosen: dict[str, Any] = dict(zip(choices, more, strict=False))
    if quantity == "dir2dyn":
        program = from_one_vector(robot, quantity_program(robot, "forward_dynamics"))
    else:
        program = quantity_program(robot, quantity, **chosen)
    name = identifier("_".join([quantity, *more]))
    at = f", {printable(': '.join(more))}" if more else ""
    request = Request(quantity, **chosen)
    return ExportedFunction(name, program, WORDS[quantity] + at, request, robot.symbols)


def quantity_program(robot: Robot, quantity: str, **choices: Any) -> Program:
    """Return the program of a quantity; of a robot with symbols, their values p are an input."""
    if not robot.symbols:
        return robot.program(quantity, **choices)
    if "frame" in choices:
        frame_name(robot, choices["frame"])
    try:
        inputs, function = definition(Request(quantity, **choices))
    except KeyError:
        raise BadArgument(
            f"{quantity} is exported for numbers, and {robot.name!r} has symbols.\n"
            f"  Leave it out, or give {listing(robot.symbols)} values: --set, robot.with_values."
        ) from None
    tree = fold(robot.model, exact)
    shapes = state_shapes(tree, *inputs) | {"p": (len(robot.symbols),)}

    def with_parameters(*arrays: Any) -> Any:
        *state, p = arrays
        values = dict(zip(robot.symbols, p, strict=True))
        return function(tree.map(lambda x: expression(x).evaluate(values)), *state)

    return optimised(record(with_parameters, quantity, **shapes))


def from_one_vector(robot: Robot, forward: Program) -> Program:
    """Return forward dynamics of one vector u = [q; q̇; τ; τ_int], as a block of Simulink has it.

    τ_int are the torques of interaction, Jᵀ f_ext.
    """
    n, at = robot.n, np.cumsum([robot.nq, robot.n, robot.n])
    shapes = {"u": (robot.nq + 3 * n,)} | ({"p": (len(robot.symbols),)} if robot.symbols else {})

    def dir2dyn(u: Any, *p: Any) -> Any:
        q, qd, tau, interaction = np.split(u, at)
        return forward.pack(
            forward.results_at([*q, *qd, *(tau + interaction), *(p[0] if p else [])])
        )

    return optimised(record(dir2dyn, "dir2dyn", **shapes))


def _recorded(x: Any) -> ExportedFunction:
    if isinstance(x, TaskVelocity):
        names = ", ".join(task.name for task in x.tasks)
        words = f"the joint velocities for the tasks {names}, within limits"
        return ExportedFunction("task_velocity", x.program, words, close=TASKS_CLOSE)
    if isinstance(x, ControlLaw):
        close = TASKS_CLOSE if isinstance(x, TaskTracking) else ExportedFunction.close
        words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", type(x).__name__)
        return ExportedFunction(
            identifier(words), commanded(x), f"the torques of {type(x).__name__}", close=close
        )
    program = getattr(x, "program", x)
    if not isinstance(program, Program):
        raise BadArgument(
            f"{x!r} is no function: give a name, a recorded program or a control law."
        )
    return ExportedFunction(identifier(program.name), program, "what was recorded")


def template(name: str, **marks: str) -> str:
    """Return a text of `templates/`, each mark such as @stem@ replaced by what is given for it."""
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    for mark, content in marks.items():
        text = text.replace(f"@{mark}@", content)
    return text


def identifier(name: str, otherwise: str = "recorded") -> str:
    """Return a name as any language takes it: letters, digits and _ only, no word of its own."""
    plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()[:60]
    if not plain or plain[0].isdigit():
        plain = f"{otherwise}_{plain}".rstrip("_")
    kept = keyword.iskeyword(plain) or plain in RESERVED or plain in C_HEADERS
    return f"{plain}_" if kept else plain


def _plain(name: str) -> bool:
    """Say whether a name can stand in source as it is; t1, r1, in_1 ... are the source's own."""
    plain = re.fullmatch(r"[a-z][a-z0-9_]{0,30}", name) and name not in RESERVED
    return bool(plain) and not re.fullmatch(r"[tr]\d+[scar]?|(in|out)_\d+|qddot_.*", name)


# a file of ours with the name of one of these would be taken for it
C_HEADERS = frozenset(
    {
        *("complex", "ctype", "fenv", "inttypes", "iso646", "limits", "locale", "setjmp"),
        *("signal", "stdalign", "stdarg", "stdatomic", "stdbool", "stddef", "stdint", "stdlib"),
        *("string", "tgmath", "threads", "time", "uchar", "wchar", "wctype", "stdnoreturn"),
    }
)
# words of C, C++ and MATLAB that a name cannot be, and names that source, headers and CMake use
RESERVED = frozenset(
    {
        *("auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else"),
        *("enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register"),
        *("restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch"),
        *("typedef", "union", "unsigned", "void", "volatile", "while"),
        *("alignas", "alignof", "and", "asm", "bitand", "bitor", "bool", "catch", "class", "compl"),
        *("concept", "constexpr", "decltype", "delete", "explicit", "export", "false", "friend"),
        *("linux", "mutable", "namespace", "new", "noexcept", "not", "nullptr", "operator", "or"),
        *("private", "protected", "public", "requires", "template", "this", "throw", "true", "try"),
        *("and_eq", "char8_t", "char16_t", "char32_t", "consteval", "constinit", "const_cast"),
        *("co_await", "co_return", "co_yield", "dynamic_cast", "not_eq", "or_eq", "std", "xor_eq"),
        *("reinterpret_cast", "static_assert", "static_cast", "thread_local", "errno", "assert"),
        *("typeid", "typename", "typeof", "unix", "using", "virtual", "wchar_t", "xor"),
        *("all", "clean", "features", "help", "install", "math", "package", "stdio", "test"),
        *("real", "main", "sin", "cos", "sqrt", "exp", "log", "tanh", "fabs", "count", "state"),
        *("elseif", "end", "function", "global", "methods", "otherwise", "parfor", "persistent"),
        *("spmd", "properties", "abs", "sign", "numel", "reshape", "error", "isnumeric", "isreal"),
        *("atan2", "check", "floor"),
    }
)


def commanded(law: ControlLaw) -> Program:
    """Return a law whose reference is an input: position, velocity and acceleration.

    Its inputs are t, q, qd, where it has a state x, of an observer the torques that were applied,
    then these three, whatever reference the law was made with; its outputs tau, and xd.
    """
    reference: Any = getattr(law, "reference", None)
    told_where = callable(getattr(reference, "at", None))
    motion = reference.at(0.0) if told_where else ()
    wanted = {name: (len(part),) for name, part in zip(REFERENCE_INPUTS, motion, strict=False)}
    more = {"applied": (law.robot.n,)} if isinstance(law, MomentumObserver) else {}
    shapes = law.inputs | more | wanted

    def define(*given: Any) -> dict[str, Any]:
        inputs = dict(zip(shapes, given, strict=True))
        told = law
        if wanted:
            motion = inputs["position"], inputs["velocity"], inputs["acceleration"]
            told = law.following(CommandedReference(motion, len(motion[1])))
        state = [inputs[name] for name in law.inputs] + ([] if len(law.x0) else [NO_STATE])
        if not isinstance(told, MomentumObserver):
            return outputs(told, *state)
        t, q, qd, x = state
        tau, xd = told.observed(t, q, qd, x, inputs["applied"])
        return {"tau": tau, "xd": xd}

    return optimised(record(define, type(law).__name__, **shapes))
