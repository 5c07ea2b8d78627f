"""Measure the speed of qddot and of the packages it is compared with, in the same run.

python benchmarks/run.py                               every question, within five minutes
python benchmarks/run.py bounds --long                 and what takes longer than that
python benchmarks/run.py batch single --quick          some of them, roughly
python benchmarks/run.py --write docs/performance_table.md   and put the table into its page
"""

from __future__ import annotations

import argparse
import importlib
import time
from pathlib import Path

from machine import description
from peers import PEERS
from table import markdown, print_table, summary
from timing import LONG, QUICK, Effort, say

QUESTIONS = (
    *("batch", "single", "threads", "float32", "rollouts", "motion", "paths", "kinematics"),
    *("nearest_pose", "tasks"),
    *("control", "c_export", "real_time", "fmu"),
    *("jax_cpu", "start", "growth", "operations", "memory", "symbolic", "bounds", "excitation"),
)
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"
RESULTS = Path(__file__).with_name("results.md")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("questions", nargs="*", metavar="question", help=", ".join(QUESTIONS))
    parser.add_argument("--quick", action="store_true", help="shorter and less certain")
    parser.add_argument("--long", action="store_true", help="with searches of minutes")
    parser.add_argument(
        *("--write", "-w"), nargs="?", type=Path, const=RESULTS, metavar="FILE",
        help="write the table as Markdown, between the marks if the file has them",
    )  # fmt: skip
    options = parser.parse_args()
    if unknown := [q for q in options.questions if q not in QUESTIONS]:
        parser.error(f"no question {unknown[0]!r}; there are {', '.join(QUESTIONS)}")

    for peer in PEERS:
        if not peer.installed:
            say(peer.absence)
    effort = QUICK if options.quick else LONG if options.long else Effort()
    started = last = time.monotonic()
    answers = {}
    for question in options.questions or QUESTIONS:
        answers[question] = importlib.import_module(question).rows(effort)
        say(f"{question}: {time.monotonic() - last:.0f} s")
        last = time.monotonic()
    print_table(answers)
    print(*description(), summary(answers), sep="\n")
    say(f"{time.monotonic() - started:.0f} s")
    if options.write:
        write(options.write, markdown(answers, description()))
        say(f"wrote {options.write}")


def write(path: Path, text: str) -> None:
    """Write the table into a file: between the marks that it has, or as the whole file."""
    block = f"{BEGIN}\n{text}{END}"
    page = path.read_text(encoding="utf-8") if path.exists() else ""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    page = f"{before}{block}{after}" if begin and end else f"# Measured\n\n{block}\n"
    path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
