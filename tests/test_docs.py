"""The pages: links lead somewhere, what they show runs, and prints what they say it prints."""

import doctest
import importlib
import importlib.util
import os
import re
import sys
import tomllib
import warnings
from dataclasses import replace
from pathlib import Path

import check  # docs/check.py
import numpy as np
import pytest
from long import long
from nearness import assert_near

import qddot
from qddot.model.joints import MOTIONS
from qddot.readers.document import read_document
from qddot.readers.read import library

ROOT = Path(__file__).resolve().parents[1]
LINKED = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
EXECUTED = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

# pages are named by where they are, so that two may share a file name
name = {page: page.relative_to(ROOT).as_posix() for page in LINKED}.__getitem__


@pytest.fixture
def problems(monkeypatch):
    """Return a function that gives what is wrong with a page, after running what it shows.

    Pages run within this process, each in a namespace and a folder of its own: importing qddot
    again for each takes longer than most of them.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for name, value in {"MPLBACKEND": "Agg", "PATH": path, "COLUMNS": "80"}.items():
        monkeypatch.setenv(name, value)

    def found(page: Path) -> str:
        if not page.is_relative_to(ROOT):
            monkeypatch.setattr(check, "ROOT", page.parent)
        with warnings.catch_warnings():
            return "\n".join([*check.broken_links(page), *check.failing_examples(page)])

    return found


# what these show is tested where it belongs, the decks in tests/formulations, others in their room;
# `make docs` runs them too
SLOW = (
    *("jax_torch_casadi", "report", "identification", "researcher", "everywhere"),
    *("control", "control_laws", "motions", "command_line", "simulation", "rollouts"),
    *("certificate", "sweeps", "fmu", "elastic_joints"),
    *("effective_mass", "quick_start", "equations", "notation", "derivations"),
    *(
        "check",
        "c_export",
        "cpp_export",
        "notebooks",
        "index",
        "trajectories",
        "batches_and_threads",
    ),
    *("your_own_controller", "fix_a_urdf", "cheat_sheet", "doctor", "matlab", "workspace"),
    *("ros_bag", "latex", "external_wrench", "nearest_pose"),
)
LONG = [
    p for p in EXECUTED if p.parent.name in ("decks", "tutorials", "coming_from") or p.stem in SLOW
]
QUICK = [p for p in EXECUTED if p not in LONG]


@pytest.mark.parametrize("page", [*QUICK, *long(*LONG)], ids=name)
def test_the_page_runs_and_its_links_lead_somewhere(page, problems):
    assert not problems(page)


@pytest.mark.parametrize("page", [page for page in LINKED if page not in QUICK], ids=name)
def test_the_links_of_the_page_lead_somewhere(page):
    assert not [*check.broken_links(page)]


def test_every_page_of_the_documentation_is_found():
    names = {name(page) for page in EXECUTED}
    assert {"README.md", "docs/equations.md", "docs/decks/index.md"} <= names


def test_what_is_wrong_on_a_page_is_caught(tmp_path, problems):
    """What these tests rely on: a false assertion, a failing command and a dead link are found."""
    page = tmp_path / "wrong.md"
    page.write_text(
        "[gone](nowhere.md)\n\n```python\nassert 1 == 2\n```\n\n"
        "```console\n$ qddot show no_such_robot\n```\n",
        encoding="utf-8",
    )
    found = problems(page)
    for words in ("nowhere.md does not exist", "AssertionError", "exit status 2, not 0"):
        assert words in found


def test_output_that_a_page_shows_and_nothing_prints_is_caught(tmp_path, problems):
    page = tmp_path / "stale.md"
    page.write_text(
        "```python\nprint('12 joints')\n```\n\n```text\n13 joints\n```\n\n"
        "```console\n$ qddot show pendulum\npendulum  2 joints\n```\n\n"
        "```python\nprint('as it is: 0.123')\n```\n\n```text\nas it is: 0.124\n```\n\n# Next\n\n"
        "```text\nno output of anything, since a heading is between\n```\n",
        encoding="utf-8",
    )
    found = re.findall("not printed: (.*)", problems(page))
    assert found == ["13 joints", "pendulum  2 joints"]


def test_a_formula_in_a_table_that_the_page_does_not_print_is_caught(tmp_path, problems):
    page = tmp_path / "table.md"
    page.write_text(
        "```python\nprint('D =   m r^2')\nprint('m ≤ 3')\n```\n\n"
        "| slide | qddot prints |\n|---|---|\n| 1 | $`D = m r^2`$ and `m ≤ 3` |\n"
        "| 2 | $`D = 2 m r^2`$ |\n| 3 | `m ≤ 4`, see `robot.mass` |\n",
        encoding="utf-8",
    )
    found = re.findall("not printed: (.*)", problems(page))
    assert found == ["D = 2 m r^2", "m ≤ 4"]


def test_a_cell_of_that_column_that_nothing_compares_is_caught(tmp_path, problems):
    """Any text but printed formulas is refused; what is "asserted above" has an assertion there."""
    page = tmp_path / "cells.md"
    heads = "| slide | qddot prints |\n|---|---|\n"
    page.write_text(
        "# One\n\n```python\nprint('D = m')\nassert True\n```\n\n"
        f"{heads}| 1 | $`D = m`$ and $`D = m`$ | |\n| 2 | asserted above |\n| 3 | |\n"
        "| 4 | $D = 0$ |\n| 5 | $`D = m`$, which is zero |\n| 6 | `robot.mass` |\n"
        "| 7 | proved above |\n| 8 | the same, asserted below |\n\n# Two\n\n"
        f"{heads}| 1 | asserted below |\n| 2 | the same, asserted above |\n\n"
        "<!-- not run -->\n```python\nassert False\n```\n",
        encoding="utf-8",
    )
    found = re.findall(": (is no .*|no block .*)", problems(page))
    assert found == [
        *(
            f"is no formula that is compared: {cell}"
            for cell in ("$D = 0$", "$`D = m`$, which is zero", "`robot.mass`", "proved above")
        ),
        "no block below asserts it: the same, asserted below",
        "no block below asserts it: asserted below",
        "no block above asserts it: the same, asserted above",
    ]


def test_a_wrong_formula_planted_in_a_deck_page_is_caught():
    """Each in turn of a table's formulas, with a letter changed, is not among what is printed."""
    for page in sorted((ROOT / "docs" / "decks").glob("*.md")):
        for block in (b for b in check.split(page)[1] if b.language == "table"):
            shown = [
                found for cell in check.shown_cells(block) for found in check.FORMULA.findall(cell)
            ]
            printed = {" ".join((a or b).split()) for a, b in shown}
            assert not check.unprinted(page, block, printed)
            for a, b in shown:
                wrong = replace(block, text=block.text.replace(a or b, f"{a or b} + 0"))
                assert check.unprinted(page, wrong, printed)


