"""The ROS 2 package: its controller and its solver are compiled against small stand-ins for the
headers of ros2_control (`ros2_stubs.hpp`), run, and compared with the kernels; and built by colcon
where ROS 2 is installed."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from identification.excited import excited

import qddot
from qddot.control.laws import CartesianImpedance, ComputedTorque, JointImpedance, PDGravity
from qddot.control.spec import named_law
from qddot.errors import QddotError, RobotWarning
from qddot.exporting.functions import commanded
from qddot.exporting.ros2_files import yaml_text
from qddot.exporting.ros2_laws import solver_functions
from qddot.robot import Robot

HERE = Path(__file__).parent
EIGEN = Path("/usr/include/eigen3")
STRICT = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
STUBBED = (
    "controller_interface/chainable_controller_interface",
    "hardware_interface/handle",
    "hardware_interface/types/hardware_interface_type_values",
    "inverse_dynamics_solver/exceptions",
    "inverse_dynamics_solver/inverse_dynamics_solver",
    "pluginlib/class_list_macros",
    "rclcpp/logging",
    "rclcpp/subscription",
    "rclcpp_lifecycle/state",
    "trajectory_msgs/msg/joint_trajectory",
)
with_gpp = pytest.mark.skipif(not shutil.which("g++"), reason="g++ is not installed")


def limited(robot, **limits):
    """The robot with one limit of each kind per joint."""
    free = list(robot.joint_names)

    def change(joint):
        if joint.name not in free:
            return joint
        own = {key: values[free.index(joint.name)] for key, values in limits.items()}
        kind = "revolute" if joint.kind == "continuous" else joint.kind
        return replace(joint, kind=kind, limits=replace(joint.limits, **own))

    return Robot(robot.model.with_joints(change))


def rubbing_arm():
    """An arm of two joints with friction and limits."""
    robot = qddot.load("two_link").with_friction(viscous=2.0, coulomb=1.0)
    return limited(
        robot, lower=[-2.0, -2.5], upper=[2.0, 2.5], velocity=[3.0, 4.0], effort=[4000.0, 1500.0]
    )


def exported(robot, folder, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)  # of what URDF cannot hold
        return qddot.export(robot, folder, target="ros2", **options)


def stand_ins(folder):
    for name in STUBBED:
        place = folder / "stubs" / f"{name}.hpp"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text('#include "ros2_stubs.hpp"\n', encoding="utf-8")
    return [f"-I{folder / 'stubs'}", f"-isystem{HERE}"]


def built(folder, *sources, flags=()):
    program = folder / "program"
    command = ["g++", *STRICT, f"-I{folder / 'include'}", *flags, *map(str, sources)]
    done = subprocess.run([*command, "-o", str(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:4000]
    return program


@pytest.fixture(scope="module")
def controller(tmp_path_factory):
    """The controller of the arm, in the hands of a driver that does what it reads."""
    folder = tmp_path_factory.mktemp("ros2")
    exported(rubbing_arm(), folder)
    return compiled(folder)


def compiled(folder, *flags):
    sources = (folder / "src/controller.cpp", HERE / "ros2_driver.cpp")
    program = built(folder, *sources, flags=[*stand_ins(folder), *flags])

    def run(*lines):
        done = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-500:] + done.stderr
        return done.stdout.splitlines()

    return run


def words(*values):
    return " ".join(f"{x!r}" for x in np.concatenate([np.ravel(v) for v in values]).tolist())


def efforts(lines):
    rows = [line.split() for line in lines if line.startswith(("OK", "ERROR"))]
    return [row[0] for row in rows], np.array([[float(x) for x in row[1:]] for row in rows])


def thousand_states(robot):
    rng, n = np.random.default_rng(0), robot.n
    lower, upper = (
        np.nan_to_num(x, posinf=2.0, neginf=-2.0) for x in (robot.limits.lower, robot.limits.upper)
    )
    span = upper - lower
    q, wanted = (lower + span * rng.uniform(0.05, 0.95, (1000, n)) for _ in range(2))
    qd, rate, acceleration = rng.uniform(-1.0, 1.0, (3, 1000, n))
    return q, qd, wanted, rate, acceleration


def asked(law, q, qd, wanted, rate, acceleration):
    """The torques by the law itself, cut off at the limits of its robot."""
    tau = commanded(law)(np.zeros(q.shape[:-1]), q, qd, wanted, rate, acceleration)
    most = law.robot.limits.effort
    return np.clip(tau, -most, most)


def compare_laws(run, robot, laws, starts=("text law {}",)):
    for name, law in laws.items():
        q, qd, *motion = thousand_states(robot)
        told = [*(line.format(name) for line in starts), "start", "chained"]
        told += [f"state {words(q[0], qd[0])}", "activate"]
        for k in range(1000):
            told += [f"state {words(q[k], qd[k])}"]
            told += [f"reference {words(*(x[k] for x in motion))}", "update"]
        lines = run(*told)
        said, tau = efforts(lines)
        assert said == ["OK"] * 1000
        assert "allocations 0" in lines
        right = asked(law, q, qd, *motion)
        assert np.abs(tau - right).max() <= 1e-11 * np.abs(right).max()
        assert 0 < (np.abs(right) >= robot.limits.effort).mean() < 0.9  # some are cut off


@with_gpp
def test_a_thousand_updates_give_the_torques_of_the_law_and_allocate_nothing(controller):
    robot = rubbing_arm()
    for_gains = ["numbers gains.computed_torque.kp 100 40", "numbers gains.computed_torque.kd 20 9"]
    law = ComputedTorque(robot, [100, 40], [20, 9], reference=[0, 0])
    compare_laws(controller, robot, {"computed_torque": law}, [*for_gains, "text law {}"])
    impedance = [
        "numbers gains.joint_impedance.kp 9000 700",
        "numbers gains.joint_impedance.kd 90 7",
    ]
    law = JointImpedance(robot, [9000, 700], [90, 7], reference=[0, 0])
    compare_laws(controller, robot, {"joint_impedance": law}, [*impedance, "text law {}"])


@with_gpp
def test_gravity_compensation_holds_the_arm_and_damps_it(controller):
    robot = rubbing_arm()
    q, qd = np.array([0.3, -0.4]), np.array([0.1, -0.2])
    lines = controller(
        "numbers gains.gravity_compensation.kd 3 5", "start", f"state {words(q, qd)}",
        "activate", "update", "deactivate",
    )  # fmt: skip
    said, tau = efforts(lines)
    right = robot.gravity_torque(q) - [3 * 0.1, 5 * -0.2]
    assert said == ["OK"]
    np.testing.assert_allclose(tau[0], right, rtol=1e-12)
    assert "deactivate well 0 0" in lines
    kinds = ("position", "velocity", "acceleration")
    references = [line.split()[1] for line in lines if line.startswith("reference ")]
    assert references == [f"arm/{joint}/{kind}" for kind in kinds for joint in robot.joint_names]
    assert [line.split()[1] for line in lines if line.startswith("command ")] == [
        "j1/effort", "j2/effort",
    ]  # fmt: skip


@with_gpp
def test_states_and_references_that_are_not_finite_do_no_harm(controller):
    robot, at = rubbing_arm(), "state 0.3 -0.4 0 0"
    lines = controller(
        "text law computed_torque", "start", at, "activate",
        "update",  # holds where it is
        "reference 0.5 nan nan inf nan nan", "update",  # the second joint stays, at rest
        "state nan 0 0 0", *["update"] * 6, at, "update", "deactivate",
    )  # fmt: skip
    said, tau = efforts(lines)
    assert said == ["OK"] * 7 + ["ERROR", "OK"]  # five bad cycles are tolerated
    assert np.isfinite(tau).all()
    law = named_law("computed_torque", robot)
    still, place = np.zeros(2), np.array([0.3, -0.4])
    first, second = (asked(law, place, still, np.array(x), still, still)
                     for x in ([0.3, -0.4], [0.5, -0.4]))  # fmt: skip
    np.testing.assert_allclose(tau, [first] + [second] * 8, rtol=1e-12)
    assert "cycles with efforts at a limit: 0, with bad numbers: 6" in lines


@with_gpp
def test_references_come_from_a_topic_by_name_and_end_after_a_while(controller):
    robot, at = rubbing_arm(), "state 0.3 -0.4 0 0"
    lines = controller(
        "text law computed_torque", "number reference_timeout 0.0015", "start", at, "activate",
        "message 2 j2 j1 -0.5 0.4 0.2 0.1 2.0 1.0", "update", "update", "update",
        "message 1 nobody 0.7", "message 2 j1 j2 0.7", "update",  # both are left out
        "message 1 j1 7.0", "update",  # beyond its limit
    )  # fmt: skip
    _, tau = efforts(lines)
    law = named_law("computed_torque", robot)
    q, still = np.array([0.3, -0.4]), np.zeros(2)
    place = np.array([0.4, -0.5])
    moving = asked(law, q, still, place, np.array([0.1, 0.2]), np.array([1.0, 2.0]))
    stays = asked(law, q, still, place, still, still)
    ends = asked(law, q, still, np.array([2.0, -0.5]), still, still)
    np.testing.assert_allclose(tau, [moving, moving, stays, stays, ends], rtol=1e-12)
    assert sum("A reference is left out" in line for line in lines) == 2


@with_gpp
@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["text law pid"], "there is no law 'pid'; there are: gravity_compensation computed"),
        (["texts joints j1 j3"], "joints must name 'j2' once"),
        (["texts joints j1 j2 j3"], "joints has 3 names; the model has 2 joints"),
        (["texts joints j1 j1"], "joints must name 'j1' once"),
        (["numbers max_effort 10 1e6"], "max_effort of joint 'j2' is 1000000.000000; it must be"),
        (["numbers max_effort nan 10"], "max_effort of joint 'j1' is nan"),
        (["numbers max_effort 10"], "max_effort has 1 numbers; give one for each of 2 joints"),
        (["numbers gains.gravity_compensation.kp 1 0"], "kp of joint 'j1' is 1.000000"),
        (["number reference_timeout -1"], "reference_timeout must be from 0"),
    ],
)
def test_parameters_that_are_out_of_bounds_are_refused(controller, lines, why):
    said = controller(*lines, "start")
    assert "configure refused" in said
    assert any(why in line for line in said), said


@with_gpp
@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["rename j2/velocity j3/velocity", "start"], "'j2/velocity' was not handed over"),
        (["rename j1/effort j1/position", "start"], "'j1/effort' was not handed over"),
        (["start 1"], "it has 2 command and 3 state interfaces; it needs 2 and 4"),
        (["start", "state nan 0 0 0"], "a measured position or velocity is not a finite number"),
    ],
)
def test_it_does_not_become_active_with_wrong_interfaces(controller, lines, why):
    at = [] if "state" in lines[-1] else ["state 0 0 0 0"]
    said = controller(*lines, *at, "activate")
    assert "activate refused" in said
    assert any("It cannot be activated: " in line and why in line for line in said), said


@with_gpp
@pytest.mark.long
@pytest.mark.parametrize("name", ["panda", "ur5", "rp"])
@pytest.mark.parametrize("pointers", [False, True])
def test_controllers_of_other_arms_and_of_both_ways_to_ask_for_references(name, pointers, tmp_path):
    robot = qddot.load(name)
    n = robot.n
    robot = limited(robot, effort=[40.0] * n, lower=[-2.5] * n, upper=[2.5] * n, velocity=[2.0] * n)
    laws = [PDGravity(robot, 100, 10, np.zeros(n)), named_law("computed_torque", robot)]
    exported(robot, tmp_path, functions=[*laws, "forward_dynamics"])
    run = compiled(tmp_path, *(["-DSTUB_LISTS"] if pointers else []))
    compare_laws(run, robot, {law.kind: law for law in laws[:1]})


AMENT = """macro(ament_package)
endmacro()
macro(ament_export_targets name)
endmacro()
macro(ament_export_dependencies)
endmacro()
include(CTest)
"""
PLUGINLIB = """function(pluginlib_export_plugin_description_file base file)
  file(READ ${file} text)
  install(FILES ${file} DESTINATION share/${base})
