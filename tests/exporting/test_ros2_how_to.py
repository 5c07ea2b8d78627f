"""The controller of the page on ROS 2: its C++ blocks compile, run, and give the law's torques."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from exporting.compiling import build, run, with_gpp

import qddot

PAGE = Path(__file__).parents[2] / "docs/ros2.md"
MAX_EFFORT = np.array([87, 87, 87, 87, 12, 12, 12])
GAINS = {"computed_torque": (100.0, 20.0), "pd_gravity": (60.0, 8.0)}
START = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])
pytestmark = with_gpp

# reads a law with its gains and states with references; counts what is allocated in `update`
DRIVER = """
#include <cstdlib>
#include <iostream>
#include <new>
#include "arm_controller.hpp"

static std::size_t allocations = 0;
void* operator new(std::size_t size) {
  ++allocations;
  if (void* place = std::malloc(size)) return place;
  throw std::bad_alloc();
}
void operator delete(void* place) noexcept { std::free(place); }
void operator delete(void* place, std::size_t) noexcept { std::free(place); }

void number(double& x) {
  std::string word;  // streams read no "nan"
  std::cin >> word;
  x = std::strtod(word.c_str(), nullptr);
}
void row(Joints& x) { for (double& each : x) number(each); }

int main() {
  double law = 0.0, kp = 0.0, kd = 0.0;
  for (double* each : {&law, &kp, &kd}) number(*each);
  ArmController controller{law == 0.0 ? Law::computed_torque : Law::pd_gravity, {}, {},
                           {87, 87, 87, 87, 12, 12, 12}};
  controller.kp.fill(kp);
  controller.kd.fill(kd);
  State now{};
  Reference wanted{};
  std::cout.precision(17);
  while (std::cin >> std::ws && !std::cin.eof()) {
    for (Joints* each : {&now.q, &now.qd, &wanted.q, &wanted.qd, &wanted.qdd}) row(*each);
    Joints effort{};
    effort.fill(-1.0);
    const std::size_t before = allocations;
    const bool good = controller.update(now, wanted, effort);
    std::cout << good << ' ' << allocations - before;
    for (const double each : effort) std::cout << ' ' << each;
    std::cout << '\\n';
  }
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of the page, with the header that its command exports."""
    folder = tmp_path_factory.mktemp("ros2")
    text = PAGE.read_text(encoding="utf-8")
    for block in re.findall(r"```cpp\n(.*?)```", text, re.DOTALL):
        name, comment = re.match(r"// (\S+\.[ch]pp)(.*)", block).groups()
        if "not built here" not in comment:
            (folder / name).write_text(block, encoding="utf-8")
    names = re.search(r"--functions (\S+)", text)[1].split(",")
    qddot.export("panda", folder / "panda_cpp", target="cpp", functions=names)
    return folder


def law_torque(law, q, qd, wanted, rate, acceleration):
    robot, (kp, kd) = qddot.load("panda"), GAINS[law]
    feedback = kp * (wanted - q) + kd * (rate - qd)
    if law == "computed_torque":
        return robot.inverse_dynamics(q, qd, acceleration + feedback)
    return robot.gravity_torque(q) + feedback


@pytest.mark.parametrize("law", GAINS)
def test_the_controller_of_the_page_gives_the_torques_of_its_law_and_allocates_nothing(law, folder):
    (folder / "driver.cpp").write_text(DRIVER, encoding="utf-8")
    flags = {"compiler": "g++", "sources": [folder / "driver.cpp"]}
    made = build(folder, "-I", folder / "panda_cpp", **flags)
    states = np.random.default_rng(0).uniform(-0.5, 0.5, (1000, 5, 7))
    kp, kd = GAINS[law]
    lost = np.full((1, 5, 7), 0.1)
    lost[0, 1, 3] = np.nan  # a velocity that was not measured
    rows = np.concatenate([states, lost]).reshape(-1, 35)
    given = "\n".join(" ".join(map(repr, row)) for row in rows.tolist())
    given = f"{float(law != 'computed_torque')} {kp} {kd}\n{given}\n"
    said = run(made, input=given, check=True)
    found = np.array([[float(x) for x in line.split()] for line in said.stdout.splitlines()])
    torque = law_torque(law, *states.swapaxes(0, 1))
    right = np.clip(torque, -MAX_EFFORT, MAX_EFFORT)
    assert found[:, 0].tolist() == [1] * 1000 + [0]
    assert not found[:, 1].any()
    np.testing.assert_allclose(found[:-1, 2:], right, rtol=1e-11, atol=1e-11)
    assert (found[-1, 2:] == -1).all()  # nothing was written
    assert 0 < (np.abs(torque) > MAX_EFFORT).mean() < 0.9  # some are cut off


def test_the_commands_of_the_page_print_what_a_simulation_in_python_gives(folder):
    text = PAGE.read_text(encoding="utf-8")
    block = re.search(r"```console\n(\$ g\+\+ .*?)```", text, re.DOTALL)[1]
    compile_it, run_it, *shown = block.splitlines()
    for command in (compile_it, run_it):
        words = shlex.split(command.removeprefix("$ "))
        done = run(*words, cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == shown

    robot = qddot.load("panda")
    q, qd = START + 0.1 * np.eye(7)[3], np.zeros(7)
    wanted, rate, acceleration = START.copy(), np.zeros(7), np.zeros(7)
    lines = []
    for k in range(2001):
        t = k * 1e-3
        wanted[1], rate[1] = -0.8 + 0.4 * np.sin(2 * t), 0.8 * np.cos(2 * t)
        acceleration[1] = -1.6 * np.sin(2 * t)
        feedback = 100 * (wanted - q) + 20 * (rate - qd)
        torque = robot.inverse_dynamics(q, qd, acceleration + feedback)
        torque = np.clip(torque, -MAX_EFFORT, MAX_EFFORT)
        if k % 500 == 0:
            errors = np.abs(wanted - q)
            lines.append([t, errors[1], errors[3], torque[1], torque[3]])
        qd = qd + 1e-3 * robot.forward_dynamics(q, qd, torque)
        q = q + 1e-3 * qd
    numbers = [re.findall(r"-?\d+\.\d+", line) for line in shown]
    np.testing.assert_allclose(np.array(numbers, dtype=float), lines, rtol=0, atol=6e-4)
