"""Check the documentation: links lead somewhere, the examples run, and print what the page shows.

The code blocks of a page run in order, in one namespace and one temporary folder:

    ```python     is executed
    ```console    that starts with "$ qddot" has its lines with a "$" run, as far as the programs
                  are there; their exit status must be 0, and they must print what is below them
    ```text       right below such a block, in the same section, must be what that block printed
    a table       with a column "qddot prints" must have nothing there but formulas that the page
                  has printed, or the words "asserted above" (or below) where a block of the section
                  has an assertion
    prose         below <!-- says 943: run.how["steps"] --> must have the number 943, and the
                  expression this value, after the blocks above it have run; a line per number

`printed.py` says which numbers may differ. An HTML comment above a block changes the rest:

    <!-- not run -->        the block is skipped
    <!-- exit 2 -->         the commands of the block must exit with status 2
    <!-- needs pydrake -->  where this package is not installed, Python is skipped, and what
                            commands show is not compared

`python docs/check.py docs/control.md` runs one page; without names, all of them.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path
from textwrap import dedent

from printed import missing, near
from website.markdown import rendered

from qddot.cli import app
from qddot.cli.running import run

ROOT = Path(__file__).resolve().parents[1]
SHELL = re.compile(r"[|<>&;*]")  # needs a shell

FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*([\w-]*)")
COMMENT = re.compile(r"^<!--\s*(.*?)\s*-->$")
SAYS = re.compile(r"says ([^:]+): (.+)")
LINK = re.compile(r"\[[^\]]*\]\(<?([^)\s>]+)>?[^)]*\)")
PRINTS = "qddot prints"  # the heading of a column of formulas that a page has printed
FORMULA = re.compile(r"\$`([^`]+)`\$|`([^`]*[=≤≥][^`]*)`")
ASSERTED = re.compile(r"(?:the same, )?asserted (above|below)")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:")  # https:, mailto:


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line it starts on, the comment above it."""

    language: str
    text: str
    line: int
    comment: str
    section: str  # the heading above it


def main() -> int:
    os.environ["MPLBACKEND"] = "Agg"  # no example opens a window
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    linked = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
    named = [Path(name).resolve() for name in sys.argv[1:]]
    executed = named or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

    problems = [problem for page in linked for problem in broken_links(page)]
    for page in executed:
        problems += failing_examples(page)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(linked)} pages, {len(problems)} problems")
    return 1 if problems else 0


def broken_links(page: Path) -> Iterator[str]:
    """Yield a sentence for each link of the page to a missing file or heading."""
    for number, line in prose(page):
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            if ELSEWHERE.match(target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists():
                yield f"{place(page, number)}: {target} does not exist"
            elif anchor and file.suffix == ".md" and anchor not in anchors(file):
                yield f"{place(page, number)}: {path or page.name} has no heading #{anchor}"


def failing_examples(page: Path) -> list[str]:
    """Run the blocks of the page and report each that failed or printed something else."""
    problems = []
    namespace = {"__name__": "__main__"}
    before, printed, everything = None, "", set()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        blocks = split(page)[1]
        for block in blocks:
            if block.language == "table":
                problems += unprinted(page, block, everything)
                problems += unasserted(page, block, blocks)
                continue
            if block.language == "prose":
                problems += unfounded(page, block, namespace)
                continue
            if block.language == "text":
                if before and before.section == block.section and comparable(block):
                    problems += differing(page, block, block.text, printed)
                before = None
                continue
            before = None
            if block.comment == "not run" or not is_example(block):
                continue
            if block.language == "python" and not comparable(block):
                continue
            print(f"{place(page, block.line)}: {block.language}", flush=True)
            before = block
            runs = run_python if block.language == "python" else run_console
            found, printed = runs(page, block, namespace)
            everything |= {" ".join(line.split()) for line in printed.splitlines()}
            problems += found
    return problems


def unprinted(page: Path, block: Block, printed: set[str]) -> list[str]:
    """Return a sentence for each formula of a table that the page has not printed above it."""
    shown = [FORMULA.findall(cell) for cell in shown_cells(block)]
    formulas = [" ".join((a or b).split()) for found in shown for a, b in found]
    return [
        f"{place(page, block.line)}: shows, but this was not printed: {formula}\n"
        + "\n".join(
            sorted(line for line in printed if line.split(" =")[0] == formula.split(" =")[0])
        )
        for formula in formulas
        if formula not in printed
    ]


def unasserted(page: Path, block: Block, blocks: list[Block]) -> Iterator[str]:
    """Yield a sentence for each cell that holds what nothing compares: no formula, no assertion."""
    section = [each for each in blocks if each.section == block.section and each.text]
    tested = [each.line for each in section if "assert " in each.text and is_run(each)]
    for cell in shown_cells(block):
        words = re.sub(r"\s*(?:,|and)\s*", "", FORMULA.sub("", cell)).strip()
        said = ASSERTED.fullmatch(cell)
        if words and not said:
            yield f"{place(page, block.line)}: is no formula that is compared: {cell}"
        elif said and not any((k < block.line) == (said[1] == "above") for k in tested):
            yield f"{place(page, block.line)}: no block {said[1]} asserts it: {cell}"


def shown_cells(block: Block) -> list[str]:
    """Return the cells of a table in the column of what qddot prints."""
    head, _, *rows = ([cell.strip() for cell in row.split("|")] for row in block.text.splitlines())
    return [row[head.index(PRINTS)] for row in rows]


def unfounded(page: Path, block: Block, namespace: dict) -> list[str]:
    """Return what is wrong with a number that a paragraph says."""
    number, expression = SAYS.fullmatch(block.comment).groups()
    try:
        with warnings.catch_warnings(action="ignore"):  # of a run that is coarse on purpose, say
            value = eval(expression, namespace)
    except Exception as error:
        return [f"{place(page, block.line)}: {expression}: {type(error).__name__}: {error}"]
    if not near(number, f"{value}", ""):
        return [f"{place(page, block.line)}: says {number}, but {expression} is {value}"]
    if not re.search(rf"(?<![\w.,]){re.escape(number)}(?![\w]|[.,]\d)", block.text):
        return [f"{place(page, block.line)}: the paragraph below does not say {number}"]
    return []


def differing(page: Path, block: Block, shown: str, printed: str) -> list[str]:
    line = missing(shown, printed)
    if line is None:
        return []
    return [f"{place(page, block.line)}: shows, but this was not printed: {line}\n{printed}"]


def run_python(page: Path, block: Block, namespace: dict) -> tuple[list[str], str]:
    """Run a block and return what is wrong, and what it printed."""
    # blank lines in front make the traceback show the page's own line numbers
    text = "\n" * block.line + block.text
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(text, str(page), "exec"), namespace)
    except (Exception, SystemExit):
        what = f"failed\n{output.getvalue()}{traceback.format_exc()}"
        return [f"{place(page, block.line)}: {what}"], output.getvalue()
    return [], output.getvalue()


