"""Write the examples as Jupyter notebooks: python examples/to_notebooks.py [FOLDER].

The examples are in the "percent" format: a line `# %%` begins a cell of code, `# %% [markdown]`
one of words, written as comments. VS Code, PyCharm and Spyder open that as it is, and Jupyter with
jupytext; for everything else there is this.
"""

import argparse
import json
import re
import sys
from pathlib import Path

from qddot.errors import QddotError
from qddot.saving import write_whole

EXAMPLES = Path(__file__).resolve().parent
CELL = re.compile(r"^# %%(.*)$", re.MULTILINE)


def cells(script: str) -> list[tuple[str, str]]:
    """Return the cells of a script: "markdown" or "code", and its text."""
    _, *parts = CELL.split(script)
    kinds = ["markdown" if "[markdown]" in mark else "code" for mark in parts[::2]]
    return [
        (kind, uncommented(text) if kind == "markdown" else text.strip("\n"))
        for kind, text in zip(kinds, parts[1::2], strict=True)
    ]


def uncommented(text: str) -> str:
    return re.sub(r"^# ?", "", text.strip("\n"), flags=re.MULTILINE)


def notebook(script: str) -> dict:
    """Return a script as the JSON of a notebook, format 4.5."""
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {
            "kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"},
            "language_info": {"name": "python", "file_extension": ".py"},
        },
        "cells": [
            {"cell_type": kind, "id": f"cell-{k}", "metadata": {}, "source": text}
            | ({"execution_count": None, "outputs": []} if kind == "code" else {})
            for k, (kind, text) in enumerate(cells(script), start=1)
        ],
    }


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    scripts = sorted(EXAMPLES.glob("[0-9]*.py"))
    for script in scripts:
        made = json.dumps(notebook(script.read_text(encoding="utf-8")), indent=1) + "\n"
        path = folder / f"{script.stem}.ipynb"
        write_whole(path, lambda beside, made=made: Path(beside).write_text(made, encoding="utf-8"))
    print(f"{len(scripts)} notebooks in {folder}; open them with: jupyter lab {folder}")


if __name__ == "__main__":
    words = argparse.ArgumentParser(description="Write the examples as Jupyter notebooks.")
    usual = Path("build/notebooks")
    words.add_argument("folder", type=Path, nargs="?", default=usual, help=f"where to: {usual}")
    try:
        main(words.parse_args().folder)
    except (OSError, QddotError) as error:
        sys.exit(f"The notebooks cannot be written: {error}")