endfunction()
"""


def pretended_ros(folder):
    """What CMake finds of ROS: packages whose headers are the stand-ins."""
    stand_ins(folder)
    more = {"ament_cmake": AMENT, "pluginlib": PLUGINLIB}
    more["trajectory_msgs"] = "set(trajectory_msgs_TARGETS trajectory_msgs::trajectory_msgs)\n"
    package = ET.parse(folder / "package.xml").getroot()
    names = {x.text or "" for x in package if x.tag in ("depend", "buildtool_depend")}
    for name in (*names, "inverse_dynamics_solver"):
        text = more.get(name, "")
        if name != "ament_cmake":
            text += f"""add_library({name}::{name} INTERFACE IMPORTED)
target_include_directories({name}::{name} INTERFACE "{folder / "stubs"}" "{HERE}")
target_compile_definitions({name}::{name} INTERFACE STUB_SOLVER)
target_include_directories({name}::{name} SYSTEM INTERFACE "{EIGEN}")
"""
        place = folder / "ros" / f"{name}Config.cmake"
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return folder / "ros"


@with_gpp
@pytest.mark.long
@pytest.mark.skipif(not shutil.which("cmake"), reason="CMake is not installed")
@pytest.mark.skipif(not EIGEN.is_dir(), reason="Eigen is not installed")
@pytest.mark.parametrize("name", ["rubbing arm", "panda"])
def test_cmake_builds_tests_and_installs_the_package_with_a_pretended_ros(name, tmp_path):
    robot = rubbing_arm() if name == "rubbing arm" else qddot.load(name)
    exported(robot, tmp_path)
    package = f"qddot_{robot.name}"
    where = [f"-D{x}_DIR={tmp_path / 'ros'}" for x in ("inverse_dynamics_solver", "pluginlib")]
    prefix = f"-DCMAKE_PREFIX_PATH={pretended_ros(tmp_path)}"
    made, there = tmp_path / "made", tmp_path / "there"
    for command in (
        ["cmake", "-S", tmp_path, "-B", made, prefix, *where, f"-DCMAKE_INSTALL_PREFIX={there}"],
        ["cmake", "--build", made],
        ["ctest", "--test-dir", made, "--output-on-failure"],
        ["cmake", "--install", made],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        assert "warning" not in (done.stdout + done.stderr).lower()
    placed = {str(path.relative_to(there)) for path in there.rglob("*") if path.is_file()}
    assert {
        f"lib/lib{package}.so",
        f"lib/lib{package}_solver.so",
        f"include/{package}/{package}/controller.hpp",
        f"share/{package}/config/controllers.yaml",
        f"share/{package}/launch/control.launch.py",
        f"share/{package}/urdf/{robot.name}.urdf",
    } <= placed


SOLVER = """
#include <cstdio>
#include "ros2_stubs.hpp"
using Base = inverse_dynamics_solver::InverseDynamicsSolver;
template <class X> void show(const X& x) {
  for (Eigen::Index i = 0; i < x.size(); ++i) std::printf("%.17g ", x.data()[i]);
  std::printf("\\n");
}
template <class F> void refused(F f) {
  try { f(); std::printf("taken\\n"); } catch (const std::exception& e) { std::puts(e.what()); }
}
int main() {
  auto solver = stub::plugins<Base>.begin()->second();
  Eigen::VectorXd q(2), qd(2), qdd(2);
  q << 0.3, -0.4; qd << 0.5, -0.6; qdd << 0.7, 0.8;
  refused([&] { solver->getGravityVector(q); });
  refused([&] { solver->initialize(nullptr, "", "<robot><joint name='j1'/></robot>"); });
  solver->initialize(nullptr, "", "<robot><joint name='j1'/><joint name=\\"j2\\"/></robot>");
  refused([&] { solver->getGravityVector(Eigen::VectorXd(3)); });
  show(solver->getInertiaMatrix(q));
  show(solver->getCoriolisVector(q, qd));
  show(solver->getGravityVector(q));
  show(solver->getFrictionVector(qd));
  show(solver->getTorques(q, qd, qdd));
}
"""


@with_gpp
@pytest.mark.long
@pytest.mark.skipif(not EIGEN.is_dir(), reason="Eigen is not installed")
def test_the_solver_gives_the_parts_of_inverse_dynamics(tmp_path):
    robot = rubbing_arm()
    exported(robot, tmp_path)
    (tmp_path / "main.cpp").write_text(SOLVER, encoding="utf-8")
    flags = [*stand_ins(tmp_path), "-DSTUB_SOLVER", f"-isystem{EIGEN}"]
    program = built(tmp_path, tmp_path / "src/solver.cpp", tmp_path / "main.cpp", flags=flags)
    lines = subprocess.run(
        [program], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert lines[0] == "Solver is not initialized"
    assert lines[1] == "robot_description has no joint 'j2': it is of another robot."
    assert lines[2] == "a vector has 3 numbers; the arm has 2 joints"
    M, c, g, f, tau = (np.array([float(x) for x in line.split()]) for line in lines[3:])
    q, qd, qdd = np.array([0.3, -0.4]), np.array([0.5, -0.6]), np.array([0.7, 0.8])
    np.testing.assert_allclose(M.reshape(2, 2), robot.mass_matrix(q), rtol=1e-13)
    np.testing.assert_allclose(g, robot.gravity_torque(q), rtol=1e-13)
    np.testing.assert_allclose(tau, M.reshape(2, 2) @ qdd + c + g, rtol=1e-12)
    np.testing.assert_allclose(tau + f, robot.inverse_dynamics(q, qd, qdd), rtol=1e-12)


@pytest.mark.parametrize("name", ["mass_spring_damper", "puma560", "two_link_motors"])
def test_the_parts_of_the_solver_add_up_to_inverse_dynamics(name):
    """Also with springs, dampers and rotors, of which ROS's interface has no word."""
    robot = qddot.load(name)
    M, c, g, f = (function.program for function in solver_functions(robot))
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 9, robot.n))
    found = (M(q) @ qdd[..., None])[..., 0] + c(q, qd) + g(q) + f(qd)
    right = robot.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(found, right, rtol=1e-10, atol=1e-10 * np.abs(right).max())


