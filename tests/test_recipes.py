"""Every recipe of CONTRIBUTING is carried out on a copy of the package as it stands there, those in
words as in recipes.md; and what it gives is used, in Python and on the command line.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import qddot

PACKAGE = Path(qddot.__file__).parent
PAGES = Path(__file__).parents[1] / "CONTRIBUTING.md", Path(__file__).with_name("recipes.md")
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
BLOCKS = re.findall(r"^```(diff|python)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
HANGS = 300  # [s]: far longer than anything here takes
FIRST = """
import io, json, sys, warnings
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np

import qddot
from qddot.cli import app
from qddot.cli.running import run

warnings.simplefilter("ignore")


def cli(*words):
    out = io.StringIO()
    with redirect_stdout(out):
        status = run(app, list(words))
    assert status == 0, (words, status)
    return out.getvalue()


robot = qddot.load("two_link")
q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 40, 2))
"""


def changed(text, hunk):
    """Return a text in which the lines of a hunk that begin with - are those that begin with +."""
    lines = hunk.strip("\n").splitlines()
    before, after = ("".join(f"{x[1:]}\n" for x in lines if x[0] in kept) for kept in (" -", " +"))
    assert text.count(before) == 1, before
    return text.replace(before, after)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package in which every recipe was carried out."""
    folder = tmp_path_factory.mktemp("recipes")
    shutil.copytree(PACKAGE, folder / "qddot")
    for kind, text in BLOCKS:
        if kind == "diff":
            for name, hunks in re.findall(r"^--- (\S+)\n(.*?)(?=^--- |\Z)", text, re.M | re.S):
                path = folder / "qddot" / name
                for hunk in hunks.split("@@\n"):
                    path.write_text(changed(path.read_text("utf-8"), hunk), "utf-8")
        elif named := re.match(r"# (\S+\.py)\n", text):
            path = folder / "qddot" / named[1]
            assert not path.exists()
            path.write_text(text[named.end() :], encoding="utf-8")
    return folder


def carried_out(copy, folder, script):
    """Run a script with the changed package, in a folder."""
    environment = os.environ | {"PYTHONPATH": str(copy), "NO_COLOR": "1", "COLUMNS": "80"}
    words = [sys.executable, "-c", FIRST + script]
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, timeout=HANGS
    )
    assert done.returncode == 0, done.stderr[-3000:]


