"""What is kept of every run: the columns of a sweep's tables, with units and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qddot.errors import did_you_mean, listing
from qddot.model.units import JointUnits
from qddot.readers import fields
from qddot.readers.document_table import DocumentTable
from qddot.sweeps.controllers import Controller
from qddot.sweeps.time_grid import TimeGrid
from qddot.sweeps.variations import Variation

FAMILIES = {
    "final": "where it ended: q and q̇",
    "energy": "kinetic and potential energy at the end, and how far the total strayed",
    "error": "tracking error: RMS, worst, final, and when it had settled",
    "torque": "largest and RMS torque of every joint",
    "limits": "whether positions, velocities and torques kept to the robot's limits",
    "motion": "q and q̇ over time, thinned out",
}
GIVEN = "what the run was given"
OWN = ("run", "control", "finite", "ended", "audit")  # columns that are always called so
MOTION_ROWS = 20  # about, if the plan does not say


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    name: str
    unit: str
    words: str
    kind: str = "float"  # or "int", "bool", "text", "list"


@dataclass(frozen=True)
class KeptColumns:
    """What is kept of a run."""

    families: tuple[str, ...]
    settled: float | None  # [rad or m] below which an error counts as settled; None: 2 %
    stride: int  # rows from one of a motion to the next; 0: no motions are kept

    def columns(
        self,
        joints: Sequence[str],
        units: Sequence[JointUnits],
        error: str,
        exact: bool,
        varied: Sequence[tuple[str, str]],
        named: bool,
    ) -> list[Column]:
        """Return the columns in order.

        Args:
            joints, units: The robot's joints, and the units of each.
            error: The unit of what laws are off by; "" where there is no law.
            exact: Whether energy was audited.
            varied: What runs differ in: columns and units.
            named: Whether there are several controllers.
        """

        def each(name: str, quantity: str, words: str, kind: str = "float") -> list[Column]:
            pairs = zip(joints, units, strict=True)
            return [Column(f"{name}.{j}", getattr(own, quantity), words, kind) for j, own in pairs]

        found = [Column("run", "", "the number of the run", "int")]
        if named:
            found.append(Column("control", "", "the controller", "text"))
        found += [Column(name, unit, GIVEN) for name, unit in varied]
        found.append(Column("finite", "", "whether it is finite to the end", "bool"))
        if exact:
            found.append(Column("ended", "s", "how far it came"))
            found.append(Column("audit", "", "energy unaccounted for, of what changed hands"))
        if "final" in self.families:
            found += each("final.q", "position", "position at the end")
            found += each("final.qd", "velocity", "velocity at the end")
        if "energy" in self.families:
            found += [
                Column("energy.kinetic", "J", "at the end"),
                Column("energy.potential", "J", "at the end"),
                Column("energy.strayed", "J", "largest |E − E(0)|"),
            ]
        if "error" in self.families and error:
            found += [
                Column("error.rms", error, "root mean square of ‖e‖ over time"),
                Column("error.worst", error, "largest ‖e‖"),
                Column("error.final", error, "‖e‖ at the end"),
                Column("error.settled", "s", "after which ‖e‖ stays small; NaN: never"),
            ]
        if "torque" in self.families:
            found += each("torque.peak", "effort", "largest |τ|")
            found += each("torque.rms", "effort", "RMS of τ")
        if "limits" in self.families:
            found.append(Column("limits.kept", "", "whether all limits were kept", "bool"))
        if self.stride:
            found += each("motion.q", "position", "position over time", "list")
            found += each("motion.qd", "velocity", "velocity over time", "list")
        return found


def read_columns(
    table: DocumentTable,
    controllers: Sequence[Controller],
    clock: TimeGrid,
    variations: Sequence[Variation],
) -> KeptColumns:
    """Return what a plan keeps of its runs."""
    driven = any(each.law is not None for each in controllers)
    pushed = table.has("torque") or any(v.quantity.name == "torque" for v in variations)
    default = ["final", "energy"] + ["error", "torque"] * driven
    value = table.get("keep")
    names = default if value is None else [value] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not all(isinstance(x, str) for x in names):
        table.problem("keep", f"it is {fields.shown(value)}", f"Name some of: {listing(FAMILIES)}.")
        names = default
    for name in names:
        if name not in FAMILIES:
            near = did_you_mean(name, FAMILIES).strip() or f"There are: {listing(FAMILIES)}."
            table.problem("keep", f"there is no {name!r}", near)
        elif name == "error" and not driven:
            table.problem("keep", "there is no error without a law", "Remove it, or add [control].")
        elif name == "torque" and not driven and not pushed:
            table.problem("keep", "nothing gives a torque", "Remove it, or add [control].")
    settled = fields.positive(table, "settled", None, "a size of the error [rad or m]")
    apart = fields.positive(table, "motion_every", None, "how far apart rows are [s]")
    if apart is not None and "motion" not in names:
        table.problem("motion_every", "no motion is kept", 'Add "motion" to keep, or remove it.')
    stride = 0
    if "motion" in names:
        stride = max(1, clock.rows // MOTION_ROWS)
        if apart is not None:
            stride = max(1, round(apart / clock.spacing))
            if abs(stride * clock.spacing / apart - 1) > 1e-9:
                table.problem(
                    "motion_every",
                    f"it is no multiple of every, {clock.spacing:g} s",
                    f"Take {stride * clock.spacing:.6g}.",
                )
    return KeptColumns(tuple(name for name in FAMILIES if name in names), settled, stride)
