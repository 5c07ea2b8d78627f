"""A ROS 2 package: a controller of ros2_control, a plugin of inverse_dynamics_solver, what starts
them.

`ros2/` has what is the same for all robots; the header of `cpp_files.py` is what they call. Names
from files are texts there: escaped in C++, in XML and in YAML, and never an identifier.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from qddot.control.laws.law import ControlLaw
from qddot.errors import BadArgument, NoValues, printable
from qddot.exporting.cpp_check import check_program
from qddot.exporting.cpp_files import cpp_header
from qddot.exporting.functions import ExportedFunction, functions, identifier
from qddot.exporting.ros2_laws import RosLaw, model_header, ros_laws, solver_functions
from qddot.model.friction import PARAMETERS
from qddot.robot import Robot
from qddot.writers.urdf import notes_on_urdf, to_urdf

FOLDER = Path(__file__).with_name("ros2")
RATE = 1000  # [Hz], of the controller manager
SAME = (
    *("CMakeLists.txt", "README.md", "src/controller.cpp", "src/solver.cpp"),
    "test/core_check.cpp",
)
EFFORT = '<command_interface name="effort"'
HEADERS = ("core.hpp", "references.hpp", "controller.hpp")
NO_LICENCE = "not stated: name one before publishing"
MESH_PACKAGE = re.compile(r'filename="package://([A-Za-z][A-Za-z0-9_-]*)/')


def ros2_files(
    robot: Robot, wanted: Iterable[Any], single: bool
) -> tuple[dict[str, str], tuple[str, ...], tuple[ExportedFunction, ...]]:
    """Return the files by their names, what they could not hold, and the functions in them.

    Args:
        robot: The robot.
        wanted: Laws for the controller to choose from; further functions for the header.
        single: Whether float32 was asked for, which there is no use for.
    """
    if single:
        raise BadArgument("A ROS 2 package is in float64: leave out dtype='float32'.")
    if robot.symbols:
        raise NoValues(robot.name, robot.symbols, "robot.with_values({}=1.0, ...)")
    robot.model.need_single_numbers("A controller of ROS 2")
    if not robot.n:
        raise BadArgument(f"Robot {robot.name!r} has no joint that moves: nothing to control.")
    wanted = [wanted] if isinstance(wanted, str) else list(wanted)
    laws, more = ros_laws(robot, wanted), [x for x in wanted if not isinstance(x, ControlLaw)]
    inside = [law.function for law in laws] + solver_functions(robot)
    there = {f.name for f in inside}
    if more:
        inside += [f for f in functions(robot, more) if f.name not in there]
    stem = identifier(robot.name, "robot")
    package = re.sub("_+", "_", f"qddot_{stem}").rstrip("_")
    marks = {"package": package, "stem": stem, "laws": ", ".join(f"`{law.name}`" for law in laws)}
    headers = f"include/{package}/"
    urdf = _urdf(robot, package)
    files = {
        "package.xml": _package(robot, package, urdf),
        "controller_plugins.xml": _plugin(package, "Controller", *CONTROLLER),
        "solver_plugins.xml": _plugin(package, "InverseDynamics", *SOLVER, library="_solver"),
        f"{headers}{stem}.hpp": cpp_header(robot, stem, inside),
        f"{headers}model.hpp": model_header(robot, package, stem, laws),
        **{f"{headers}{name}": _filled(f"include/{name}", marks) for name in HEADERS},
        **{name: _filled(name, marks) for name in SAME},
        "launch/control.launch.py": _filled("launch/control.txt", marks),  # no code of ours
        f"test/{stem}_check.cpp": check_program(stem, inside),
        "config/controllers.yaml": _yaml(robot, package, laws),
        f"urdf/{stem}.urdf": urdf,
    }
    return files, _lost(robot), tuple(inside)


CONTROLLER = ("controller_interface::ChainableControllerInterface", "Efforts by a law of the arm")
SOLVER = ("inverse_dynamics_solver::InverseDynamicsSolver", "The arm's own inverse dynamics")


def _filled(name: str, marks: dict[str, str]) -> str:
    text = (FOLDER / name).read_text(encoding="utf-8")
    for mark, content in marks.items():
        text = text.replace(f"@{mark}@", content)
    return text


def _lost(robot: Robot) -> tuple[str, ...]:
    free = robot.joint_names
    endless = [repr(free[i]) for i in np.flatnonzero(np.isinf(robot.limits.effort))]
    lost = [f"urdf: {what}" for what in notes_on_urdf(robot.model)]
    if endless:
        lost.append(f"the efforts of {', '.join(endless[:10])} have no limit and are not cut off")
    own = "".join(robot.model.urdf_parts)
    if "<ros2_control" in own and (found := own.count(EFFORT)) < robot.n:
        lost.append(
            f"the <ros2_control> part of the robot's file commands efforts of {found} of {robot.n} "
            "joints; the controller needs them all"
        )
    return tuple(lost)


def _package(robot: Robot, package: str, urdf: str) -> str:
    depends = "controller_interface hardware_interface pluginlib rclcpp rclcpp_lifecycle"
    runs = "ament_index_python controller_manager joint_state_broadcaster launch launch_ros "
    runs += "robot_state_publisher"
    meshes = sorted({*MESH_PACKAGE.findall(urdf)} - {package, *depends.split(), *runs.split()})
    lines = [f"  <depend>{name}</depend>" for name in [*depends.split(), "trajectory_msgs"]]
    lines += [f"  <exec_depend>{name}</exec_depend>" for name in [*runs.split(), *meshes]]
    licence = printable(robot.model.licence or "") or NO_LICENCE
    return f"""<?xml version="1.0"?>
