"""Examples as pages: scripts in the percent format, their words as Markdown, their code as code."""

import ast
import re
from pathlib import Path

CELL = re.compile(r"^# %%(.*)$")


def examples(root: Path) -> list[Path]:
    """Return the examples, from the root of the repository, in their order."""
    return [path.relative_to(root) for path in sorted((root / "examples").glob("[0-9]*.py"))]


def title_of(source: Path, text: str) -> str:
    """Return a short title: the first heading of the example, or what its file is called."""
    heading = re.search(r"^# # (.+)$", text, re.MULTILINE)
    words = heading[1] if heading else source.stem.partition("_")[2].replace("_", " ").capitalize()
    return words.strip().rstrip(".")


def as_markdown(source: Path, text: str) -> str:
    """Return an example as a Markdown page.

    Args:
        source: The file, from the root of the repository.
        text: What it holds: cells that begin with `# %%`, or one script with a docstring.
    """
    words, code = without_docstring(text)
    parts = [f"# {title_of(source, text)}", words]
    for kind, body in cells(code):
        if kind == "markdown":
            # the title stands above already
            parts.append(re.sub(r"\A# .+\n*", "", body))
        elif body.strip():
            parts.append(f"```python\n{body.strip()}\n```")
    parts.append(f"Run it yourself:\n\n```console\n$ python {source.as_posix()}\n```")
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def without_docstring(text: str) -> tuple[str, str]:
    """Return the words at the top of a script, and the rest of it."""
    tree = ast.parse(text)
    words = ast.get_docstring(tree)
    if words is None:
        return "", text
    end = tree.body[0].end_lineno or 1
    lines = text.split("\n")
    # cells may begin above the docstring
    before = [line for line in lines[: tree.body[0].lineno - 1] if not line.startswith("#")]
    return words, "\n".join([*before, *lines[end:]])


def cells(code: str) -> list[tuple[str, str]]:
    """Return the cells of a script: "markdown" or "code", and what each holds."""
    found: list[tuple[str, list[str]]] = [("code", [])]
    for line in code.split("\n"):
        mark = CELL.match(line)
        if mark:
            found.append(("markdown" if "[markdown]" in mark[1] else "code", []))
        else:
            found[-1][1].append(line)
    return [
        (kind, "\n".join(map(uncommented, lines) if kind == "markdown" else lines).strip("\n"))
        for kind, lines in found
    ]


def uncommented(line: str) -> str:
    return line[2:] if line.startswith("# ") else line.lstrip("#")
