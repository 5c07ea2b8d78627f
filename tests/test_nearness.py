"""How tests compare: what is not near is found, and roundings are named in one place."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from nearness import ROUND_OFF, assert_close, assert_near, error, of_solution

HERE = Path(__file__).parent


def test_a_difference_is_measured_by_the_largest_term():
    assert error([1.0, 2.0], [1.0, 2.5]) == 0.2
    assert error([1.0, 2.0], [1.0, 2.5], 50.0) == 0.01
    assert error([0.0], [0.0]) == 0.0


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1 + 3 * ROUND_OFF])
def test_what_is_not_near_is_found(wrong):
    for compared in (assert_near, assert_close):
        compared([1.0, 1.0], [1.0, 1.0 + ROUND_OFF / 2])
        with pytest.raises(AssertionError):
            compared([1.0, wrong], [1.0, 1.0])


def test_every_entry_counts_by_itself():
    """Unlike in `assert_near`, where the largest one decides; small ones are compared with 1."""
    assert_near([1e6, 1.0], [1e6, 1.0 + 1e-9])
    for one, other in (([1e6, 1.0], [1e6, 1.0 + 1e-9]), ([0.0], [2 * ROUND_OFF]), ([np.inf], [1])):
        with pytest.raises(AssertionError):
            assert_close(one, other)
    assert_close([np.inf, 1e6], [np.inf, 1e6 * (1 + ROUND_OFF / 2)])


def test_a_solution_may_lose_what_its_matrix_makes_of_an_error():
    assert of_solution(np.diag([1.0, 1e4])) == pytest.approx(1e-9)
    assert of_solution([np.eye(2), np.diag([1.0, 100.0])], 1e-15) == pytest.approx(1e-13)


def test_no_other_file_has_a_round_off_of_its_own():
    own = re.compile(r"^(ROUND_OFF|SINGLE) *[=:]", flags=re.MULTILINE)
    files = [path for path in HERE.rglob("*.py") if own.search(path.read_text(encoding="utf-8"))]
    assert [path.name for path in files] == ["nearness.py"]


def test_a_tolerance_that_is_absolute_says_so():
    """Where only atol is given, NumPy allows 1e-7 of the value beside it."""
    silent = [
        f"{path.relative_to(HERE)}:{node.lineno}"
        for path in HERE.rglob("*.py")
        if "atol" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        if {"atol"} == {keyword.arg for keyword in node.keywords} & {"atol", "rtol"}
        if ast.unparse(node.func).endswith("assert_allclose")
    ]
    assert not silent
