"""Every example is a notebook too: it converts, its cells run, and what they end with is shown."""

import ast
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from long import long

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))
CONVERTER = runpy.run_path(str(ROOT / "examples" / "to_notebooks.py"))
# what these do takes seconds each, and is tested where it belongs
SLOW = ("14", "15", "16", "17", "20", "22", "26", "27", "28")
LONG = [path for path in EXAMPLES if path.stem.startswith(SLOW)]
QUICK = [path for path in EXAMPLES if path not in LONG]
MOST_LETTERS = 400_000  # of one output: a robot in three dimensions takes 280,000
RICH = ("text/html", "text/latex", "text/markdown")

# runs notebooks one after another as Jupyter does, and tells what their cells showed
RUN = """
import json, os, sys, warnings
from pathlib import Path
from IPython.core.displayhook import DisplayHook
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets import Type

shown = []

class Kept(DisplayHook):
    def write_format_data(self, format_dict, md_dict=None):
        shown.append(format_dict)

class ZMQInteractiveShell(InteractiveShell):  # by this name packages know Jupyter
    displayhook_class = Type(Kept)

warnings.simplefilter("error")
for category in (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ResourceWarning):
    warnings.simplefilter("ignore", category)  # which are others' business
shell = ZMQInteractiveShell.instance()
told = {}
for path in map(Path, sys.argv[1:]):
    os.chdir(path.parent)
    shell.reset(new_session=False)
    outputs, errors = [], []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code" and not errors:
            shown.clear()
            with capture_output() as caught:
                done = shell.run_cell(cell["source"])
            outputs += shown
            errors += [f"displayed by itself: {each.data}" for each in caught.outputs]
            error = done.error_in_exec or done.error_before_exec
            errors += [repr(error)] if error else []
            errors += [caught.stderr] if caught.stderr else []
    told[path.stem] = {"outputs": outputs, "errors": errors}
print(json.dumps(told))
"""


def converted(path: Path) -> dict:
    return CONVERTER["notebook"](path.read_text(encoding="utf-8"))


def run_notebooks(paths: Sequence[Path], folder: Path) -> dict[str, dict]:
    """Return the outputs and the errors of examples, run as notebooks in one process."""
    pytest.importorskip("IPython", reason="IPython, which runs notebooks, is not installed")
    notebooks = []
    for path in paths:
        place = folder / path.stem
        place.mkdir()
        notebooks.append(place / f"{path.stem}.ipynb")
        notebooks[-1].write_text(json.dumps(converted(path)), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", RUN, *map(str, notebooks)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "IPYTHONDIR": str(folder)},
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


# a process a group, since most of the time of a short example is its imports
@pytest.mark.parametrize(
    "paths",
    [QUICK[::16], *long((QUICK[1::2],), (QUICK[2::4] + QUICK[4::8] + QUICK[8::16],), (LONG,))],
    ids=["a", "b", "c", "slow"],
)
def test_examples_run_as_notebooks_and_show_something_rich(paths, tmp_path):
    told = run_notebooks(paths, tmp_path)
    assert list(told) == [path.stem for path in paths]
    for name, found in told.items():
        assert not found["errors"], (name, found["errors"])
        rich = [data for data in found["outputs"] if set(RICH) & set(data)]
        assert rich, name
        for data in rich:
            assert max(map(len, data.values())) < MOST_LETTERS, name


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_cells_of_a_notebook_are_the_script(path):
    script = path.read_text(encoding="utf-8")
    cells = CONVERTER["cells"](script)
    code = "\n".join(text for kind, text in cells if kind == "code")
    assert ast.dump(ast.parse(code)) == ast.dump(ast.parse(script))
    assert cells[0][0] == "markdown"
    title, blank, *words = cells[0][1].splitlines()
    assert title.startswith("# ")
    assert blank == ""
    assert 2 <= len(" ".join(words).split(". ")) <= 6


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_asserts_and_prints_something(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert any(isinstance(node, ast.Assert) for node in ast.walk(tree))
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert any(isinstance(call, ast.Name) and call.id == "print" for call in calls)


def test_a_notebook_has_the_format_that_jupyter_reads():
    made = converted(EXAMPLES[0])
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in made["cells"]}) == len(made["cells"])
    for cell in made["cells"]:
        code = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert set(cell) == {"cell_type", "id", "metadata", "source"} | code
        assert not cell["source"].startswith("\n")


def test_a_folder_of_notebooks_is_written(tmp_path):
    run = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "to_notebooks.py"), str(tmp_path / "out")],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert f"{len(EXAMPLES)} notebooks" in run.stdout
    written = sorted((tmp_path / "out").glob("*"))
    assert [path.stem for path in written] == [path.stem for path in EXAMPLES]
    assert json.loads(written[0].read_text(encoding="utf-8")) == converted(EXAMPLES[0])


@pytest.mark.parametrize(("word", "status"), [("--help", 0), ("-h", 0), ("--hlep", 2)])
def test_a_word_that_is_no_folder_makes_none(word, status, tmp_path):
    converter = str(ROOT / "examples" / "to_notebooks.py")
    run = subprocess.run(
        [sys.executable, converter, word], capture_output=True, text=True, cwd=tmp_path
    )
    assert run.returncode == status
    assert "usage: to_notebooks.py [-h] [folder]" in run.stdout + run.stderr
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_told_in_a_sentence(tmp_path):
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    run = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "to_notebooks.py"), str(tmp_path / "taken")],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert "cannot be written" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_cell_that_fails_and_one_that_warns_are_found(tmp_path):
    """What these tests rely on."""
    scripts = {
        "good": "# %%\n1 + 1\n",
        "false": "# %%\nassert 1 == 2\n\n# %%\n3\n",
        "loud": "# %%\nimport warnings\nwarnings.warn('a doubt')\n",
        "next": "# %%\nimport sys\nsys.stderr.write('said')\n'warnings' in globals()\n",
    }
    paths = [tmp_path / f"{name}.py" for name in scripts]
    for path, script in zip(paths, scripts.values(), strict=True):
        path.write_text(script, encoding="utf-8")
    told = run_notebooks(paths, tmp_path)
    assert told["good"] == {"outputs": [{"text/plain": "2"}], "errors": []}
    assert told["false"] == {"outputs": [], "errors": ["AssertionError()"]}
    assert "a doubt" in told["loud"]["errors"][0]
    assert told["next"] == {"outputs": [{"text/plain": "False"}], "errors": ["said"]}
