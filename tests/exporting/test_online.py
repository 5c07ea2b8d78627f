"""An online estimator in C: 50 updates as in Python, a check that finds mistakes, refusals."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from exporting.test_c import build
from identification.excited import excited
from long import long

import qddot
from qddot.errors import BadArgument
from qddot.identification import coupled

with_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")


@pytest.fixture(scope="module")
def robot():
    """An arm with all that is not a column: a Stribeck curve."""
    plain = qddot.load("two_link")
    return plain.with_friction(viscous=2.0, coulomb=1.0, static=1.4, stribeck_velocity=0.2)


@pytest.fixture(scope="module")
def fit(robot):
    rows = excited(robot, 300, 0, 0.5)
    return qddot.identify(
        robot, rows, terms=(), extra=coupled(robot, "j1", "j2"), unexcited="merge"
    )


def doubles(x):
    return np.ascontiguousarray(x, dtype=float).ctypes.data_as(ctypes.POINTER(ctypes.c_double))


@with_gcc
@pytest.mark.parametrize("memory", [5.0, *long(None)])
def test_fifty_updates_are_those_of_python(robot, fit, memory, tmp_path):
    online = fit.online(memory)
    qddot.export(robot, tmp_path, functions=["gravity_torque", online])
    (tmp_path / "two_link_check.c").unlink()
    build("gcc", tmp_path, "-O1", "-shared", "-fPIC")
    library = ctypes.CDLL(str(tmp_path / "made"))
    r = len(online.values)
    values, root, out = np.zeros(r), np.zeros((r, r)), np.zeros(r)
    library.two_link_online_start(doubles(values), doubles(root))
    assert values == pytest.approx(fit.values)
    q, qd, qdd, tau = excited(robot, 50, 7, 0.5)
    tau[3, 0], tau[4] = np.nan, np.inf
    for row in zip(q, qd, qdd, tau, strict=True):
        online.update(*row, step=0.01)
        library.two_link_online_update(
            doubles(values), doubles(root), *map(doubles, row), ctypes.c_double(0.01)
        )
        assert values == pytest.approx(online.values, rel=1e-9, abs=1e-9)
    library.two_link_online_deviations(doubles(root), doubles(out))
    assert out == pytest.approx(online.deviations, rel=1e-9)
    assert np.abs(values - fit.values).max() > 1e-3  # the rows had something to say


@with_gcc
@pytest.mark.parametrize("dtype", ["float64", *long("float32")])
def test_the_check_agrees_and_finds_a_wrong_sign(robot, fit, dtype, tmp_path):
    qddot.export(robot, tmp_path, functions=[fit.online(20.0)], dtype=dtype)
    done = subprocess.run([build("gcc", tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "two_link_online_update" in done.stdout
    source = tmp_path / "two_link.c"
    source.write_text(source.read_text().replace("-= b * gain[k]", "+= b * gain[k]"))
    done = subprocess.run([build("gcc", tmp_path)], capture_output=True, text=True)
    assert done.returncode == 1


def test_other_targets_and_other_robots_are_refused(robot, fit, tmp_path):
    with pytest.raises(BadArgument, match=r"to C and C\+\+ alone"):
        qddot.export(robot, tmp_path, target="matlab", functions=[fit.online()])
    with pytest.raises(BadArgument, match="not of robot"):
        qddot.export("ur5", tmp_path, functions=[fit.online()])
    assert not list(tmp_path.iterdir())


def test_a_copy_goes_its_own_way(robot, fit):
    online = fit.online()
    other = online.copy()
    q, qd, qdd, tau = excited(robot, 1, 3)
    other.update(q[0], qd[0], qdd[0], tau[0] + 50)
    assert online.values == pytest.approx(fit.values)
    assert not np.allclose(other.values, online.values)
