"""Bundles: what another machine needs is inside, and nothing else is."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from long import one_in
from nearness import ACCURATE, assert_near

import qddot
from qddot.errors import QddotError
from qddot.exporting import player
from qddot.program.operations import OPERATIONS

ROBOTS = ("panda", "ur5", "puma560", "rp", "two_link", "double_pendulum")
FUNCTIONS = ("inverse_dynamics", "mass_matrix", "inverse_dynamics_derivatives", "kinetic_energy")
# the bundle must not need qddot: neither it nor what it is made of may be imported
CODE = """
import json, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("qddot", "scipy", "llvmlite", "flint"):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
sys.path.insert(0, sys.argv[1])
import NAME_bundle as robot
given = json.loads(sys.argv[2])
found = {}
for name, function in robot.FUNCTIONS.items():
    results = function(*given[: len(function.inputs)])
    results = results if isinstance(results, tuple) else (results,)
    found[name] = [x.tolist() for x in results]
print(json.dumps(found))
"""


@pytest.mark.parametrize("name", one_in(6, ROBOTS[::-1]))
def test_numpy_alone_runs_a_bundle(name, tmp_path):
    robot = qddot.load(name)
    (path,) = qddot.export(robot, tmp_path, target="bundle", functions=FUNCTIONS).files
    given = np.random.default_rng(0).normal(size=(3, 5, robot.n))
    run = subprocess.run(
        [sys.executable, "-c", CODE.replace("NAME", name), path, json.dumps(given.tolist())],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stderr
    for function, found in json.loads(run.stdout).items():
        wanted = getattr(robot, function)(*given[: len(robot.program(function).inputs)])
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        for a, b in zip(found, wanted, strict=True):
            assert_near(a, b, tolerance=ACCURATE)


def test_a_bundle_checks_itself(tmp_path):
    (path,) = qddot.export(qddot.load("rp"), tmp_path, target="bundle").files
    run = subprocess.run([sys.executable, path], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("NumPy, off by") == 5


def test_a_bundle_is_the_same_bytes_every_time(tmp_path):
    made = [
        qddot.export(qddot.load("rp"), tmp_path / str(k), target="bundle").files[0] for k in (1, 2)
    ]
    assert made[0].read_bytes() == made[1].read_bytes()


def test_qddot_compiles_a_bundle(tmp_path):
    robot = qddot.load("panda")
    (path,) = qddot.export(robot, tmp_path, target="bundle", functions=["mass_matrix"]).files
    q = np.random.default_rng(0).normal(size=(10, 7))
    assert np.array_equal(qddot.load_bundle(path)["mass_matrix"](q), robot.mass_matrix(q))


def test_the_player_knows_every_operation():
    assert player.OPERATIONS.keys() == OPERATIONS.keys()
    values = np.linspace(0.1, 3, 7)
    for name, op in OPERATIONS.items():
        given = [np.roll(values, k) for k in range(op.arity)]
        assert np.array_equal(player.OPERATIONS[name](*given), op.apply(*given)), name


def changed(path, **changes):
    """Return a bundle of which entries of the content are others."""
    other = path.with_name("other.zip")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name.endswith("content.json"):
                data = json.dumps(json.loads(data) | changes).encode()
            new.writestr(name, data)
    return other


def test_another_version_is_told(tmp_path):
    (path,) = qddot.export(qddot.load("rp"), tmp_path, target="bundle").files
    other = changed(path, format=99)
    with pytest.raises(QddotError, match="format 99, and this qddot reads 1"):
        qddot.load_bundle(other)
    run = subprocess.run([sys.executable, other], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 1
    assert "has format 99, and its player knows 1" in run.stderr


@pytest.mark.parametrize("content", [b"", b"PK\3\4 no zip", b"{}"])
def test_what_is_no_bundle_is_told(content, tmp_path):
    path = tmp_path / "b.zip"
    path.write_bytes(content)
    with pytest.raises(QddotError, match=r"it is not a bundle. Export it again"):
        qddot.load_bundle(path)
    with pytest.raises(QddotError, match="does not exist"):
        qddot.load_bundle(tmp_path / "none.zip")


def test_a_bundle_with_broken_programs_is_told(tmp_path):
    (path,) = qddot.export(qddot.load("rp"), tmp_path, target="bundle").files
    for functions in ({"f": {"program": {"format": 1}}}, {"f": {}}, [], {"f": 3}):
        with pytest.raises(QddotError, match="it is not a"):
            qddot.load_bundle(changed(path, functions=functions))


def test_shapes_that_cannot_be_are_refused_by_the_player(tmp_path):
    (path,) = qddot.export(qddot.load("rp"), tmp_path, target="bundle").files
    code = (
        f"import sys; sys.path.insert(0, {str(path)!r}); import rp_bundle as r; r.mass_matrix([1])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "q has shape (1,); it must have shape (..., (2,))" in run.stderr
