"""What the sheet of an exercise gives: masses, inertias, numbers and a state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from qddot.equations.document import Item, Words, WordTable
from qddot.equations.latex import name_latex

if TYPE_CHECKING:
    from qddot.exercises.questions import Exercise


def links(made: Exercise) -> list[Item]:
    """Return what the links weigh and where, and which way gravity points."""

    def vector(entries: Iterable[Any], name: str = "") -> Words:
        return Words(rf"${name}({', '.join(latex(entry) for entry in entries)})$")

    def latex(entry: Any) -> str:
        return f"-{latex(entry[1:])}" if str(entry)[0] == "-" else name_latex(str(entry))

    rows = []
    for k, row in enumerate(made.arm.rows, 1):
        inertia = row.get("inertia")
        about = (
            vector([inertia[0], inertia[3], inertia[5]], r"\mathrm{diag}")
            if inertia
            else Words("$0$")
        )
        rows.append(
            (str(k), Words(f"${latex(row['mass'])}$"), vector(row.get("com", (0, 0, 0))), about)
        )
    field = vector(made.arm.gravity).words.strip("$")
    return [
        Words(
            "Masses, centres of mass, and inertias about the centre of mass, each in the frame of "
            "its link:"
        ),
        WordTable(("link", "mass", "centre of mass", "inertia"), tuple(rows)),
        Words(f"Gravity, in the base: ${made.equations.notation.gravity} = {field}$. No friction."),
    ]


def numbers(made: Exercise) -> list[Item]:
    """Return the values of the symbols, and a state."""
    arm, n = made.arm, made.equations.notation
    symbols = [(Words(f"${name_latex(name)}$"), f"{value:g}") for name, value in arm.values.items()]
    state: list[tuple[Words, ...]] = []
    for i, turns in enumerate(arm.turns):
        at = rf"{arm.q[i]:g}^\circ" if turns else f"{arm.q[i]:g}"
        cells = (f"{n.q(i)} = {at}", f"{n.qd(i)} = {arm.qd[i]:g}", f"{n.qdd(i)} = {arm.qdd[i]:g}")
        state.append(tuple(Words(f"${cell}$") for cell in cells))
    return [
        Words("Numbers for the last questions, in kg, m, s and rad:"),
        WordTable(("symbol", "value"), tuple(symbols)),
        Words("and the state:"),
        WordTable(("position", "velocity", "acceleration"), tuple(state)),
    ]
