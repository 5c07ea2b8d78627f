"""What qddot prints it reads, in every notation, as text and as LaTeX."""

import pytest
from long import long

import qddot
from qddot.errors import QddotError
from qddot.formulations.notation_file import notation_names

QUANTITIES = ("M", "C", "c", "g", "tau", "K", "P", "gamma", "centrifugal", "coriolis", "M_rate")
QUICK = ("M", "C", "tau")
ARMS = [
    *("rp_symbolic", "two_link_symbolic", "two_link_point_symbolic", "double_pendulum_symbolic"),
    *("mass_spring_damper_symbolic", "two_link", "scara", "two_link_motors_symbolic"),
]
OWN = """
angle = '\\phi'
length = "r"
velocity = "$x'"
acceleration = "$x''"
sine = '\\mathrm{S}'
cosine = '\\mathrm{C}'
coriolis_matrix = '\\mathcal{C}'
"""


def printed(eqs, name):
    yield from (eqs.text(name), eqs.text(name, ascii=True), eqs.latex(name))
    yield eqs.latex(name, full=True)


@pytest.mark.parametrize("letters", notation_names())
@pytest.mark.parametrize("name", ARMS[:1])
def test_some_that_is_printed_is_read(name, letters):
    eqs = qddot.derive(name, notation=letters)
    for quantity in QUICK:
        for text in printed(eqs, quantity):
            assert eqs.check(quantity, text).ok, (quantity, text)


@pytest.mark.parametrize(
    ("name", "letters"), long(*((a, b) for a in ARMS for b in notation_names()))
)
def test_all_that_is_printed_is_read(name, letters):
    eqs = qddot.derive(name, notation=letters)
    for quantity in QUANTITIES:
        for text in printed(eqs, quantity):
            assert eqs.check(quantity, text).ok, (quantity, text)


@pytest.mark.parametrize("name", ["rp_symbolic", *long("two_link_symbolic")])
def test_letters_of_ones_own_are_read(tmp_path, name):
    (tmp_path / "own.toml").write_text(OWN)
    eqs = qddot.derive(name, notation=tmp_path / "own.toml")
    for quantity in QUICK:
        for text in printed(eqs, quantity):
            assert eqs.check(quantity, text).ok, (quantity, text)


def test_parameters_that_are_called_like_functions_are_read():
    arm = qddot.from_dh([{"mass": "abs", "com": ["ln", 0, 0]}], "modified", gravity=[0, "-exp", 0])
    eqs = qddot.derive(arm)
    for text in printed(eqs, "g"):
        assert eqs.check("g", text).ok, text


def test_an_entry_that_is_a_symbol_is_no_other_entry():
    slide = {"type": "prismatic", "mass": "c12"}
    eqs = qddot.derive(qddot.from_dh([{"mass": 1, "com": ["x", 0, 0]}, slide], "modified"))
    assert eqs.check("M", "[1, 1] = x²\n[1, 2] = 0\n[2, 1] = 0\n[2, 2] = c12").ok


def test_a_letter_of_the_notation_means_what_it_means_there():
    eqs = qddot.derive("rp_symbolic", notation="lynch_park")
    assert eqs.check("g", "[(m1 l1 + m2 theta2) g cos(theta1), m2 g sin θ1]").ok
    assert eqs.check("c[1]", r"2 m_2 \theta_2 \dot\theta_1 \dot\theta_2").ok
    with pytest.raises(QddotError):
        qddot.derive("rp_symbolic").check("c[1]", r"2 m_2 \theta_2 \dot\theta_1 \dot\theta_2")