# the files


def test_a_package_has_what_ros_asks_for(tmp_path):
    done = exported(rubbing_arm(), tmp_path)
    package = ET.parse(tmp_path / "package.xml").getroot()
    assert package.findtext("name") == "qddot_two_link"
    depends = {x.text for x in package if x.tag.endswith("depend")}
    cmake = (tmp_path / "CMakeLists.txt").read_text(encoding="utf-8")
    for name in ("controller_interface", "pluginlib", "trajectory_msgs", "rclcpp_lifecycle"):
        assert name in depends
        assert name in cmake
    for file, base in (("controller", "controller_interface"), ("solver", "inverse_dynamics")):
        plugins = ET.parse(tmp_path / f"{file}_plugins.xml").getroot()
        kind = plugins[0].attrib
        assert kind["base_class_type"].startswith(base)
        source = (tmp_path / f"src/{file}.cpp").read_text(encoding="utf-8")
        exports = source[source.index("PLUGINLIB_EXPORT_CLASS") :]
        assert kind["type"] in exports
        assert kind["base_class_type"] in exports
        assert f"add_library({plugins.attrib['path']} SHARED src/{file}.cpp)" in cmake
        assert f"{file}_plugins.xml" in cmake
    for path in done.files:
        text = path.read_text(encoding="utf-8")
        assert not any(mark in text for mark in ("@package@", "@stem@", "@laws@")), path
    compile((tmp_path / "launch/control.launch.py").read_text(encoding="utf-8"), "launch", "exec")
    urdf = qddot.load(tmp_path / "urdf/two_link.urdf")
    assert urdf.joint_names == ("j1", "j2")
    assert [x.count('<command_interface name="effort"/>') for x in urdf.model.urdf_parts] == [2]
    assert [f.name for f in done.functions][:3] == [
        "gravity_compensation", "computed_torque", "joint_impedance",
    ]  # fmt: skip


