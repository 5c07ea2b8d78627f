"""Examples run as scripts too: test_notebooks runs the statements of all of them, cell by cell."""

import os
import subprocess
import sys
from pathlib import Path

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("[0-9]*.py"))


def test_there_are_examples():
    assert len(EXAMPLES) >= 20


def test_an_example_runs_as_a_script_and_prints(tmp_path):
    """One of them: the cells of each notebook are shown to be the statements of its script."""
    run = subprocess.run(
        [sys.executable, str(EXAMPLES[0])],
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout
