"""`qddot.` and the Tab key: every public name is shown, found when asked for, and nothing else."""

import ast
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import qddot
from qddot.errors import BadArgument, UnknownRobot

ROOT = Path(__file__).resolve().parents[1]
ROOMS = [name for name in qddot.__all__ if isinstance(getattr(qddot, name), ModuleType)]
PACKAGES = [qddot, *(getattr(qddot, name) for name in ROOMS if name != "errors")]
PAGES = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("[0-9]*.py")]


def public(package):
    return [name for name in dir(package) if not name.startswith("_")]


def test_dir_shows_the_verbs_and_the_rooms():
    assert set(public(qddot)) == set(qddot.__all__)
    assert {"simulate", "derive", "identify", "report", "show", "bench"} <= set(qddot.__all__)
    assert {"certificate", "control", "doctor", "identification", "motions", "plot"} <= set(ROOMS)
    assert "on_demand" not in public(qddot)
    assert {"__version__", "__doc__"} <= set(dir(qddot))


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_what_dir_shows_is_what_is_public_and_is_there(package):
    assert public(package) == sorted(package.__all__)
    for name in package.__all__:
        assert getattr(package, name) is not None


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_no_module_hides_what_has_its_name(package):
    """A package's attribute becomes the module of that name as soon as anyone imports it."""
    modules = {path.stem for path in Path(package.__file__).parent.glob("*.py")}
    modules |= {path.parent.name for path in Path(package.__file__).parent.glob("*/__init__.py")}
    for name in modules.intersection(package.__all__):
        assert isinstance(getattr(package, name), ModuleType), name


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_what_editors_see_is_what_is_there(package):
    """The imports for type checkers and what is imported on demand name the same."""
    tree = ast.parse(Path(package.__file__).read_text(encoding="utf-8"))
    seen = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("qddot"):
            for alias in node.names:
                if alias.name == "*":
                    seen |= set(import_module(node.module).__all__)
                elif alias.asname == alias.name or alias.name in package.__all__:
                    seen.add(alias.name)
    # modules that are only that are found by editors without a word
    modules = {n for n in package.__all__ if isinstance(getattr(package, n), ModuleType)}
    assert set(package.__all__) - modules <= seen <= set(package.__all__)


def in_a_process_of_its_own(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_looking_at_dir_and_importing_a_room_import_nothing_else():
    code = """
import sys, qddot
before = set(sys.modules)
names = dir(qddot)
print(*(set(sys.modules) - before))
for room in ("control", "identification", "simulation", "certificate", "studio", "doctor"):
    dir(getattr(qddot, room))
print(*({"numpy", "qddot.robot", "qddot.control.loop", "qddot.control.laws"} & {*sys.modules}))
"""
    assert in_a_process_of_its_own(code) == []


def test_a_name_that_is_not_there_is_answered_with_the_nearest():
    with pytest.raises(AttributeError, match=r"'simulat'. Did you mean 'simulate'\?"):
        qddot.simulat  # noqa: B018
    with pytest.raises(AttributeError, match=r"Did you mean 'ComputedTorque'\?"):
        qddot.control.ComputdTorque  # noqa: B018
    assert not hasattr(qddot, "__wrapped__")  # which tools ask of everything


def test_the_motions_are_those_of_their_own_room():
    assert qddot.control.Quintic is qddot.motions.Quintic
    assert set(qddot.motions.__all__) <= set(qddot.control.__all__)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_and_examples_import_public_names_only(path):
    text = path.read_text(encoding="utf-8")
    for module, names in re.findall(
        r"^ *from (qddot[\w.]*) import (\([^)]*\)|[^(\n#]*)", text, re.M
    ):
        assert module.count(".") <= 1, f"{module} is not public"
        package = import_module(module)
        offered = public(package)
        for name in re.findall(r"\w+(?: as \w+)?", names):
            assert name.partition(" ")[0] in offered, f"{module} does not offer {name}"


def test_rooms_that_are_verbs_can_be_called(tmp_path):
    arm = qddot.load("two_link")
    law = qddot.control.PDGravity(arm, kp=2000, kd=1000, reference=[0.1, 0.1])
    run = qddot.control(arm, law, q0=[0, 0], duration=0.1)
    assert isinstance(run, qddot.control.ClosedLoop)
    found = qddot.doctor(arm, peers=())
    assert found.ok
    assert "two_link" in repr(found)
    bad = tmp_path / "arm.urdf"
    bad.write_text("<robot name='arm'><link/></robot>", encoding="utf-8")
    found = qddot.doctor(bad, peers=())
    assert not found.ok
    assert found.problems


@pytest.mark.parametrize(
    "name", sorted({*qddot.control.laws.__all__} - {"Assumption", "ControlLaw"})
)
def test_help_explains_every_argument_of_a_law(name):
    law = getattr(qddot.control, name)
    told = re.findall(r"^ {4}([\w, ]+): ", inspect.getdoc(law) or "", re.MULTILINE)
    explained = {word for words in told for word in words.split(", ")}
    assert set(inspect.signature(law).parameters) <= explained


def test_showing_a_robot_or_the_library(capsys):
    qddot.show("two_link")
    assert "j1" in capsys.readouterr().out
    qddot.show()
    assert "panda" in capsys.readouterr().out


STATES = tuple(np.linspace(-1, 1, 240).reshape(3, 40, 2))
VERBS = {
    "derive": lambda arm: qddot.derive(arm).text("g"),
    "prove": lambda arm: [claim.holds for claim in qddot.prove(arm).claims],
    "simulate": lambda arm: qddot.simulate(arm, [0.1, 0.2], duration=0.05).q,
    "rollout": lambda arm: qddot.rollout(arm, [0.1, 0.2], steps=3, step=0.01).q,
    "certify": lambda arm: qddot.certify(arm, quantities=["g.norm1"])["g.norm1"].upper,
    "identifiable": lambda arm: qddot.identifiable(arm, STATES).rank,
    "identify": lambda arm: (
        qddot.identify(
            arm, (*STATES, qddot.load("two_link").inverse_dynamics(*STATES)), terms=()
        ).values
    ),
    "to_casadi": lambda arm: np.array(qddot.to_casadi(arm).gravity_torque([0.1, 0.2])),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_takes_a_robot_its_name_its_file_or_its_model(verb, tmp_path):
    arm = qddot.load("two_link")
    path = tmp_path / "two_link.toml"
    arm.save(path)
    ask = VERBS[verb]
    expected = ask(arm)
    for given in ("two_link", path, arm.model):
        assert np.all(ask(given) == expected)


def test_an_excitation_and_an_export_are_made_of_a_name(tmp_path):
    motion = qddot.excite(
        "two_link", period=5, harmonics=2, starts=1, limits={"velocity": 2, "lower": -1, "upper": 1}
    )
    assert motion.robot_name == "two_link"
    made = qddot.export("two_link", tmp_path / "c", functions=["gravity_torque"])
    assert made.files


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_no_robot_is_refused_in_words(verb):
    for given in (None, 3, b"two_link", ["two_link"], np.zeros(2)):
        with pytest.raises(BadArgument, match=r"is no robot. Give one \(qddot.load, qddot.from_dh"):
            VERBS[verb](given)
    with pytest.raises(UnknownRobot, match=r"Did you mean 'two_link'\?"):
        VERBS[verb]("two_lnk")