class Said:
    """What a launch file makes: its class and arguments, remembered."""

    def __init__(self, *given, **named):
        self.given, self.named = given, named

    def perform(self, context):
        return context[self.given[0]]


def test_the_launch_file_starts_what_belongs_together(tmp_path, monkeypatch):
    """With stand-ins for launch, launch_ros and ament_index_python."""
    exported(rubbing_arm(), tmp_path)
    for name, things in {
        "launch": ["LaunchDescription"],
        "launch.actions": ["DeclareLaunchArgument", "OpaqueFunction"],
        "launch.substitutions": ["LaunchConfiguration"],
        "launch_ros.actions": ["Node"],
    }.items():
        made = {thing: type(thing, (Said,), {}) for thing in things}
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(**made))
    monkeypatch.setitem(sys.modules, "launch_ros", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "ament_index_python", SimpleNamespace())
    packages = SimpleNamespace(get_package_share_directory=lambda name: tmp_path)
    monkeypatch.setitem(sys.modules, "ament_index_python.packages", packages)
    found = runpy.run_path(str(tmp_path / "launch/control.launch.py"))
    *arguments, start = found["generate_launch_description"]().given[0]
    context = {x.given[0]: x.named["default_value"] for x in arguments}
    nodes = start.named["function"](context)
    (description,) = nodes[0].named["parameters"]
    assert description["robot_description"].startswith("<?xml")
    assert [node.named.get("arguments", [""])[0] for node in nodes[2:]] == [
        "joint_state_broadcaster", "qddot_two_link_controller",
    ]  # fmt: skip
    package = ET.parse(tmp_path / "package.xml").getroot()
    runs = {x.text for x in package if x.tag == "exec_depend"}
    assert {node.named["package"] for node in nodes} <= runs
    assert Path(nodes[3].named["arguments"][2]).is_file()


