"""The decks' worked examples as printed pages, in each deck's letters: golden files.

Each was read beside its slides; where a slide is misprinted, the page has what is right (the list
of mistakes is on the pages of docs/decks). Run this file as a program, with PYTHONPATH=tests, to
write them anew; then read the difference.
"""

from pathlib import Path

import pytest

import qddot
from qddot.equations.document import document
from qddot.equations.printing import page

GOLDEN = Path(__file__).parents[1] / "golden"
DECKS = {
    "deck_s0": [("two_link_point_symbolic", "stacked")],
    "deck_s1": [("rp_symbolic", "explicit")],
    "deck_s2": [("two_link_cylinders_symbolic", "trace")],
    "deck_s3": [
        ("pendulum_symbolic", "lagrange"),
        ("two_link_symbolic", "lagrange"),
        ("two_link_symbolic", "explicit"),
    ],
    "deck_s4": [
        ("mass_spring_damper_symbolic", "lagrange"),
        ("double_pendulum_symbolic", "lagrange"),
    ],
}


def printed(deck: str) -> str:
    pages = [
        page(document(qddot.derive(robot, way, notation=deck), with_steps=True), "text")
        for robot, way in DECKS[deck]
    ]
    return "\n".join(pages)


@pytest.mark.parametrize("deck", DECKS)
def test_the_example_of_the_deck_is_printed_as_on_its_slides(deck):
    assert printed(deck) == (GOLDEN / f"{deck}.txt").read_text(encoding="utf-8")


if __name__ == "__main__":
    for name in DECKS:
        (GOLDEN / f"{name}.txt").write_text(printed(name), encoding="utf-8")