def test_a_number_in_prose_that_is_no_longer_true_is_caught(tmp_path, problems):
    page = tmp_path / "prose.md"
    page.write_text(
        "```python\nsteps = 943\n```\n\n"
        "<!-- says 943: steps -->\n<!-- says 1,513: steps + 570 -->\n"
        "It takes 943 steps, and 1,513 with a smooth sign.\n\n"
        "<!-- says 187: steps -->\nIt takes 187 steps.\n\n"
        "<!-- says 943: steps -->\nIt takes 94 steps, 1943 or 0.943.\n\n"
        "<!-- says 1: stepz -->\n1\n",
        encoding="utf-8",
    )
    found = [line.partition(": ")[2] for line in problems(page).splitlines()]
    assert found == [
        "says 187, but steps is 943",
        "the paragraph below does not say 943",
        "stepz: NameError: name 'stepz' is not defined",
    ]


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("M agrees to 4e-16", "M agrees to 7e-16"),  # round-off
        ("proved  (2 terms, 0.01 s)", "proved (2 terms, 1.25 s)"),  # how long it took
        ("panda.fmu  28,239 bytes", "panda.fmu 28,301 bytes"),
        ("Pinocchio 4.1.0: right", "Pinocchio 3.9.1: right"),
        ("in 276 steps", "in 278 steps"),
        ("j1.m, ..., j2.m", "j1.m, j1.mx, j2.m"),
        ("one\n...\nthree", "one\ntwo\nthree"),
        ("a long line\n(of two)", "a long line (of two)"),
    ],
)
def test_shown_output_may_differ_as_it_does_between_machines(printing, shown, printed):
    assert printing.missing(shown, printed) is None


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("12 joints", "13 joints"),
        ("error 0.0805 rad", "error 0.0905 rad"),
        ("gap 9.7e-04", "gap 1.2e-03"),
        ("sound: True", "sound: False"),
        ("(2 terms, 0.01 s)", "(3 terms, 0.01 s)"),
        ("panda.fmu  28,239 bytes", "panda.fmu  31,000 bytes"),
        ("two\none", "one\ntwo"),
        ("one\nmore", "one"),
    ],
)
def test_shown_output_may_not_differ_in_words_counts_or_results(printing, shown, printed):
    assert printing.missing(shown, printed) is not None


