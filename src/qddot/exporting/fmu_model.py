"""What an FMU computes: the motion of a robot whose payload, friction and gravity are parameters.

The equation is that of `simulation`, with the joints that are held, and the directions in which
others rub, as inputs: between events the motion is smooth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from qddot.backends.source import block_functions
from qddot.checks import need_joints
from qddot.errors import NoValues
from qddot.exporting.c_files import definition, signature
from qddot.exporting.c_prelude import CNumber, helpers
from qddot.exporting.functions import ExportedFunction
from qddot.model.friction import LINEAR
from qddot.model.limits import without_stops
from qddot.model.tree import BASE, Tree
from qddot.program.differentiate import tangent
from qddot.program.optimise import optimised
from qddot.program.program import Program
from qddot.program.recorder import record
from qddot.robot import Robot
from qddot.scalars import Scalar
from qddot.simulation.acting import Forces
from qddot.simulation.equation import Instant
from qddot.simulation.varied import GRAVITY, varied_tree
from qddot.spatial.inertia import NAMES, Inertia, symmetric
from qddot.spatial.vector import vector

PAYLOAD = {  # its numbers in the frame that carries it, with their units
    "m": "kg",
    **dict.fromkeys(("x", "y", "z"), "m"),
    **dict.fromkeys(("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz"), "kg·m²"),
}


@dataclass(frozen=True)
class FmuParameter:
    """A number that can be changed: its name, unit and value, and what it is."""

    name: str
    unit: str
    start: float
    words: str
    least: float = -math.inf


@dataclass(frozen=True)
class FmuModel:
    """A robot as an FMU has it."""

    robot: Robot

    def __post_init__(self) -> None:
        robot = self.robot
        if robot.symbols:
            raise NoValues(robot.name, robot.symbols, "robot.with_values({}=1.0, ...)")
        robot.model.need_single_numbers("An FMU")
        need_joints(robot, "there is no motion")

    @property
    def frame(self) -> str:
        """The frame that carries the payload."""
        return self.robot.tip

    @property
    def carries(self) -> bool:
        """Whether that frame moves."""
        return self.robot.tree.frames[self.frame][0] != BASE

    @cached_property
    def lost(self) -> tuple[str, ...]:
        """What of the robot an FMU cannot hold, or holds otherwise."""
        tree, found = self.robot.tree, []
        if not self.carries:
            found.append(f"no payload is a parameter: its tip, {self.frame!r}, stands still")
        if any(friction.static is not None for friction in tree.friction):
            found.append("static friction and the Stribeck velocity are no parameters: they stay")
        if any(shaft.friction.is_dry for shaft in tree.shared):
            found.append("dry friction of motors that joints share creeps, as in simulate")
        if left_out := without_stops(self.robot.model, "an FMU"):
            found.append(f"{left_out}; its parameter `stops` is of the limits of position")
        return tuple(found)

    @cached_property
    def parameters(self) -> tuple[FmuParameter, ...]:
        """What can be changed."""
        model = self.robot.model
        found = [
            FmuParameter(name, "m/s²", float(g), "gravity in base axes")
            for name, g in zip(GRAVITY, model.gravity, strict=True)
        ]
        if self.carries:
            words = f"of a payload at frame {self.frame}, in its axes; inertia about the centre"
            found += [
                FmuParameter(f"payload.{p}", u, 0.0, words, 0.0 if p == "m" else -math.inf)
                for p, u in PAYLOAD.items()
            ]
        for joint, friction in zip(model.free_joints, self.robot.tree.friction, strict=True):
            for p in LINEAR:
                value = float(getattr(friction, p.name))
                if value or p.offered:
                    unit = getattr(joint.units, p.unit)
                    least = 0.0 if p.resists else -math.inf
                    name = f"{joint.name}.{p.name}"
                    found.append(FmuParameter(name, unit, value, p.meaning, least))
        return tuple(found)

    def tree(self, values: Sequence[Scalar]) -> Tree:
        """Return the robot with values of the parameters, in their order."""
        given = {p.name: x for p, x in zip(self.parameters, values, strict=True)}
        columns = {p.name: p.column for p in LINEAR}
        named = {}
        for name, x in given.items():
            joint, _, p = name.rpartition(".")
            if p in columns and joint in self.robot.joint_names:
                named[f"{joint}.{columns[p]}"] = x
        named |= {name: given[name] for name in GRAVITY}
        return varied_tree(self.robot.model, named | self._loaded(given))

    def _loaded(self, given: Mapping[str, Scalar]) -> dict[str, Scalar]:
        """Return the inertia of the body that carries the payload, with it."""
        if not self.carries:
            return {}
        m, x, y, z, *second = (given[f"payload.{p}"] for p in PAYLOAD)
        load = Inertia.about_com(m, vector([x, y, z]), symmetric(second))
        index, X_BF = self.robot.tree.frames[self.frame]
        body = self.robot.tree.bodies[index]
        whole = (body.inertia + load.seen_from(X_BF)).parameters
        return {f"{body.name}.{p}": number for p, number in zip(NAMES, whole, strict=True)}

    # the programs

    @property
    def forces(self) -> Forces:
        """What acts: torques, cut off at the limits of effort."""
        effort = tuple(self.robot.limits.effort.tolist())
        return Forces(driven=True, switched=True, effort=effort)

    def _recorded(self, name: str, outputs: Sequence[str]) -> Program:
        n = self.robot.n
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("q", "qd", "tau"), (n,))
        shapes |= {"direction": (n,), "free": (n,), "p": (len(self.parameters),)}

        def function(q: Any, qd: Any, tau: Any, direction: Any, free: Any, p: Any) -> Any:
            given = {"q": q, "qd": qd, "tau": tau, "direction": direction, "free": free, "x": []}
            now = Instant(self.tree(p), self.forces, given)
            grip = vector([friction.grip[1] for friction in now.tree.friction])
            return {key: grip if key == "grip" else getattr(now, key) for key in outputs}

        return optimised(record(function, name, **shapes))

    @cached_property
    def programs(self) -> dict[str, Program]:
        """What is compiled, by name."""
        rate = self._recorded("rate", ["qdd"])

        def grip(p: Any) -> Any:
            return vector([friction.grip[1] for friction in self.tree(p).friction])

        return {
            "model_rate": rate,
            "model_full": self._recorded("full", ["qdd", "M", "reaction", "grip"]),
            "model_grip": optimised(record(grip, "grip", p=(len(self.parameters),))),
            "model_tangent": optimised(tangent(rate, ["q", "qd", "tau", "p"])),
        }

    # the sources

    def header(self, token: str) -> str:
        """Return model.h."""
        number = CNumber()
        declared = "\n".join(f"{signature(f, number)};" for f in self._functions())
        return (
            "/* The motion of one robot, with its parameters; sizes and functions. */\n"
            "#ifndef MODEL_H\n#define MODEL_H\n\n"
            f"#define JOINTS {self.robot.n}\n#define PARAMETERS {len(self.parameters)}\n"
            f'#define MODEL_TOKEN "{token}"\n\n'
            "extern const double model_q[JOINTS], model_qd[JOINTS]; /* at the start */\n"
            "extern const double model_lower[JOINTS], model_upper[JOINTS];\n"
            "extern const double model_parameters[PARAMETERS], model_least[PARAMETERS];\n\n"
            f"{declared}\n\n#endif\n"
        )

    def source(self) -> str:
        """Return model.c."""
        number, blocks = CNumber(), {}
        definitions = []
        for function in self._functions():
            blocks |= block_functions(function.program, number.dialect())
            definitions.append(definition(signature(function, number), function, number))
        bodies = "\n".join([*blocks.values(), *definitions])
        limits, rows = self.robot.limits, {}
        rows["model_q[JOINTS]"], rows["model_qd[JOINTS]"] = self.robot.start.q, self.robot.start.qd
        rows["model_lower[JOINTS]"], rows["model_upper[JOINTS]"] = limits.lower, limits.upper
        rows["model_parameters[PARAMETERS]"] = [p.start for p in self.parameters]
        rows["model_least[PARAMETERS]"] = [p.least for p in self.parameters]
        tables = "".join(
            f"const double {name} = {{{', '.join(number.literal(float(x)) for x in row)}}};\n"
            for name, row in rows.items()
        )
        begin = '#include "model.h"\n\n#include <math.h>\n'
        return f"{begin}\n{tables}\n{helpers(number, bodies)}{bodies}"

    def _functions(self) -> list[ExportedFunction]:
        return [ExportedFunction(name, program, "") for name, program in self.programs.items()]
