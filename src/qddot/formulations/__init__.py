"""The textbook derivations of the equations of motion, one file each, over any scalar."""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.formulations import explicit as explicit
    from qddot.formulations import lagrange as lagrange
    from qddot.formulations import recursive as recursive
    from qddot.formulations import stacked as stacked
    from qddot.formulations import trace as trace
    from qddot.formulations.derivation import Derivation as Derivation, Quantity as Quantity

TITLES = {
    "lagrange": "Lagrange",
    "explicit": "The explicit form",
    "trace": "Lagrange–Euler in trace form",
    "stacked": "Newton–Euler in closed form",
    "recursive": "Newton–Euler in six-vectors",
    "newton_euler": "Newton–Euler in three-vectors",
    "hamilton": "Hamilton",
    "virtual_work": "Virtual work of point masses",
}
FORMULATIONS = tuple(TITLES)  # by name

__getattr__, __dir__ = on_demand(
    __name__,
    {"qddot.formulations.derivation": "Derivation Quantity"},
    "explicit lagrange recursive stacked trace",
)
