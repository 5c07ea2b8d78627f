"""How results reach their looks, by name."""

import ast
import re
from pathlib import Path

import qddot
from qddot.present.terminal import robots
from qddot.results import look

SRC = Path(qddot.__file__).parent


def names() -> list[tuple[str, str]]:
    """Return what src asks of `look`: the file, and the name within `qddot.present`."""
    found = []
    for path in SRC.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if not re.search(r"\b(look|in_notebook)\(", text):
            continue
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.Call(func=ast.Name("look"), args=[ast.Constant(value=str(name))]):
                    found.append((path.name, name))
                case ast.Call(func=ast.Name("in_notebook"), args=[ast.Constant(value=name)]):
                    found.append((path.name, f"notebook.{name}"))
    return found


def test_every_name_that_a_result_asks_for_is_there():
    asked = names()
    assert len(asked) > 25
    for _, name in asked:
        assert callable(look(name)), name


def test_the_legend_of_a_robot_breaks_between_its_parts_alone():
    shown = robots.parts(qddot.load("scara").model)
    narrow = [line.strip() for line in robots.written(shown, width=40).splitlines()]
    assert "(rad, rad/s, N·m or m, m/s, N; kg)" in narrow
    whole = "↻ revolute   ↔ prismatic   (rad, rad/s, N·m or m, m/s, N; kg)"
    assert whole in robots.written(shown, width=80).splitlines()
