"""The laws of a ROS 2 controller, with gains as inputs, and what its C++ has to know of the arm.

Every law is one function of the same form, τ(t, q, q̇, q_d, q̇_d, q̈_d, kp, kd), so that the
controller changes from one to another by a pointer. Names of joints stand in C++ as texts only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from qddot.control.laws.feedback import JointLaw, potential_torque
from qddot.control.laws.gains import DAMP
from qddot.control.laws.law import ControlLaw
from qddot.control.spec import named_law
from qddot.dynamics.friction import friction_torque
from qddot.dynamics.regroup import regrouped
from qddot.dynamics.rnea import elastic_torque, gravity_torque
from qddot.errors import BadArgument, printable
from qddot.exporting.cpp_support import literal_text
from qddot.exporting.functions import REFERENCE_INPUTS, ExportedFunction, commanded, functions
from qddot.program.optimise import optimised
from qddot.program.recorder import record
from qddot.robot import Robot

USUAL_LAWS = ("computed_torque", "joint_impedance")
GRAVITY = "gravity_compensation"
GAINS = ("kp", "kd")
MOST = 100  # times what suits the arm: what a gain may be set to


@dataclass(frozen=True)
class RosLaw:
    """A law by its name, its function, and its gains: set at first, and at most; (n,) each."""

    name: str
    function: ExportedFunction
    kp: np.ndarray
    kd: np.ndarray
    largest_kp: np.ndarray
    largest_kd: np.ndarray


def ros_laws(robot: Robot, wanted: Iterable[Any]) -> list[RosLaw]:
    """Return gravity compensation and the laws among what is wanted; the usual ones if none are."""
    chosen = [x for x in wanted if isinstance(x, ControlLaw)]
    laws = [gravity_compensation(robot)]
    for law in chosen or [named_law(name, robot) for name in USUAL_LAWS]:
        laws.append(joint_law(robot, law))
    names = [law.name for law in laws]
    if double := next((name for name in names if names.count(name) > 1), None):
        raise BadArgument(f"The law {double} is given twice.")
    return laws


def joint_law(robot: Robot, law: ControlLaw) -> RosLaw:
    """Return a law of the joints with its gains as inputs.

    Raises:
        BadArgument: If it is of another robot or of a frame, has a state, or gains that are not
            one number per joint.
    """
    name = type(law).__name__
    if law.robot.joint_names != robot.joint_names:
        raise BadArgument(f"{name} is not of robot {printable(robot.name)!r}.")
    if not isinstance(law, JointLaw) or law.gain_names != GAINS or len(law.x0):
        raise BadArgument(
            f"The controller of ROS 2 takes laws of the joints with gains kp and kd and no state "
            f"of their own, and {name} is none.\n"
            "  Take computed_torque, joint_impedance or pd_gravity; for others, target='cpp'."
        )
    kp, kd = (np.diag(np.asarray(x, dtype=float)) for x in (law.kp, law.kd))
    if not (np.array_equal(np.diag(kp), law.kp) and np.array_equal(np.diag(kd), law.kd)):
        raise BadArgument(f"The gains of {name} must be one number per joint for ROS 2.")
    kp, kd = rounded(kp), rounded(kd)
    function = ExportedFunction(law.kind, commanded(law, GAINS), f"the torques of {name}")
    return RosLaw(law.kind, function, kp, kd, rounded(MOST * kp), rounded(MOST * kd))


def gravity_compensation(robot: Robot) -> RosLaw:
    """Return τ = g(q) + springs − kd q̇: the arm floats; kp must be 0, kd is 0 at first."""
    tree, n = regrouped(robot.tree), robot.n

    def define(t: Any, q: Any, qd: Any, *given: Any) -> dict[str, Any]:
        return {"tau": potential_torque(tree, q) - given[-1] * qd}

    shapes = {"t": (), "q": (n,), "qd": (n,)}
    shapes |= dict.fromkeys((*REFERENCE_INPUTS, *GAINS), (n,))
    words = "the torques that hold the arm, less a damping"
    function = ExportedFunction(GRAVITY, optimised(record(define, GRAVITY, **shapes)), words)
    none, most = np.zeros(n), MOST * DAMP * np.diag(robot.mass_matrix(robot.home))
    return RosLaw(GRAVITY, function, none, none, none, rounded(most))


def solver_functions(robot: Robot) -> list[ExportedFunction]:
    """Return what a plugin of inverse_dynamics_solver computes; the parts of inverse dynamics."""
    tree, short, still = robot.tree, regrouped(robot.tree), np.zeros(robot.n, dtype=int)

    def holding_torque(q: Any) -> Any:
        return gravity_torque(short, q) + elastic_torque(tree, q, still)

    def resisting_torque(qd: Any) -> Any:
        dampers = elastic_torque(tree, still, qd) - elastic_torque(tree, still, still)
        return friction_torque(tree, qd) + dampers

    made = [
        (holding_torque, "q", "the torques that hold gravity and springs"),
        (resisting_torque, "qd", "the torques of friction and dampers"),
    ]
    return functions(robot, ["mass_matrix", "velocity_torque"]) + [
        ExportedFunction(f.__name__, optimised(record(f, f.__name__, **{x: (robot.n,)})), words)
        for f, x, words in made
    ]


def rounded(x: np.ndarray) -> np.ndarray:
    """Return gains with four digits, as people read them."""
    return np.array([float(f"{value:.4g}") for value in x])


def model_header(robot: Robot, package: str, stem: str, laws: Sequence[RosLaw]) -> str:
    """Return model.hpp: names, limits and laws of the arm."""
    limits, n = robot.limits, robot.n
    tables = {
        "LOWEST": (limits.lower, "positions [rad or m]"),
        "HIGHEST": (limits.upper, "positions [rad or m]"),
        "LARGEST_VELOCITY": (limits.velocity, "[rad/s or m/s]"),
        "LARGEST_EFFORT": (limits.effort, "[N m or N]"),
    }
    numbers = "\n".join(
        f"inline constexpr Joints {name} = {_array(x)};  ///< {unit}"
        for name, (x, unit) in tables.items()
    )
    in_xml = ", ".join(
        literal_text(escape(name, {'"': "&quot;", "'": "&apos;"})) for name in robot.joint_names
    )
    rows = ",\n".join(
        f'    {{"{law.name}", &model::{law.name}<double>,\n     {_array(law.kp)},\n     '
        f"{_array(law.kd)},\n     {_array(law.largest_kp)},\n     {_array(law.largest_kd)}}}"
        for law in laws
    )
    return f"""/// What the controller knows of the arm. Infinite: no limit.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string_view>

