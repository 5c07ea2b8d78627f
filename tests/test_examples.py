"""Examples run as scripts, and what they assert holds; test_notebooks runs all of them as cells."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("[0-9]*.py"))
# these take seconds and run as notebooks, which are shown to be the same statements
SLOW = ("09", "11", "12", "14", "15", "16", "20", "22", "26", "27", "28")
QUICK = [path for path in EXAMPLES if not path.name.startswith(SLOW)]


def test_there_are_examples():
    assert len(EXAMPLES) >= 20
    assert len(QUICK) >= 12


@pytest.mark.parametrize("path", QUICK, ids=lambda path: path.stem)
def test_the_example_runs(path, tmp_path):
    run = subprocess.run(
        [sys.executable, str(path)],
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout
