"""`qddot.` and the Tab key: every public name is shown, found when asked for, and nothing else."""

import subprocess
import sys

import numpy as np
import pytest

import qddot
from qddot.errors import BadArgument, UnknownRobot

LAZY = "simulation, identification, certificate, control, studio, plot, doctor, equations"


def public(package):
    return [name for name in dir(package) if not name.startswith("_")]


def test_dir_shows_the_public_names_and_the_rooms_and_nothing_else():
    assert set(public(qddot)) == {*qddot.__all__, *qddot.ROOMS}
    assert {"simulate", "derive", "identify", "report", "control", "plot"} <= set(public(qddot))
    assert "import_module" not in public(qddot)
    assert {"__version__", "__doc__"} <= set(dir(qddot))


def in_a_process_of_its_own(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_every_name_that_dir_shows_is_there_and_looking_at_dir_imports_nothing():
    code = f"""
import sys, qddot
before = set(sys.modules)
names = dir(qddot)
print(*(set(sys.modules) - before))
for name in names:
    getattr(qddot, name)
for name in "{LAZY}".split(", "):
    room = getattr(qddot, name)
    for each in dir(room):
        getattr(room, each)
print("all there", qddot.motions.Quintic is qddot.control.Quintic)
"""
    assert in_a_process_of_its_own(code) == ["all", "there", "True"]


def test_a_name_that_is_not_there_is_answered_with_the_nearest():
    with pytest.raises(AttributeError, match=r"'simulat'. Did you mean 'simulate'\?"):
        qddot.simulat  # noqa: B018
    with pytest.raises(AttributeError, match=r"Did you mean 'ComputedTorque'\?"):
        qddot.control.ComputdTorque  # noqa: B018
    assert not hasattr(qddot, "__wrapped__")  # which tools ask of everything


def test_laws_motions_and_closed_loop_are_imported_from_one_place():
    from qddot import motions
    from qddot.control import PD, ComputedTorque, Quintic, closed_loop, laws

    assert PD is laws.PD
    assert ComputedTorque is laws.ComputedTorque
    assert Quintic is motions.Quintic
    import qddot.control.closed_loop  # the module must not hide the function

    assert callable(closed_loop)
    assert qddot.control.closed_loop is closed_loop
    assert set(laws.__all__) - {"Assumption"} <= set(qddot.control.__all__)
    assert set(motions.__all__) <= set(qddot.control.__all__)


def test_the_former_name_of_motions_still_works_and_says_the_new_one():
    code = """
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    from qddot.control.references import Quintic
from qddot.motions import Quintic as same
print(Quintic is same, "qddot.motions" in str(told[-1].message), told[-1].category.__name__)
"""
    assert in_a_process_of_its_own(code) == ["True", "True", "DeprecationWarning"]


STATES = tuple(np.linspace(-1, 1, 240).reshape(3, 40, 2))
VERBS = {
    "derive": lambda arm: qddot.derive(arm).text("g"),
    "prove": lambda arm: [claim.holds for claim in qddot.prove(arm).claims],
    "simulate": lambda arm: qddot.simulate(arm, [0.1, 0.2], duration=0.05).q,
    "rollout": lambda arm: qddot.rollout(arm, [0.1, 0.2], steps=3, step=0.01).q,
    "certify": lambda arm: qddot.certify(arm, quantities=["g.norm1"])["g.norm1"].upper,
    "identifiable": lambda arm: qddot.identifiable(arm, STATES).rank,
    "identify": lambda arm: (
        qddot.identify(arm, (*STATES, qddot.load("two_link").inverse_dynamics(*STATES))).values
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
