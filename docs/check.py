"""Check the documentation: links lead somewhere, and the examples run.

The code blocks of a page run in order, in one namespace and one temporary folder:

    ```python     is executed
    ```console    has each line that starts with "$ qddot" run; its exit status must be 0

An HTML comment on the line above a block changes that:

    <!-- not run -->     the block is skipped
    <!-- exit 2 -->      the commands of the block must exit with status 2
"""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from website.markdown import rendered

ROOT = Path(__file__).resolve().parents[1]
TIMEOUT = 120  # [s] for one command

FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*([\w-]*)")
COMMENT = re.compile(r"^<!--\s*(.*?)\s*-->$")
LINK = re.compile(r"\[[^\]]*\]\(<?([^)\s>]+)>?[^)]*\)")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:")  # https:, mailto:


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line it starts on, the comment above it."""

    language: str
    text: str
    line: int
    comment: str


def main() -> int:
    os.environ["MPLBACKEND"] = "Agg"  # no example opens a window
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    linked = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
    executed = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

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
    """Run the blocks of the page and return a report of each that failed."""
    problems = []
    namespace = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for block in split(page)[1]:
            if block.comment == "not run":
                continue
            print(f"{place(page, block.line)}: {block.language}", flush=True)
            if block.language == "python":
                problems += run_python(page, block, namespace)
            else:
                problems += run_console(page, block)
    return problems


def run_python(page: Path, block: Block, namespace: dict) -> list[str]:
    # blank lines in front make the traceback show the page's own line numbers
    text = "\n" * block.line + block.text
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(text, str(page), "exec"), namespace)
    except (Exception, SystemExit):
        return [f"{place(page, block.line)}: failed\n{output.getvalue()}{traceback.format_exc()}"]
    return []


def run_console(page: Path, block: Block) -> list[str]:
    expected = re.fullmatch(r"exit (\d+)", block.comment)
    status = int(expected[1]) if expected else 0
    problems = []
    for command in commands(block):
        try:
            run = subprocess.run(
                command,
                shell=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=TIMEOUT,
            )
        except subprocess.TimeoutExpired:
            problems.append(f"{place(page, block.line)}: {command}: not done after {TIMEOUT} s")
            continue
        if run.returncode != status:
            what = f"{command}: exit status {run.returncode}, not {status}"
            problems.append(f"{place(page, block.line)}: {what}\n{run.stdout}")
    return problems


def commands(block: Block) -> list[str]:
    """Return the commands of a console block, without their prompts; the rest is output."""
    text = block.text.replace("\\\n", " ")
    return [line[2:] for line in text.splitlines() if line.startswith("$ qddot")]


def split(page: Path) -> tuple[list[tuple[int, str]], list[Block]]:
    """Return the page's numbered lines of prose and its python and console blocks."""
    prose, blocks = [], []
    comment, fence, language, start, body = "", "", "", 0, []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        mark = FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2]:
                if is_example(language, body):
                    blocks.append(Block(language, dedent("\n".join(body)), start, comment))
                fence, comment = "", ""
            else:
                body.append(line)
        elif mark:
            fence, language, start, body = mark[1], mark[2], number, []
        else:
            prose.append((number, line))
            if line.strip():
                said = COMMENT.match(line.strip())
                comment = said[1] if said else ""
    return prose, blocks


def is_example(language: str, body: list[str]) -> bool:
    return language == "python" or (
        language == "console" and bool(body) and body[0].lstrip().startswith("$ qddot")
    )


def prose(page: Path) -> list[tuple[int, str]]:
    return split(page)[0]


def anchors(page: Path) -> set[str]:
    """Return the anchors of the page's headings, made as GitHub makes them."""
    return {heading.anchor for heading in rendered(page.read_text(encoding="utf-8")).headings}


def place(page: Path, line: int) -> str:
    return f"{page.relative_to(ROOT).as_posix()}:{line}"


if __name__ == "__main__":
    sys.exit(main())
