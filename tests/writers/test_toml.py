"""A robot that is written as TOML reads as the same robot."""

from dataclasses import replace

import numpy as np
import pytest
from documents import EXPECTED, SMALLEST, read_text
from hypothesis import given
from hypothesis import strategies as st
from long import examples
from strategies import EVERY, inertial, models, random_rpy, seeds, triple

from qddot.model import (
    Coupling,
    Frame,
    Friction,
    Inertial,
    Joint,
    Limits,
    Link,
    Model,
    Motor,
    Payload,
    Placement,
    Spring,
)
from qddot.model.validation import checked
from qddot.readers import read
from qddot.scalars.reader import read_formula
from qddot.writers.toml import to_toml


def assert_round_trip(model):
    text = to_toml(model)
    again = read_text(text, name="another name")
    assert again == model
    assert to_toml(again) == text


@st.composite
def furnished(draw):
    """Return a random robot with every kind of field in use."""
    model = draw(models(kinds=EVERY, mimic=True))
    rng = np.random.default_rng(draw(seeds))

    def x():
        return float(rng.uniform(0.1, 2))

    def change(joint):
        if joint.kind == "fixed":
            return joint
        parts = {"motor": Motor(x(), x()), "spring": Spring(x(), -x()), "locked": x()}
        parts["friction"] = Friction(x(), x(), 2 + x(), x(), -x())
        parts["limits"] = Limits(None, x(), None, x())
        return replace(joint, **{k: v for k, v in parts.items() if rng.random() < 0.5})

    def shared(*joints):
        parts = {"friction": Friction(x(), x(), offset=-x()), "motor": Motor(x(), x())}
        kept = {key: part for key, part in parts.items() if rng.random() < 0.5}
        ratios = (1, -1) if rng.random() < 0.5 else (x(), x())
        return Coupling(joints, x(), 0, x(), ratios, **kept)

    names = [link.name for link in model.links]
    moving = [joint.name for joint in model.joints if joint.kind != "fixed"]
    couplings = [shared(moving[0], moving[-1])] if len(moving) > 1 else []
    return checked(
        replace(
            model.with_joints(change),
            frames=(
                Frame(
                    "f",
                    str(rng.choice(names)),
                    Placement(triple(rng.normal(size=3)), random_rpy(rng)),
                ),
            ),
            payloads=(Payload("f", inertial(rng)),),
            couplings=tuple(couplings),
            gravity=triple(rng.normal(size=3)),
        )
    )


@examples(60)
@given(furnished())
def test_what_is_written_reads_as_the_same_robot(model):
    assert_round_trip(model)


@pytest.mark.parametrize(
    "name",
    ["two_link", "two_link_symbolic", "mass_spring_damper_symbolic", "two_link_cylinders_symbolic"],
)
def test_textbook_robots_survive_the_round_trip(name):
    assert_round_trip(read(name))


def test_symbols_survive_the_round_trip():
    assert_round_trip(EXPECTED)


formulas = st.sampled_from(
    ["m", "m*L**2/12", "-L/2", "sin(a)*cos(b)", "sqrt(2)/2", "1/(a + b)", "pi/2", "m/(3*n)", "2/3"]
).map(lambda text: read_formula(text))


@examples(40)
@given(st.lists(formulas, min_size=12, max_size=12), furnished())
def test_formulas_anywhere_survive_the_round_trip(x, model):
    link = replace(
        model.links[0], inertial=Inertial(x[0], tuple(x[1:4]), (x[4], 0, 0, x[5], 0, x[6]))
    )
    frame = Frame("formula", link.name, Placement(tuple(x[7:10]), (x[10], 0, x[11])))
    assert_round_trip(replace(model, links=(link, *model.links[1:]), frames=(frame,), payloads=()))


printable = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=20)
ODD = ["a b", 'say "hi"', "it's", "back\\slash", "größe", "関節", "🤖", "a.b", "[x]", "#", "="]


@given(st.lists(printable | st.sampled_from(ODD), min_size=4, max_size=4, unique=True), st.text())
def test_names_and_texts_of_any_kind_survive_the_round_trip(names, text):
    one, two, joint, frame = names
    model = checked(
        Model(
            text,
            (Link(one), Link(two, Inertial(1))),
            (Joint(joint, "continuous", one, two),),
            (Frame(frame, two),),
            description=text,
            source=text,
            licence=text,
        )
    )
    assert_round_trip(model)


def test_a_written_file_is_plain_to_read():
    assert to_toml(read_text(SMALLEST, "arm")) == (
        'name = "arm"\n'
        "gravity = [0, 0, -9.81]\n\n"
        '[[link]]\nname = "base"\n\n'
        '[[joint]]\nname = "j"\ntype = "continuous"\nparent = "base"\nchild = "arm"\n'
        "axis = [1, 0, 0]\n\n"
        '[[link]]\nname = "arm"\n'
    )