def run_console(page: Path, block: Block, _: dict) -> tuple[list[str], str]:
    """Run the commands of a block and return what is wrong, and what they printed."""
    expected = re.fullmatch(r"exit (\d+)", block.comment)
    status = int(expected[1]) if expected else 0
    problems, printed = [], ""
    for command, shown in commands(block):
        if not shutil.which(command.split()[0]):
            break  # no compiler, say; what follows needs it
        ended, output = run_command(command)
        printed += output
        if ended != status:
            what = f"{command}: exit status {ended}, not {status}"
            problems.append(f"{place(page, block.line)}: {what}\n{output}")
        elif comparable(block):
            problems += differing(page, block, shown, output)
    return problems, printed


def run_command(command: str) -> tuple[int, str]:
    """Run a command line and return its exit status and what it printed.

    One that is qddot alone runs within this process: starting another takes longer than most.
    """
    words = shlex.split(command, comments=True)
    if words[0] != "qddot" or SHELL.search(command):
        done = subprocess.run(
            command,
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.returncode, done.stdout
    output = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        status = run(app, words[1:])
    return status, output.buffer.getvalue().decode()


def comparable(block: Block) -> bool:
    """Return whether what the block needs is installed here."""
    needed = re.fullmatch(r"needs (\w+)", block.comment)
    return not needed or find_spec(needed[1]) is not None


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Yield the commands of a console block, without their prompts, and the output below each."""
    text = block.text.replace("\\\n", " ")
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def split(page: Path) -> tuple[list[tuple[int, str]], list[Block]]:
    """Return the page's numbered lines of prose and its blocks.

    Tables of what the page prints and paragraphs with numbers that can be computed are blocks too.
    """
    prose, blocks, section = [], [], ""
    table: list[str] = []
    comment, fence, language, start, body = "", "", "", 0, []
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        mark = FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2]:
                text = dedent("\n".join(body))
                blocks.append(Block(language, text, start, comment, section))
                fence, comment = "", ""
            else:
                body.append(line)
        elif mark:
            fence, language, start, body = mark[1], mark[2], number, []
        else:
            prose.append((number, line))
            table = [*table, line] if line.startswith("|") else []
            if len(table) == 3 and PRINTS in table[0]:
                blocks.append(Block("table", "\n".join(table), number - 2, "", section))
            elif len(table) > 3 and PRINTS in table[0]:
                blocks[-1] = replace(blocks[-1], text="\n".join(table))
            if line.startswith("#"):
                section = line
            if line.strip():
                said = COMMENT.match(line.strip())
                comment = said[1] if said else ""
                if SAYS.fullmatch(comment):
                    text = "\n".join(takewhile(str.strip, lines[number:]))
                    text = re.sub("<!--.*?-->", "", text)
                    blocks.append(Block("prose", text, number, comment, section))
    return prose, blocks


def is_run(block: Block) -> bool:
    return block.language == "python" and block.comment != "not run" and comparable(block)


def is_example(block: Block) -> bool:
    return block.language == "python" or (
        block.language == "console" and block.text.startswith("$ qddot")
    )


def prose(page: Path) -> list[tuple[int, str]]:
    return split(page)[0]


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of the page's headings, made as GitHub makes them."""
    return {heading.anchor for heading in rendered(page.read_text(encoding="utf-8")).headings}


def place(page: Path, line: int) -> str:
    return f"{page.relative_to(ROOT).as_posix()}:{line}"


if __name__ == "__main__":
    sys.exit(main())