@pytest.mark.long
def test_what_was_identified_goes_out_as_urdf_and_yaml(tmp_path):
    robot = rubbing_arm()
    fit = qddot.identify(robot, excited(robot, 300, 0, 0.5), terms="friction", method="consistent")
    exported(fit.robot, tmp_path)
    urdf = qddot.load(next(tmp_path.glob("urdf/*.urdf"))).with_gravity(robot.model.gravity)
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 20, 2))
    right = fit.robot.inverse_dynamics(q, qd, qdd)
    offset = [joint.friction.offset for joint in fit.robot.model.free_joints]
    found = urdf.inverse_dynamics(q, qd, qdd) + np.array(offset, dtype=float)
    np.testing.assert_allclose(found, right, rtol=1e-9, atol=1e-9)  # URDF has no offset
    yaml = (tmp_path / "config/controllers.yaml").read_text(encoding="utf-8")
    viscous = [float(joint.friction.viscous) for joint in fit.robot.model.free_joints]
    assert f"viscous (viscous friction): [{viscous[0]!r}, {viscous[1]!r}]" in yaml


def test_the_ros2_control_part_of_a_file_goes_into_the_package(tmp_path):
    urdf = tmp_path / "arm.urdf"
    qddot.load("two_link").with_gravity((0, 0, -9.81)).save(urdf)
    own = '<ros2_control name="mine" type="system"><joint name="j1">'
    own += '<command_interface name="effort"/></joint></ros2_control>'
    text = urdf.read_text(encoding="utf-8").replace("</robot>", f"{own}</robot>")
    urdf.write_text(text, encoding="utf-8")
    done = exported(qddot.load(urdf), tmp_path / "it")
    assert any("commands efforts of 1 of 2 joints" in what for what in done.lost)
    written = (tmp_path / "it/urdf/two_link.urdf").read_text(encoding="utf-8")
    assert own in written
    assert "mock_components" not in written