<package format="3">
  <name>{package}</name>
  <version>1.0.0</version>
  <description>Torque control of {escape(printable(robot.name))}, made by qddot {version("qddot")}.
  </description>
  <!-- before publishing: your name and address, and a licence as SPDX writes it -->
  <maintainer email="user@todo.todo">user</maintainer>
  <license>{escape(licence)}</license>

  <buildtool_depend>ament_cmake</buildtool_depend>
{chr(10).join(lines)}

  <export>
    <build_type>ament_cmake</build_type>
  </export>
</package>
"""


def _plugin(package: str, own: str, base: str, words: str, library: str = "") -> str:
    return f"""<library path="{package}{library}">
  <class name="{package}/{own}" type="{package}::{own}"
         base_class_type="{base}">
    <description>{words}.</description>
  </class>
</library>
"""


def _urdf(robot: Robot, package: str) -> str:
    """Return the robot with what ros2_control asks for: its own, or a system that only pretends."""
    text = to_urdf(robot.model)
    if any(part.startswith("<ros2_control") for part in robot.model.urdf_parts):
        return text
    lines = [
        "  <!-- a pretended system: it takes efforts and moves nothing; put your robot's here -->",
        f'  <ros2_control name="{package}" type="system">',
        "    <hardware><plugin>mock_components/GenericSystem</plugin></hardware>",
    ]
    for name, q in zip(robot.joint_names, robot.home, strict=True):
        lines += [
            f"    <joint name={quoteattr(name)}>",
            f"      {EFFORT}/>",
            f'      <state_interface name="position"><param name="initial_value">{float(q)!r}'
            "</param></state_interface>",
            '      <state_interface name="velocity"><param name="initial_value">0.0</param>'
            "</state_interface>",
            '      <state_interface name="effort"/>',
            "    </joint>",
        ]
    return text.removesuffix("</robot>\n") + "\n".join([*lines, "  </ros2_control>", "</robot>\n"])


def _yaml(robot: Robot, package: str, laws: Sequence[RosLaw]) -> str:
    """Return the parameters, with what they may be; and the friction, as comments."""
    controller, own = f"{package}_controller", "    "
    joints = ", ".join(yaml_text(name) for name in robot.joint_names)
    efforts = robot.limits.effort
    lines = [
        f"# Made by qddot {version('qddot')}. SI units; one number per joint, in the order below.",
        "controller_manager:",
        "  ros__parameters:",
        f"    update_rate: {RATE}  # Hz",
        "    joint_state_broadcaster:",
        "      type: joint_state_broadcaster/JointStateBroadcaster",
        f"    {controller}:",
        f"      type: {package}/Controller",
        "",
        f"{controller}:",
        "  ros__parameters:",
        f"    law: {laws[0].name}  # or {', '.join(law.name for law in laws[1:])}",
        f"    joints: [{joints}]",
        '    prefix: ""  # before the names of joints in the hardware',
        "    reference_timeout: 0.0  # s, up to 3600: then it stays where it should be; 0.0: never",
        "    tolerated_bad_cycles: 5  # up to 1000; with states that are not finite, in a row",
    ]
    if np.isfinite(efforts).all():
        lines.append(f"    max_effort: {_numbers(efforts)}  # N m or N; up to these, the model's")
    else:
        lines.append("    # max_effort: one number per joint; the model has no limit for some")
    lines.append("    gains:")
    for law in laws:
        lines.append(f"      {law.name}:")
        for name, value in (("kp", law.kp), ("kd", law.kd)):
            most = _numbers(getattr(law, f"largest_{name}"))
            lines.append(f"        {name}: {_numbers(value)}  # from 0 to {most}")
    return "\n".join([*lines, *(f"{own}# {line}" for line in _friction(robot))]) + "\n"


def _friction(robot: Robot) -> list[str]:
    """Return the friction of the model, which URDF holds in part only, for people to read."""
    rows = []
    for parameter in PARAMETERS:
        values = [getattr(joint.friction, parameter.name) for joint in robot.model.free_joints]
        if any(value != parameter.default for value in values):
            rows.append(f"{parameter.name} ({printable(parameter.meaning)}): {_numbers(values)}")
    told = "the friction of the model; laws that compensate friction have it in their code:"
    return [told, *rows] if rows else []


def _numbers(values: Iterable[Any]) -> str:
    return "[" + ", ".join(repr(float(x)) for x in values) + "]"


def yaml_text(name: str) -> str:
    """Return a name as a text of YAML in double quotes, in which nothing means anything."""
    plain = re.compile(r"[A-Za-z0-9_./ -]")
    return '"' + "".join(c if plain.match(c) else f"\\U{ord(c):08x}" for c in name) + '"'
