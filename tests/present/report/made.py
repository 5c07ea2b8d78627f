"""Reports that tests look at, each made once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import qddot
from qddot.present.report import report
from qddot.present.report.report import Outcome, subject_of, write_report
from qddot.robot import Robot

_folder = TemporaryDirectory()


PATIENT = 600.0  # [s] for a section, so that no test depends on the speed of the machine


@cache
def made(
    name: str, sections: tuple[str, ...] | None = None, seconds: float = 1.0
) -> tuple[Path, tuple[Outcome, ...]]:
    """Return the report of a built-in robot, and what became of its sections."""
    path = Path(_folder.name) / f"{name}{'-'.join(sections or ())}.html"
    return written(qddot.load(name), path, sections, seconds)


def written(
    robot: Robot, path: Path | None, sections: Sequence[str] | None = None, seconds: float = 0.5
) -> tuple[Path, tuple[Outcome, ...]]:
    """Write a report that may take as long as it takes."""
    with patch.object(report, "LEAST", PATIENT):
        return write_report(subject_of(robot, seconds), path, sections, lambda *_: None)


def code_blocks(page: str, language: str) -> list[str]:
    """Return the code of a page in one language."""
    found = re.findall(rf'<code class="language-{language}">(.*?)</code>', page, re.DOTALL)
    return [unescape(block) for block in found]