def test_a_package_names_the_licence_of_the_model_and_the_packages_of_its_meshes(tmp_path):
    urdf = tmp_path / "arm.urdf"
    qddot.load("two_link").with_gravity((0, 0, -9.81)).save(urdf)
    mesh = (
        '<visual><geometry><mesh filename="package://arm_description/a.stl"/></geometry></visual>'
    )
    text = urdf.read_text(encoding="utf-8").replace("<inertial>", f"{mesh}<inertial>", 1)
    urdf.write_text(text, encoding="utf-8")
    exported(qddot.load(urdf), tmp_path / "it")
    package = ET.parse(tmp_path / "it/package.xml").getroot()
    assert "arm_description" in [x.text for x in package.iter("exec_depend")]
    assert package.findtext("license") == "not stated: name one before publishing"
    exported(qddot.load("panda"), tmp_path / "panda")
    text = (tmp_path / "panda/package.xml").read_text(encoding="utf-8")
    assert "<license>Apache-2.0</license>" in text
    assert "`license`" in (tmp_path / "panda/README.md").read_text(encoding="utf-8")


def test_parameters_are_yaml_with_friction_for_people(tmp_path):
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    exported(rubbing_arm().with_friction(static=1.5, stribeck_velocity=0.1), tmp_path)
    text = (tmp_path / "config/controllers.yaml").read_text(encoding="utf-8")
    data = yaml.safe_load(text)
    manager = data["controller_manager"]["ros__parameters"]
    assert manager["qddot_two_link_controller"]["type"] == "qddot_two_link/Controller"
    own = data["qddot_two_link_controller"]["ros__parameters"]
    assert own["joints"] == ["j1", "j2"]
    assert own["max_effort"] == [4000.0, 1500.0]
    assert own["gains"]["computed_torque"] == {"kp": [100.0, 100.0], "kd": [20.0, 20.0]}
    assert "# static (" in text
    assert ": [1.5, 1.5]" in text


