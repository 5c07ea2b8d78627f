"""The README and the documentation: links lead somewhere, and what they show runs."""

import doctest
import importlib
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from qddot.readers.document import read_document

ROOT = Path(__file__).resolve().parents[1]
LINKED = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
EXECUTED = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LONGEST = 120  # [s]; a page takes a few

# pages are named by where they are, so that two may share a file name
name = {page: page.relative_to(ROOT).as_posix() for page in LINKED}.__getitem__

# one process a page, as docs/check.py has one namespace a page
CODE = """
import sys
sys.path.insert(0, sys.argv[1])
import check
from pathlib import Path
page = Path(sys.argv[2])
if not page.is_relative_to(check.ROOT):
    check.ROOT = page.parent
problems = [*check.broken_links(page)]
problems += check.failing_examples(page) if sys.argv[3] == "run" else []
print(*problems, sep="\\n", file=sys.stderr)
sys.exit(bool(problems))
"""


def check(page: Path, how: str) -> subprocess.CompletedProcess:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [sys.executable, "-c", CODE, str(ROOT / "docs"), str(page), how],
        env={**os.environ, "MPLBACKEND": "Agg", "PATH": path},
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )


@pytest.mark.parametrize("page", EXECUTED, ids=name)
def test_the_page_runs_and_its_links_lead_somewhere(page):
    run = check(page, "run")
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("page", [page for page in LINKED if page not in EXECUTED], ids=name)
def test_the_links_of_the_page_lead_somewhere(page):
    run = check(page, "read")
    assert run.returncode == 0, run.stderr


def test_every_page_of_the_documentation_is_found():
    names = {name(page) for page in EXECUTED}
    assert {"README.md", "docs/equations.md", "docs/decks/index.md"} <= names


def test_what_is_wrong_on_a_page_is_caught(tmp_path):
    """What these tests rely on: a false assertion, a failing command and a dead link are found."""
    page = tmp_path / "wrong.md"
    page.write_text(
        "[gone](nowhere.md)\n\n```python\nassert 1 == 2\n```\n\n"
        "```console\n$ qddot show no_such_robot\n```\n",
        encoding="utf-8",
    )
    run = check(page, "run")
    assert run.returncode == 1
    for words in ("nowhere.md does not exist", "AssertionError", "exit status 2, not 0"):
        assert words in run.stderr


@pytest.mark.parametrize("name", ["qddot.program.recorder", "qddot.robot.loading"])
def test_the_examples_in_docstrings_run(name):
    found = doctest.testmod(importlib.import_module(name), extraglobs={"np": np})
    assert found.attempted
    assert not found.failed


def test_the_robots_on_the_page_of_file_formats_load():
    page = (ROOT / "docs" / "file_formats.md").read_text(encoding="utf-8")
    blocks = [tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)```", page, re.DOTALL)]
    robots = [read_document(block, "page") for block in blocks if "name" in block]
    assert [(robot.name, robot.n) for robot in robots] == [("gripper_arm", 2), ("rp", 2)]
    assert [block for block in blocks if "name" not in block] == [{"values": {"m1": 50, "L1": 1}}]
