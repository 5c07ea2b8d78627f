"""FMUs: they move as `simulate` does, over sticking and stops, with parameters that are changed."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import shutil
import sys
import zipfile
from xml.etree import ElementTree

import numpy as np
import pytest
from exporting.compiling import run, with_gcc
from exporting.units import Unit, arm, random_arm
from long import long

import qddot
from qddot.errors import RobotWarning

Q0 = (0.5, 0.2, -0.3)
CLOSE = 1e-8  # to simulate, at every row
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="this loads libraries")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The FMUs of the arm, by version."""
    if not shutil.which("gcc"):
        pytest.skip("gcc is not installed")
    folder = tmp_path_factory.mktemp("fmu")
    done = qddot.export(arm(), folder, target="fmu")
    assert not done.lost
    return dict(zip((2, 3), done.files, strict=True))


def moved(unit, names, seconds, h=0.01):
    rows = [unit.get(*names)]
    for k in range(round(seconds / h)):
        unit.step(k * h, h)
        rows.append(unit.get(*names))
    return np.array(rows)


def apart(unit, run, seconds, h=0.01):
    """Return how far positions and velocities come from those that `simulate` gives."""
    names = [f"{joint}.{k}" for k in ("q", "qd") for joint in run.robot.joint_names]
    found = moved(unit, names, seconds, h)
    times = [min(h * k, seconds) for k in range(len(found))]
    return np.abs(found - [np.ravel(run.at(t)[:2]) for t in times]).max()


@pytest.mark.parametrize("version", [2, 3])
def test_it_hits_stops_sticks_and_carries_as_simulate_does(version, files, tmp_path):
    unit, robot = Unit(files[version], tmp_path / "u"), arm()
    start = dict(zip((f"{j}.q" for j in robot.joint_names), Q0, strict=True))
    load = {
        "payload.m": 0.7,
        "payload.x": 0.1,
        "payload.Iyy": 0.02,
        "payload.Izz": 0.02,
        "gravity.y": -5.0,
    }
    rubbing = {"j1.coulomb": 20.0, "j2.coulomb": 4.0, "j2.viscous": 0.3, "j1.tau": 2.0}
    unit.set_all(start | load | rubbing | {"restitution": 0.5, "stops": True})
    unit.start()
    robot = robot.with_friction(coulomb=[20.0, 4.0, 0.5], viscous=[0.1, 0.3, 0.1])
    robot = robot.with_payload("tool", 0.7, (0.1, 0, 0), (0, 0.02, 0.02)).with_gravity((0, -5.0, 0))
    tau = np.array([2.0, 0, 0])
    run = qddot.simulate(
        robot, Q0, duration=3.0, every=0.01, stops=0.5, torque=tau, tolerance=1e-12
    )
    happened = " ".join(map(str, run.events))
    assert "hits its lower stop" in happened
    assert "sticks" in happened
    assert apart(unit, run, 3.0) < CLOSE


@with_gcc
@pytest.mark.long
def test_what_both_ends_of_a_step_hide_is_found(tmp_path):
    """A ball is thrown a millimetre beyond a stop, and comes back within a step of 0.1 s."""
    rail = {"type": "prismatic", "mass": 1.0, "limits": {"lower": 0.0, "upper": 2.0}}
    ball = qddot.from_dh([rail], "standard", name="ball")
    up = np.sqrt(2 * 9.81 * 1.001)
    unit = Unit(qddot.export(ball, tmp_path / "f", target="fmu").files[0], tmp_path / "u")
    unit.set_all({"j1.q": 1.0, "j1.qd": up, "stops": True, "restitution": 0.5})
    unit.start()
    run = qddot.simulate(ball, [1.0], [up], duration=0.8, stops=0.5, tolerance=1e-12)
    assert "hits its upper stop" in str(run.events[0])
    assert apart(unit, run, 0.8, 0.1) < CLOSE


@with_gcc
@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_random_arms_move_as_simulate_has_them(seed, tmp_path):
    robot, q, qd, tau, restitution = random_arm(seed)
    unit = Unit(qddot.export(robot, tmp_path / "f", target="fmu").files[seed % 2], tmp_path / "u")
    state = zip(robot.joint_names, q, qd, tau, strict=True)
    for joint, *values in state:
        unit.set_all({f"{joint}.{k}": x for k, x in zip(("q", "qd", "tau"), values, strict=True)})
    unit.set_all({"stops": True, "restitution": restitution})
    unit.start()
    named = dict(torque=tau, stops=restitution, tolerance=1e-12)
    run = qddot.simulate(robot, q, qd, duration=1.5, **named)
    assert apart(unit, run, 1.5) < CLOSE