HOSTILE = [
    'a"b',
    "*/ int x; //",
    "</robot>",
    "é\U0001f916",
    "-->",
    "\\",
    "${PWD}",
    "{}: [",
    "a'b&c",
]


@pytest.fixture
def hostile(tmp_path):
    """The package of an arm whose names try to be code."""
    urdf = "".join(f'<link name="l{i}">{MASS}</link>' for i in range(len(HOSTILE) + 1)) + "".join(
        f'<joint name={quoteattr(name)} type="continuous"><parent link="l{i}"/>'
        f'<child link="l{i + 1}"/><axis xyz="0 1 0"/></joint>'
        for i, name in enumerate(HOSTILE)
    )
    source = tmp_path / "arm.urdf"
    source.write_text(f"<robot name={quoteattr(HOSTILE[1])}>{urdf}</robot>", encoding="utf-8")
    with pytest.warns(RobotWarning, match="looks like code or markup"):
        robot = qddot.load(source)
    exported(robot, tmp_path / "it")
    return tmp_path / "it"


def test_names_are_texts_wherever_they_stand(hostile):
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    assert [yaml.safe_load(yaml_text(name)) for name in HOSTILE] == HOSTILE
    assert {path.name for path in (hostile / "include").iterdir()} == {"qddot_int_x"}
    data = yaml.safe_load((hostile / "config/controllers.yaml").read_text(encoding="utf-8"))
    assert data["qddot_int_x_controller"]["ros__parameters"]["joints"] == HOSTILE
    with pytest.warns(RobotWarning, match="looks like code or markup"):
        again = qddot.load(hostile / "urdf/int_x.urdf")
    assert list(again.joint_names) == HOSTILE
    ET.parse(hostile / "package.xml")


