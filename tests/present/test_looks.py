"""How results reach their looks, by name; and modules that have moved."""

import ast
import importlib
from pathlib import Path

import pytest

import qddot
from qddot.looks import look
from qddot.moved import MOVED

SRC = Path(qddot.__file__).parent


def names() -> list[tuple[str, str]]:
    """Return what src asks of `looks`: the file, and the name within `qddot.present`."""
    found = []
    for path in SRC.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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


@pytest.mark.parametrize("old", MOVED)
def test_a_module_that_moved_still_has_its_names_and_says_where_they_are(old):
    module = importlib.import_module(old)
    names = {"qddot.control.figures": "plot_closed_loop", "qddot.plot.compare": "panels"}
    name = names.get(old, "plot_torques" if "identification" in old else "plot_eigenvalues")
    with pytest.warns(DeprecationWarning, match=rf"{old}\.{name} is now qddot\.plot\.{name}\."):
        assert getattr(module, name) is getattr(qddot.plot, name)


def test_names_that_moved_elsewhere_are_found_there():
    from qddot.identification.validation import errors_on

    module = importlib.import_module("qddot.identification.figures")
    with pytest.warns(DeprecationWarning, match="validation"):
        assert module.errors_on is errors_on
    with pytest.warns(DeprecationWarning, match="fit_page"):
        assert module.page is qddot.plot.fit_page
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = module.nothing
