"""The README and the documentation: links lead somewhere, and what they show runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