@with_gpp
@pytest.mark.long
def test_names_are_texts_in_compiled_code(hostile):
    main = '#include "qddot_int_x/model.hpp"\n#include <cstdio>\nint main() { for (auto x : '
    main += 'qddot_int_x::JOINT_NAMES) std::printf("%.*s\\n", int(x.size()), x.data()); }\n'
    (hostile / "main.cpp").write_text(main, encoding="utf-8")
    program = built(hostile, hostile / "main.cpp")
    said = subprocess.run([program], capture_output=True, check=True).stdout.decode()
    assert said.splitlines() == HOSTILE


MASS = """<inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.15"/></inertial>"""


def test_what_cannot_be_exported_is_refused_and_nothing_is_written(tmp_path):
    robot, place = qddot.load("two_link"), tmp_path / "it"
    frame = CartesianImpedance(robot, "tool", 100, 10, [0.3, -0.2], axes="xy")
    coupled = ComputedTorque(robot, [[2, 1], [1, 2]], 1, reference=[0, 0])
    other = named_law("computed_torque", qddot.load("ur5"))
    for options, why in [
        ({"functions": [frame]}, "CartesianImpedance is none"),
        ({"functions": [coupled]}, "one number per joint"),
        ({"functions": [other]}, "is not of robot 'two_link'"),
        ({"functions": [named_law("pd_gravity", robot)] * 2}, "pd_gravity is given twice"),
        ({"functions": ["nothing"]}, "There is no function 'nothing'"),
        ({"dtype": "float32"}, "is in float64"),
    ]:
        with pytest.raises(QddotError, match=why):
            qddot.export(robot, place, target="ros2", **options)
    with pytest.raises(QddotError, match="symbols without a value"):
        qddot.export("two_link_symbolic", place, target="ros2")
    assert not place.exists()


def test_what_is_lost_is_said(tmp_path):
    with pytest.warns(RobotWarning, match="'j1', 'j2' have no limit and are not cut off"):
        done = qddot.export("two_link", tmp_path, target="ros2")
    assert any("gravity" in what for what in done.lost)
    yaml = (tmp_path / "config/controllers.yaml").read_text(encoding="utf-8")
    assert "# max_effort: one number per joint" in yaml


def test_an_export_that_cannot_be_finished_leaves_no_folder(tmp_path, monkeypatch):
    from qddot import saving

    real = saving._written_beside

    def full(target, content, lasting=False):
        if target.name == "controllers.yaml":
            raise OSError(28, "No space left on device")
        return real(target, content, lasting)

    monkeypatch.setattr(saving, "_written_beside", full)
    with pytest.raises(QddotError, match="No space left"), pytest.warns(RobotWarning):
        qddot.export("two_link", tmp_path / "it", target="ros2")
    assert not (tmp_path / "it").exists()


# ROS 2 itself


@pytest.mark.long
def test_ros_builds_and_tests_the_package(tmp_path):
    if not (os.environ.get("AMENT_PREFIX_PATH") and shutil.which("colcon")):
        pytest.skip("ROS 2 is not installed: neither AMENT_PREFIX_PATH nor colcon is there")
    exported(rubbing_arm(), tmp_path / "src/qddot_two_link")
    for command in ("build", "test"):
        done = subprocess.run(["colcon", command], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    done = subprocess.run(["colcon", "test-result"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
