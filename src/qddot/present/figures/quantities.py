"""What can be drawn of a motion: its names, signs and units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

# in the order of the decks: positions, rates, accelerations, torques
SIGNS = {"q": "$q$", "qd": r"$\dot{q}$", "qdd": r"$\ddot{q}$", "tau": r"$\tau$"}
WORDS = {
    "q": "position",
    "qd": "rate",
    "qdd": "acceleration",
    "tau": "torque",
    "energy": "energy",
}
UNITS: dict[str, Mapping[str, str]] = {
    "q": {"rad": "rad", "m": "m"},
    "qd": {"rad": "rad/s", "m": "m/s"},
    "qdd": {"rad": "rad/s²", "m": "m/s²"},
    "tau": {"rad": "N·m", "m": "N"},
}
LARGEST = 1e290  # beyond, axes overflow


class Account(Protocol):
    """The energies of a motion [J], one row an instant."""

    @property
    def kinetic(self) -> np.ndarray: ...
    @property
    def potential(self) -> np.ndarray: ...
    @property
    def total(self) -> np.ndarray: ...
    @property
    def given(self) -> np.ndarray: ...
    @property
    def lost(self) -> np.ndarray: ...
    @property
    def residual(self) -> np.ndarray: ...
    @property
    def gravity_residual(self) -> np.ndarray: ...
    @property
    def exchanged(self) -> float: ...


class Motion(Protocol):
    """What figures need of a motion; a `Trajectory` has it."""

    @property
    def joint_names(self) -> tuple[str, ...]: ...
    @property
    def units(self) -> tuple[str, ...]: ...
    @property
    def t(self) -> np.ndarray: ...
    @property
    def q(self) -> np.ndarray: ...
    @property
    def qd(self) -> np.ndarray: ...
    @property
    def qdd(self) -> np.ndarray: ...
    @property
    def tau(self) -> np.ndarray: ...
    @property
    def energy(self) -> Account: ...
    @property
    def events(self) -> Sequence[Any]: ...


def unit(quantity: str, kind: str) -> str:
    """Return the unit of a quantity at a joint measured in rad, in m, or in nobody knows."""
    known = UNITS[quantity]
    return known.get(kind) or " or ".join(known.values())


def values(motion: Motion, quantity: str) -> np.ndarray:
    """Return the rows of a quantity as axes can take them: what is not finite is left out."""
    return drawable(getattr(motion, quantity))


def drawable(x: Any) -> np.ndarray:
    array = np.asarray(x, dtype=float)
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(array) < LARGEST, array, np.nan)