def test_parameters_may_change_between_steps_and_states_come_back(files, tmp_path):
    unit, names = Unit(files[2], tmp_path / "u"), ["j1.q", "j2.q", "j3.q", "j1.qd"]
    unit.start()
    moved(unit, names, 0.2)
    kept = ctypes.c_void_p()
    unit.call("GetFMUstate", ctypes.byref(kept))
    first = moved(unit, names, 0.3)
    unit.set_all({"payload.m": 2.0})
    unit.call("SetFMUstate", kept)
    assert np.array_equal(moved(unit, names, 0.3), first)
    size = ctypes.c_size_t()
    unit.call("SerializedFMUstateSize", kept, ctypes.byref(size))
    data, other = ctypes.create_string_buffer(size.value), ctypes.c_void_p()
    unit.call("SerializeFMUstate", kept, data, size)
    unit.call("DeSerializeFMUstate", data, size, ctypes.byref(other))
    unit.call("SetFMUstate", other)
    unit.set_all({"payload.m": 2.0})
    assert np.abs(moved(unit, names, 0.3) - first).max() > 1e-3
    for state in (kept, other):
        unit.call("FreeFMUstate", ctypes.byref(state))
    unit.call("Reset")
    assert unit.get("payload.m", "j1.qd").tolist() == [0.0, 0.0]


@pytest.mark.parametrize("version", [2, 3])
def test_rates_and_directional_derivatives_are_those_of_the_kernels(version, files, tmp_path):
    unit, robot = Unit(files[version], tmp_path / "u", "ModelExchange"), arm()
    rng = np.random.default_rng(0)
    q, qd, tau, dq, dqd, dtau = rng.uniform(-0.9, 0.9, (6, 3))
    named = {
        f"j{i + 1}.{k}": x[i] for i in range(3) for k, x in (("q", q), ("qd", qd), ("tau", tau))
    }
    unit.set_all(named)
    unit.start()
    rates, count = np.empty(6), ctypes.c_size_t(6)
    name = "GetDerivatives" if version == 2 else "GetContinuousStateDerivatives"
    unit.call(name, ctypes.c_void_p(rates.ctypes.data), count)
    wanted = robot.forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(rates, [*qd, *wanted], rtol=1e-11)
    knowns = [f"j{i + 1}.{k}" for k in ("q", "qd", "tau") for i in range(3)]
    unknowns = [f"j{i + 1}.{k}" for k in ("qd", "qdd") for i in range(3)]
    found = unit.derivative(unknowns, knowns, [*dq, *dqd, *dtau])
    by_q, by_qd, by_tau = robot.forward_dynamics_derivatives(q, qd, tau)
    right = by_q @ dq + by_qd @ dqd + by_tau @ dtau
    np.testing.assert_allclose(found, [*dqd, *right], rtol=1e-10)
    unit.set_all({"payload.m": 0.5})
    (by_mass,) = unit.derivative(["j1.qdd"], ["payload.m"], [1.0])
    h, accelerations = 1e-6, []
    for m in (0.5 + h, 0.5 - h):
        unit.set_all({"payload.m": m})
        accelerations.append(unit.get("j1.qdd")[0])
    assert by_mass == pytest.approx((accelerations[0] - accelerations[1]) / (2 * h), rel=1e-6)


def test_an_event_of_model_exchange_stops_and_throws_back(files, tmp_path):
    unit = Unit(files[3], tmp_path / "u", "ModelExchange")
    unit.set_all({"j3.q": 1.0, "j3.qd": 2.0, "restitution": 0.5, "stops": True, "j1.coulomb": 50.0})
    unit.start()
    z = unit.get("j3.to_upper", "j3.to_lower", "j1.grip")
    assert z[0] == pytest.approx(0, abs=1e-12)
    assert (z[1:] > 1.9).all()
    flags = [ctypes.c_bool() for _ in range(5)] + [ctypes.c_double()]
    unit.call("UpdateDiscreteStates", *map(ctypes.byref, flags))
    assert flags[3].value  # states have changed
    assert unit.get("j3.qd")[0] == pytest.approx(-1.0)


@pytest.mark.parametrize(
    ("name", "value"),
    [("j1.coulomb", -1.0), ("payload.m", -0.1), ("restitution", 1.5), ("gravity.y", np.nan)],
)
def test_what_no_arm_can_have_is_refused(name, value, files, tmp_path):
    unit = Unit(files[2], tmp_path / "u")
    with pytest.raises(AssertionError, match="SetReal"):
        unit.set_all({name: value})
    unit.set_all({"j1.q": 1.2, "stops": True})
    with pytest.raises(AssertionError, match="ExitInitializationMode"):
        unit.start()


def test_every_variable_has_its_unit_and_every_name_is_kept(files, tmp_path):
    for version, path in files.items():
        root = Unit(path, tmp_path / f"u{version}").root
        rows = {row.attrib["name"]: row for row in root.find("ModelVariables")}
        units = {unit.attrib["name"] for unit in root.find("UnitDefinitions")}
        values = {n: (row[0] if version == 2 else row).attrib for n, row in rows.items()}
        assert values["j1.tau"]["unit"] == "N.m"
        assert values["j2.viscous"]["unit"] == "N.m.s/rad"
        assert float(values["j2.viscous"]["start"]) == 0.1
        assert {v["unit"] for v in values.values() if "unit" in v} == units
        for name in ("gravity.z", "payload.Ixy", "restitution", "stops"):
            assert rows[name].attrib["variability"] == "tunable"


