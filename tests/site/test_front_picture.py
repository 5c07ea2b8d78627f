"""The picture of the front page shows what is derived and proved, nothing else."""

from pathlib import Path

import front_picture
import pytest
from matplotlib.figure import Figure

import qddot

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def words():
    drawn = front_picture.front()
    return [text.get_text() for axes in drawn.axes for text in axes.texts]


def test_its_numbers_are_those_of_the_equations(words):
    eqs = qddot.derive(qddot.load("ur5"))
    shown = "".join(word.strip("${}") for word in words)
    for entry in (eqs.g[1], eqs.M[3, 3]):
        numbers = [part for part in str(entry).replace("−", " ").split() if part[0].isdigit()]
        assert numbers
        assert all(number in shown for number in numbers), (numbers, shown)


def test_every_tick_stands_for_a_proof(words):
    assert set(front_picture.PROVED) <= set(words)


def test_a_claim_that_is_not_proved_gets_no_tick(monkeypatch):
    false = {"C = Ṁ − ½U is right too": "Ṁ − 2C is skew for C = Ṁ − ½U", "no such claim": "pigs"}
    monkeypatch.setattr(front_picture, "PROVED", false)
    axes = Figure().add_subplot()
    front_picture.write_equations(axes, qddot.load("ur5"))
    assert not set(false) & {text.get_text() for text in axes.texts}


def test_the_picture_is_light():
    assert (ROOT / "docs" / "front.svg").stat().st_size < 200_000
