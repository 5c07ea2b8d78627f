"""The border: the one place where a description becomes a checked model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from qddot.errors import BadRobot, Problem
from qddot.model.joint import Joint
from qddot.model.link import Link
from qddot.model.model import Model
from qddot.model.structure import depth_first
from qddot.model.validation import validate


def build(
    name: str,
    links: Iterable[Link],
    joints: Iterable[Joint],
    *,
    found: Iterable[Problem] = (),
    **more: Any,
) -> Model:
    """Return the model, its joints sorted depth-first, with what is doubtful in `warnings`.

    Args:
        name: The robot's name.
        links, joints: In any order; links are found by name.
        found: Problems that a reader has met already, reported together with the rest.
        more: The further fields of `Model`.

    Raises:
        BadRobot: With every problem, if any of them is an error.
    """
    frozen: dict[str, Any] = {k: tuple(x) if isinstance(x, list) else x for k, x in more.items()}
    return checked(Model(name, tuple(links), tuple(joints), **frozen), found)


def checked(model: Model, found: Iterable[Problem] = ()) -> Model:
    """Return the model sorted depth-first, or raise with every problem that it has."""
    together = dict.fromkeys([*found, *validate(model)])  # each once
    problems = sorted(together, key=lambda problem: problem.line or 0)
    if any(problem.severity == "error" for problem in problems):
        raise BadRobot(model.name, problems, model)
    return replace(depth_first(model), warnings=tuple(problems))