def test_hostile_names_are_names_and_no_code(tmp_path, monkeypatch):
    monkeypatch.setattr("qddot.exporting.fmu_files.shutil.which", lambda name: None)
    hostile = 'a<b>&"*/system(1)'
    with pytest.warns(RobotWarning):
        robot = qddot.from_dh([dict(a=1.0, mass=1.0, name=hostile)], "standard", name='x"y')
    with pytest.warns(RobotWarning, match="no C compiler"):
        files = qddot.export(robot, tmp_path, target="fmu").files
    for path in files:
        with zipfile.ZipFile(path) as archive:
            root = ElementTree.fromstring(archive.read("modelDescription.xml"))
            sources = [n for n in archive.namelist() if n.startswith("sources/")]
            assert not any(b"system" in archive.read(name) for name in sources)
        assert f"{hostile}.q" in {row.attrib["name"] for row in root.find("ModelVariables")}
        assert root.attrib["variableNamingConvention"] == "flat"


def test_what_is_lost_is_said_before_anything_is_written(tmp_path, monkeypatch):
    robot = arm().with_friction(static=1.0, stribeck_velocity=0.1)
    monkeypatch.setattr("qddot.exporting.fmu_files.shutil.which", lambda name: None)
    monkeypatch.setattr("qddot.exporting.exported.write_files", lambda *_: (tmp_path / "nothing",))
    with pytest.warns(RobotWarning) as told:
        done = qddot.export(robot, tmp_path, target="fmu")
    words = " ".join(str(w.message) for w in told)
    assert "no C compiler" in words
    assert "static friction" in words
    assert len(done.lost) == 2
    assert done.problems == done.lost


@with_gcc
@pytest.mark.long
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_sources_compile_without_a_word(compiler, files, tmp_path):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    for path in files.values():
        with zipfile.ZipFile(path) as archive:
            archive.extractall(tmp_path)
    strict = ["-std=gnu99", "-O2", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-c"]
    sources = sorted((tmp_path / "sources").glob("*.c"))
    done = run(compiler, *strict, *sources, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not done.stderr


MAIN = """
#include "arm.h"
#include <math.h>
int main(void)
{
  Arm arm;
  arm_reset(&arm);
  arm.stops = 1;
  arm.restitution = 0.5;
  for (int i = 0; i < JOINTS; ++i) arm.q[i] = 0.5 - 0.3 * i;
  for (int k = 1; k <= 300; ++k)
    if (!arm_advance(&arm, 0.01 * k)) return 1;
  return !isfinite(arm.q[0]);
}
"""


@with_gcc
@pytest.mark.long
def test_the_sanitizers_find_nothing_in_a_run_with_events(files, tmp_path):
    with zipfile.ZipFile(files[2]) as archive:
        archive.extractall(tmp_path)
    (tmp_path / "sources" / "main.c").write_text(MAIN)
    flags = ["-std=gnu99", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    sources = ["main.c", "arm.c", "contact.c", "variables.c", "model.c"]
    command = ["gcc", *flags, *sources, "-o", "made", "-lm"]
    run(*command, cwd=tmp_path / "sources", check=True)
    done = run(tmp_path / "sources" / "made")
    assert done.returncode == 0, done.stderr


FMPY = """
import json, sys
import fmpy, fmpy.validation
path, kind, start = json.loads(sys.argv[1])
problems = fmpy.validation.validate_fmu(path)
rows = fmpy.simulate_fmu(path, fmi_type=kind, stop_time=3.0, step_size=0.01, output_interval=0.01,
    start_values=start, output=["j1.q", "j2.q", "j3.q"], relative_tolerance=1e-11)
print(json.dumps([list(problems), [list(map(float, row)) for row in rows]]))
"""


@pytest.mark.skipif(not importlib.util.find_spec("fmpy"), reason="FMPy is not installed")
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("version", [2, *long(3)])
def test_fmpy_finds_nothing_wrong_and_simulates_the_same(version, kind, files):
    start = {f"j{i + 1}.q": x for i, x in enumerate(Q0)} | {"restitution": 0.5, "stops": True}
    job = json.dumps([str(files[version]), kind, start])
    path = {"PYTHONPATH": ":".join(sys.path)}
    done = run(sys.executable, "-c", FMPY, job, env=path)
    assert done.returncode == 0, done.stderr
    problems, rows = json.loads(done.stdout.splitlines()[-1])
    assert not problems
    wanted = qddot.simulate(arm(), Q0, duration=3.0, stops=0.5, tolerance=1e-12)
    apart = [np.abs(wanted.at(min(t, 3.0))[0] - q).max() for t, *q in rows]
    # with model exchange the steps, and where events are, are FMPy's
    assert max(apart) < (CLOSE if kind == "CoSimulation" else 1e-6)
