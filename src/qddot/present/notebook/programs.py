"""Programs and kernels in a notebook: inputs, outputs, and how many operations that takes."""

from __future__ import annotations

from qddot.backends.kernel import Kernel
from qddot.errors import shorten
from qddot.present.notebook.cell import rows, shown
from qddot.present.pages.page import code, facts, folded
from qddot.program.program import Program

FIRST = 40  # operations that are listed


def program_html(program: Program, kind: str = "Program", **more: str) -> str:
    """Return the count of every operation, and the first of them.

    Args:
        program: The program.
        kind: What it is shown as.
        more: Further facts, by name.
    """
    known = {
        "inputs": ", ".join(map(str, program.inputs)),
        "outputs": ", ".join(map(str, program.outputs)),
        "operations": f"{len(program):,}",
        "constants": f"{len(program.constants):,}",
        **more,
    }
    counts = [(name, f"{count:,}") for name, count in program.counts().most_common()]
    lines = str(program).splitlines()
    listed = "\n".join(shorten(line, 100) for line in lines[:FIRST])
    rest = f"\n… and {len(lines) - FIRST:,} more lines" if len(lines) > FIRST else ""
    parts = [facts(known)]
    if counts:
        parts.append(rows(["operation", "how many"], counts))
    return shown(f"{kind} {program.name}", *parts, folded("The operations", code(listed + rest)))


def kernel_html(kernel: Kernel) -> str:
    """Return a kernel's program, and how it is run."""
    how = {"numbers": str(kernel.dtype), "threads": str(kernel.threads)}
    return program_html(kernel.program, "Kernel", **how)
