"""What is printed to the right of an = sign has the value that is printed, on robots of any shape.

Trees, screws, joints that follow others, links without mass, rotors, oblique gravity, frames
anywhere on the links, and the letters of every notation.
"""

from dataclasses import replace

import numpy as np
import pytest
from blackboard import DERIVE
from long import one_in
from nearness import assert_close
from printed_formulas import Unreadable, bare, computed, given, names
from random_trees import laden, placement
from strategies import inertial, random_joint

from qddot.formulations.frames import seen_from
from qddot.formulations.notation_file import notation, notation_names
from qddot.model import Inertial, Link, Mimic, build
from qddot.model.folding import fold
from qddot.model.link import Frame

LEAST = {"hamilton": 3, "recursive": 4}  # formulas that are read, of any robot


def made(seed):
    """Return a tree with four joints, of which one follows another, in frames of the user's."""
    rng = np.random.default_rng(seed)
    kinds = [str(kind) for kind in rng.choice(["revolute", "prismatic", "screw"], 4)]
    bodies = [Inertial() if k == seed % 4 else inertial(rng) for k in range(3)] + [inertial(rng)]
    links = [Link("base"), *(Link(f"link{k}", body) for k, body in enumerate(bodies, 1))]
    joints = [
        random_joint(rng, f"joint{k}", kind, links[int(rng.integers(0, k))].name, f"link{k}")
        for k, kind in enumerate(kinds, 1)
    ]
    joints[1 + seed % 3] = replace(joints[1 + seed % 3], mimic=Mimic("joint1", 2.0, 0.3))
    model = laden(build("made", links, joints), rng)
    frames = [Frame(f"at_{j.name}", j.child, placement(rng)) for j in joints]
    tree = fold(replace(model, frames=(*model.frames, *frames)))
    if seed % 2:
        tree = seen_from(tree, [f"at_{body.name}" for body in tree.bodies])
    return tree, *rng.uniform(-1, 1, (3, tree.n))


@pytest.mark.parametrize("formulation", DERIVE)
@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_printed_formulas_have_the_values_that_are_printed_behind_them(formulation, seed):
    tree, *state = made(seed)
    letters = notation_names()
    read = 0
    for name in letters[seed::3]:
        n = notation(name).of([True] * tree.n, rotors=any(tree.rotor_inertia))
        q, qd, qdd = state
        steps = DERIVE[formulation](tree, q, qd, n, qdd).steps
        values = names(steps, given(tree, q, qd, qdd, n, formulation), n)
        for step in steps:
            value = np.asarray(step.value, float)
            if step.terms:
                assert_close(sum(np.asarray(t, float) for t in step.terms), value, 1e-9)
            if step.same_as:
                assert_close(values[bare(step.same_as)], value, 1e-9)
            try:
                found = computed(step.formula, values) if step.formula else value
            except Unreadable:
                continue
            assert np.allclose(found.reshape(value.shape), value, atol=1e-6), (name, step.symbol)
            read += bool(step.formula)
    assert read >= LEAST.get(formulation, 10)
