"""Results on a terminal that knows few letters: print writes them in ASCII and never fails."""

import io
import sys

import pytest
from made import ARM

import qddot
from qddot.certificate.ellipsoid import mass_ellipsoid
from qddot.plain_text import fitting, spelled

EQUATIONS = qddot.derive(ARM)
RESULTS = {
    "robot": lambda: ARM,
    "equations": lambda: EQUATIONS,
    "text": lambda: EQUATIONS.text("tau"),
    "matrix": lambda: EQUATIONS.M,
    "entry": lambda: EQUATIONS.c[0],
    "step": lambda: EQUATIONS.steps[-1],
    "proof": lambda: qddot.prove(ARM),
    "certificate": lambda: qddot.certify(ARM, quantities=["g.norm1"], identities=False),
    "bound": lambda: qddot.certify(ARM, quantities=["g.norm1"], identities=False)["g.norm1"],
    "effective mass": lambda: mass_ellipsoid(ARM, [0, 1.0], "tool"),
    "run": lambda: qddot.simulate(ARM, [0.1, 0], duration=0.01),
}


@pytest.fixture
def console(monkeypatch):
    """Return a function that gives stdout an encoding, as Windows does in a pipe."""

    def encoded(encoding):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
        monkeypatch.setattr(sys, "stdout", stream)
        return stream

    return encoded


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_can_be_printed_on_a_windows_console(name, console):
    stream = console("cp1252")
    result = RESULTS[name]()
    print(result)
    print(repr(result)[:5])
    stream.flush()
    assert stream.buffer.getvalue().decode("cp1252").strip()


def test_text_follows_stdout_unless_told(console):
    assert "q̇1²" in EQUATIONS.text("c")
    console("cp1252")
    assert EQUATIONS.text("c") == EQUATIONS.text("c", ascii=True)
    assert "qd1^2" in EQUATIONS.text("c")
    assert "q̇1²" in EQUATIONS.text("c", ascii=False)
    console("utf-8")
    assert EQUATIONS.text("c") == EQUATIONS.text("c", ascii=False)


def test_what_fits_stays_as_it_is(console):
    console("cp1252")
    assert fitting("5 µm ± 1") == "5 µm ± 1"
    assert fitting("τ = 5") == spelled("τ = 5") == "tau = 5"