HELICAL = next(text for kind, text in BLOCKS if "class Helical" in text)
FRICTION = """
rough = robot.with_friction(drag=3.0, viscous=1.0)
plain = robot.with_friction(viscous=1.0)
drag = rough.inverse_dynamics(q, qd, qdd) - plain.inverse_dynamics(q, qd, qdd)
assert np.allclose(drag, 3 * qd * abs(qd), rtol=0, atol=1e-12)
equations = qddot.derive(rough)
assert "3" in equations.text("tau") and "sgn" in equations.text("tau")
state = q[0], qd[0], qdd[0]
assert np.allclose(equations.evaluate("tau", *state), rough.inverse_dynamics(*state))
assert r"F_d\\,|" in equations._repr_latex_()
rough.save("rough.toml")
assert "drag = 3" in Path("rough.toml").read_text()
assert [j.friction.drag for j in qddot.load("rough.toml").model.free_joints] == [3, 3]
assert "F_d" in cli("derive", "rough.toml", "--format", "latex")
assert "sgn" in cli("derive", "two_link", "--set", "friction.drag=2", "--quantity", "tau")
run_of = qddot.simulate(rough, [0.3, 0.2], duration=0.5)
rolled = qddot.rollout(rough, [0.3, 0.2], steps=500, step=0.001)
assert np.allclose(run_of.q[-1], rolled.q[-1], rtol=0, atol=1e-6)
fit = qddot.identify(plain, (q, qd, qdd, rough.inverse_dynamics(q, qd, qdd)), terms=("drag",))
found = dict(zip(fit.names, fit.values))
assert np.isclose(found["j1.fd"], 3) and np.isclose(found["j2.fd"], 3)
from qddot.motions import time_optimal
fast = time_optimal(rough, [[0, 0], [1, 1], [0.5, -1]], effort=1200.0)
states = np.array([fast.at(t) for t in np.linspace(0, fast.duration, 300)])
most = abs(rough.inverse_dynamics(*states.transpose(1, 0, 2))).max()
assert 1150 < most < 1230, most
from qddot.exporting.fmu_model import FmuModel
assert {"j1.drag", "j2.drag"} <= {p.name for p in FmuModel(plain).parameters}
assert "Fd" in cli("show", "rough.toml")
"""
USES = {
    "joint": HELICAL
    + """
text = Path(qddot.__file__).with_name("readers").joinpath("library/rp.toml").read_text("utf-8")
Path("lead.toml").write_text(text.replace('"prismatic"', '"helical"\\npitch = "0.1"'), "utf-8")
screw = qddot.load("lead.toml")
assert "helical" in str(screw.model.joints)
assert screw.mass_matrix(np.ones(2)).shape == (2, 2)
assert qddot.simulate(screw, [0.1, 0.2], duration=0.2).good
assert qddot.prove(screw).holds
for verb in (["show"], ["derive"], ["prove"], ["simulate", "--duration", "0.2"]):
    cli(verb[0], "lead.toml", *verb[1:])
cli("export", "lead.toml", "--target", "c", "-o", "lead_c")
""",
    "friction term": FRICTION,
    "export target": """
done = qddot.export(robot, "python", target="listing", functions=["mass_matrix"])
assert [path.name for path in done.files] == ["two_link_mass_matrix.lst"]
cli("export", "two_link", "--target", "listing", "-o", "here")
assert (Path("here") / "two_link_gravity_torque.lst").read_text("utf-8").strip()
assert "listing" in cli("export", "--help")
""",
    "section": """
from qddot.present.report.report import KEYS

assert KEYS.index("weight") == 1
qddot.report("two_link", "python.html", sections=["weight"])
cli("report", "two_link", "-o", "line.html", "--sections", "weight")
for name in ("python", "line"):
    assert "Its moving parts weigh" in Path(f"{name}.html").read_text("utf-8")
""",
    "law": """
from qddot.control import closed_loop
from qddot.control.laws.soft import Soft

law = Soft(robot, kp=3000, kd=1200, reference=np.array([0.5, -0.3]))
assert closed_loop(robot, law, q0=[0, 0], duration=3).report.falls
assert "soft" in cli("control", "--help")
told = json.loads(cli("control", "two_link", "--law", "soft", "--duration", "0.5", "--json"))
cli("export", "two_link", "--law", "soft", "-o", "soft_c")
assert "two_link_soft" in (Path("soft_c") / "two_link.h").read_text("utf-8")
""",
    "reference": """
from qddot.motions.swing import Swing

there = Swing([0, 0], [1, 1], 2.0)
assert np.allclose(there.at(1.0)[0], 1)
cli("control", "two_link", "--reference", "swing 1,1 2.0", "--duration", "0.5")
assert "swing" in cli("control", "--help")
""",
    "formulation": """
equations = qddot.derive("two_link_symbolic", "energies")
assert equations == qddot.derive("two_link_symbolic", "lagrange")
assert "energies      that of Hamilton" in str(qddot.prove("two_link_symbolic"))
assert "Momenta" in cli("derive", "two_link_symbolic", "--formulation", "energies", "--steps")
assert "energies" in cli("prove", "two_link_symbolic", "--json")
""",
    "file format": """
robot.save("python.lines")
cli("export", "two_link", "-o", "line.lines")
assert Path("python.lines").read_text("utf-8") == Path("line.lines").read_text("utf-8")
assert qddot.load("line.lines").model.joints == robot.model.joints
assert "two_link" in cli("show", "line.lines")
assert ".lines" in cli("export", "--help")
""",
    "quantity of Equations": """
equations = qddot.derive("two_link")
assert np.allclose(equations.evaluate("twice_g", q[0]), 2 * robot.gravity_torque(q[0]))
assert equations.text("twice_g") in cli("derive", "two_link", "--quantity", "twice_g")
""",
    "task": """
from qddot.control import TaskVelocity
from qddot.control.tasks.first_task import FirstTask

chosen = TaskVelocity(robot, FirstTask(gain=1.0))
assert chosen(q[0], np.array([q[0, 0] + 0.1]))[0] > 0
""",
    "estimator": """
fit = qddot.identify(robot, (q, qd, qdd, robot.inverse_dynamics(q, qd, qdd)), method="damped")
assert fit.method == "Damped" and fit.relative_error < 1e-4
cli("control", "two_link", "--duration", "5", "-o", "log.csv")
assert "Damped" in cli("identify", "two_link", "log.csv", "--method", "damped")
assert "damped" in cli("identify", "--help")
""",
}


@pytest.mark.parametrize("recipe", USES)
def test_what_a_recipe_gives_works_in_python_and_on_the_command_line(recipe, copy, tmp_path):
    carried_out(copy, tmp_path, USES[recipe])
