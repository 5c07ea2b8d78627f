"""The certificate of a robot's dynamics: its properties, its bounds, and how each is known.

In a file it is JSON, with the robot itself and the proof of every bound.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from qddot.certificate.bound import Bound, Box, bound_lines, box_of, within
from qddot.certificate.bounds import bounds, check
from qddot.certificate.problems import BoundProblems, joint_bounds
from qddot.certificate.properties import IDENTITIES, Property, consistency, inequalities, properties
from qddot.checks import not_negative
from qddot.errors import BadArgument, BadFile, NotNumeric, QddotError, printable
from qddot.plain_text import fitted
from qddot.readers.read import read
from qddot.results import Judged, in_notebook
from qddot.robot import Robot, robot_of
from qddot.saving import ending, write_whole
from qddot.writers.toml import to_toml

SECONDS = 60.0
SEARCH = 2 / 3  # of the time, for the bounds
NORMS = ("1", "2", "inf")
FORMAT = 1  # of the file
MOST_BYTES = 200_000_000
VERDICT = {True: "yes", False: "NO", None: "open"}


@dataclass(frozen=True, repr=False)
class Certificate(Judged):
    """What was proved, certified or sampled of a robot over a box of joint positions."""

    robot: Robot
    box: Box
    properties: tuple[Property, ...]
    bounds: Mapping[str, Bound]

    @property
    def holds(self) -> bool:
        """Whether every property holds that a correct model must have."""
        return self.ok

    @property
    def problems(self) -> tuple[str, ...]:
        """The properties that fail, of those that a correct model must have."""
        return tuple(str(p) for p in self.properties if p.needed and p.holds is False)

    def __getitem__(self, quantity: str) -> Bound:
        """Return a bound by its name."""
        if quantity not in self.bounds:
            known = ", ".join(self.bounds)
            raise BadArgument(f"The certificate has no bound {quantity!r}. It has: {known}.")
        return self.bounds[quantity]

    def save(self, path: str | Path) -> None:
        """Write it as JSON, with everything needed to check it again."""
        ending(path, "A certificate", (".json",))
        text = json.dumps(self.to_dict() | {"format": FORMAT}, ensure_ascii=False, indent=1)
        write_whole(path, text)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, as the file and `--json` have it."""
        return {
            "robot": self.robot.name,
            "model": to_toml(self.robot.model),
            "box": asdict(self.box),
            "properties": [asdict(property) for property in self.properties],
            "bounds": {name: asdict(b) | {"gap": b.gap} for name, b in self.bounds.items()},
        }

    @staticmethod
    def load(path: str | Path) -> Certificate:
        """Return what `save` wrote; it is not checked by that, see `check`."""
        path = Path(path)
        try:
            if path.stat().st_size > MOST_BYTES:
                raise BadFile(path, "it is too large for a certificate", "Name the right file.")
            data = json.loads(path.read_bytes())
            if data["format"] != FORMAT:
                raise ValueError("format")
            robot = Robot(_model(data["model"]))
            box = Box(*(tuple(float(x) for x in data["box"][end]) for end in ("lower", "upper")))
            decided = tuple(Property(**each) for each in data["properties"])
            proved = {name: _bound(each) for name, each in data["bounds"].items()}
        except OSError as error:
            raise BadFile(path, f"it cannot be read: {error.strerror}", "Check the name.") from None
        except QddotError as error:
            if isinstance(error, BadFile):
                raise
            raise BadFile(path, f"its robot cannot be read: {error}", "Certify again.") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            why = f"it is not a certificate ({type(error).__name__})"
            raise BadFile(path, why, "Save one with certificate.save(path).") from None
        return Certificate(robot, box, decided, proved)

    def check(self, seconds: float = SECONDS) -> Certificate:
        """Verify every bound from its saved proof and decide every property again.

        Args:
            seconds: How long exact proofs of the identities may take; later ones are sampled.

        Raises:
            QddotError: If a bound does not follow from its proof, or is not of this box.
        """
        for name, bound in self.bounds.items():
            self._check_belongs(name, bound)
        again = {name: check(self.robot, bound) for name, bound in self.bounds.items()}
        exact = any(p.name in IDENTITIES for p in self.properties)
        decided = tuple(properties(self.robot, self.box, again, seconds, exact))
        return Certificate(self.robot, self.box, decided, again)

    def _check_belongs(self, name: str, bound: Bound) -> None:
        """Raise unless a bound has the name it is kept under and is proved on this box."""
        box = bound.proof.get("box", {})
        proved_on = tuple(box.get("lower", ())), tuple(box.get("upper", ()))
        if bound.quantity != name or proved_on != (self.box.lower, self.box.upper):
            raise BadArgument(
                f"The bound {name!r} is of another quantity or of another box than the "
                "certificate.\n  The file was changed; certify anew."
            )

    @fitted
    def __str__(self) -> str:
        return as_text(self)

    __repr__ = __str__

    _repr_html_ = in_notebook("certificates.certificate_html")