#include "{package}/{stem}.hpp"

namespace {package} {{

namespace model = qddot::{stem};

inline constexpr std::size_t JOINTS = {n};
inline constexpr auto JOINT_NAMES = model::JOINT_NAMES;
/// As they stand in a URDF file, between quotes.
inline constexpr std::array<std::string_view, JOINTS> JOINT_NAMES_IN_XML = {{{in_xml}}};

using Joints = std::array<double, JOINTS>;  ///< one number per joint
inline constexpr double UNLIMITED = std::numeric_limits<double>::infinity();

{numbers}

/// A law by its name, with its gains: set at first, and at most.
struct Law {{
  std::string_view name;
  /// t, q, qd, position, velocity, acceleration, kp, kd; and the efforts that it asks for.
  void (*torques)(const double*, const double*, const double*, const double*, const double*,
                  const double*, const double*, const double*, double*) noexcept;
  Joints kp, kd, largest_kp, largest_kd;
}};

/// The first is taken if none is named.
inline constexpr std::array<Law, {len(laws)}> LAWS = {{{{
{rows}}}}};

}}  // namespace {package}
"""


def _array(x: np.ndarray) -> str:
    def number(value: float) -> str:
        if np.isinf(value):
            return "-UNLIMITED" if value < 0 else "UNLIMITED"
        return repr(float(value))

    return "{" + ", ".join(map(number, x)) + "}"
