"""`prove` alone finds errors in what seven derivations share, as `mutations.py check` asks."""

import importlib
import types

import pytest
from mutations import NAMED, SRC

import qddot


def code_of(module: types.CodeType, function: str) -> types.CodeType:
    """Return the code of a function in that of its module."""
    for name in function.split("."):
        inside = [x for x in module.co_consts if isinstance(x, types.CodeType)]
        (module,) = (x for x in inside if x.co_name == name)
    return module


def function_of(module: types.ModuleType, function: str) -> types.FunctionType:
    found = module
    for name in function.split("."):
        found = getattr(found, name)
    return getattr(found, "fget", found)


@pytest.mark.parametrize("name", NAMED)
def test_prove_finds_it_by_virtual_work(name, monkeypatch):
    error = NAMED[name]
    robot = eval(error.robot)
    assert qddot.prove(robot).holds
    path = SRC / f"{error.module.replace('.', '/')}.py"
    source = error.applied(path.read_text(encoding="utf-8"))
    module = importlib.import_module(f"qddot.{error.module}")
    wrong = code_of(compile(source, str(path), "exec"), error.function)
    monkeypatch.setattr(function_of(module, error.function), "__code__", wrong)
    proof = qddot.prove(robot)
    assert proof.holds is False
    assert proof.table[-1]["equal"] == "FAILS"