def certify(
    robot: Robot | str | Path,
    *,
    box: Any = None,
    norm: str | int | None = None,
    quantities: Sequence[str] | None = None,
    gap: float | None = None,
    seconds: float = SECONDS,
    identities: bool = True,
) -> Certificate:
    """Return the certificate of a robot's dynamics.

    Bounds over the box of joint positions, with a guarantee: eigenvalues and norms of M, the
    constants of ‖c‖ ≤ c_b ‖q̇‖² and ‖C‖ ≤ k_c ‖q̇‖, ‖g‖ and each |gᵢ|, ‖∂g/∂q‖, ‖D q̇‖, and what of
    the effort limits gravity takes. Properties: symmetry, positive definiteness, skewness,
    passivity, energy, linearity, physical consistency.

    Args:
        robot: The robot, or its built-in name or file, all its parameters numbers.
        box: The positions: the joint limits, a full turn where there are none (None); full turns
            everywhere ("circle"); or by joint {"j2": (-1, 1)}, the others as with None.
        norm: 1, 2 or "inf", to look at the bounds in one norm only.
        quantities: The bounds to look for, by name; see `qddot.certificate.QUANTITIES`.
        gap: How close the two sides of a bound shall be, relative; sensible ones if not given.
        seconds: How long it may take in all, about: two thirds for the bounds, the rest and what
            these leave for exact proofs. A bound that is not closed by then is valid, only wider;
            an identity that is not decided by then is looked at in samples, or open.
        identities: Whether to prove symmetry, skewness, passivity, energy and linearity too.

    Example:
        >>> import qddot
        >>> certificate = qddot.certify(qddot.load("two_link"), norm=1)
        >>> certificate["c.norm1"].upper >= 25.0 >= certificate["c.norm1"].lower
        True
    """
    robot = robot_of(robot)
    if robot.symbols:
        formulas = "As formulas, bounds are qddot.certificate.symbolic_bounds(robot)."
        raise NotNumeric(f"Robot {robot.name!r}", robot.symbols, formulas)
    if quantities is not None and norm is not None:
        raise BadArgument("Give quantities or a norm, not both.")
    where = box_of(robot, box)
    wanted = quantities if quantities is not None else _in_norm(robot, where, norm)
    started = time.monotonic()
    not_negative("seconds", seconds, "s")
    search = SEARCH * seconds if identities else seconds
    found = bounds(robot, wanted, box=where, gap=gap, seconds=search)
    # however long the bounds took, the proofs have their share
    left = max(seconds - search, started + seconds - time.monotonic()) if identities else None
    return Certificate(robot, where, _decided(robot, where, wanted, found, left), found)


def _decided(
    robot: Robot,
    box: Box,
    wanted: Sequence[str] | None,
    found: Mapping[str, Bound],
    left: float | None,
) -> tuple[Property, ...]:
    """Return the properties; after Ctrl-C those that follow from the bounds that there are."""
    names = BoundProblems(robot, box).applicable() if wanted is None else wanted
    if len(found) == len(set(names)):
        try:
            return tuple(properties(robot, box, found, left, left is not None))
        except KeyboardInterrupt:  # exact proofs may take minutes, and the bounds are worth keeping
            pass
    return (*inequalities(found), consistency(robot))


def _in_norm(robot: Robot, box: Box, norm: str | int | None) -> list[str] | None:
    """Return the names of the bounds in one norm, with those that have none; None for all."""
    if norm is None:
        return None
    if str(norm) not in NORMS:
        raise BadArgument(f"norm is {norm!r}; it must be 1, 2 or 'inf'.")
    return of_norm(robot, BoundProblems(robot, box).applicable(), str(norm))


def of_norm(robot: Robot, names: Sequence[str], norm: str) -> list[str]:
    """Return the names of those bounds that are in one norm, or in none."""
    others = {f"norm{other}" for other in (*NORMS, "F") if other != norm}
    if norm == "inf":
        others -= {"norm1"}  # of a symmetric M it is the same
    joints = joint_bounds(robot)  # which may be called anything
    return [name for name in names if name in joints or not others & set(name.split("."))]


def as_text(certificate: Certificate) -> str:
    """Return a certificate as a table of properties and one of bounds."""
    lines = [f"{printable(certificate.robot.name)}, {box_text(certificate)}", ""]
    width = max((len(p.name) for p in certificate.properties), default=0)
    for p in certificate.properties:
        verdict = VERDICT[p.holds]
        lines.append(f"{verdict:4} {p.name:<{width}}  {p.statement}")
        lines.append(f"     {'':<{width}}  {p.how}: {p.evidence}")
    if certificate.bounds:
        lines += ["", *bound_lines(list(certificate.bounds.values()))]
    return "\n".join(lines)


def box_text(certificate: Certificate) -> str:
    """Return the box in words, rounded inward: what is certified holds all over it."""
    box, names = certificate.box, certificate.robot.joint_names
    parts = [
        f"{printable(name)} {'…'.join(within(*span))}"
        for name, *span in zip(names, box.lower, box.upper, strict=True)
    ]
    return "for " + ", ".join(parts)


def _model(text: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.toml"
        path.write_text(text, encoding="utf-8")
        return read(str(path))


def _bound(data: dict[str, Any]) -> Bound:
    fields: dict[str, Any] = {key: value for key, value in data.items() if key != "gap"}
    fields["attained_at"] = tuple(fields["attained_at"])
    return Bound(**fields)