@pytest.fixture(scope="module")
def printing():
    spec = importlib.util.spec_from_file_location("printed", ROOT / "docs" / "printed.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def block(page: str, language: str, word: str = "") -> str:
    """Return the first block of a language on a page that has a word in it."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return next(each for each in found if word in each)


def test_the_files_and_names_of_the_recipe_for_a_formulation_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    recipe = text.partition("## How to add a formulation")[2].partition("\n## ")[0]
    named = re.findall(r"`(\w+)` of\s+`([\w/]+\.py)`", recipe)
    assert ("TITLES", "formulations/__init__.py") in named
    for name, file in [
        *named,
        ("derive", "formulations/hamilton.py"),
        ("routes", "formulations/formulation.py"),
    ]:
        found = ROOT / file if file.startswith("tests/") else ROOT / "src" / "qddot" / file
        assert re.search(rf"\b{name}\b", found.read_text(encoding="utf-8")), (name, file)


def test_the_joint_that_contributing_shows_is_read_and_moves_as_it_says(monkeypatch, tmp_path):
    monkeypatch.setitem(MOTIONS, "helical", None)
    exec(block("CONTRIBUTING.md", "python", "Helical"), {"__name__": "helical"})
    found = []
    for kind, pitch in (("helical", "0.1"), ("screw", "1/(20*pi)")):
        text = library()["rp"].read_text(encoding="utf-8")
        there = text.replace('"prismatic"', f'"{kind}"\npitch = "{pitch}"')
        (tmp_path / f"{kind}.toml").write_text(there, encoding="utf-8")
        found.append(qddot.load(tmp_path / f"{kind}.toml").inverse_dynamics(*np.full((3, 2), 0.7)))
    assert_near(found[0], found[1], tolerance=1e-14)


def test_every_extra_is_on_the_page_about_installing():
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    first = "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
    assert set(project["optional-dependencies"]) <= set(re.findall(r"`(\w+)`", first))


def test_the_verbs_that_the_page_calls_functions_are_functions():
    page = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
    sentence = re.search(r"## Verbs and Python\n\n(.*?) are functions", page, re.DOTALL)[1]
    verbs = re.findall(r"`(\w+)`", sentence)
    assert len(verbs) >= 10
    assert set(verbs) <= set(qddot.__all__)


@pytest.mark.parametrize("name", ["qddot.program.recorder", "qddot.robot.loading"])
def test_the_examples_in_docstrings_run(name):
    found = doctest.testmod(importlib.import_module(name), extraglobs={"np": np})
    assert found.attempted
    assert not found.failed


def test_the_robots_on_the_page_of_file_formats_load():
    page = (ROOT / "docs" / "file_formats.md").read_text(encoding="utf-8")
    blocks = [tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)```", page, re.DOTALL)]
    robots = [read_document(block, "page") for block in blocks if "name" in block]
    assert [(robot.name, robot.n) for robot in robots] == [
        *(("gripper_arm", 2), ("rp", 2), ("covered", 0))
    ]
    assert [len(robots[2].links[0].visuals), len(robots[2].links[0].collisions)] == [2, 1]
    assert [block for block in blocks if "name" not in block] == [{"values": {"m1": 50, "L1": 1}}]
