"""Friction at a joint: its numbers, its torque, and all that other rooms ask of it.

The one place that knows a friction law. `PARAMETERS` lists its numbers; files, command lines,
tables, regressors, sweeps and fits go through that list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Any, TypeAlias

from qddot.errors import BadArgument
from qddot.scalars import Scalar, exp, sign
from qddot.scalars.expressions import free_symbols, has_value

Sign: TypeAlias = Callable[[Scalar], Scalar]  # what stands for the sign of a velocity
SIGN = r"\operatorname{sgn}(\dot{q})"


@dataclass(frozen=True)
class FrictionParameter:
    """A number of friction: its name in files, what it means, and how torques depend on it."""

    name: str  # the field of `Friction`, and its key in files
    meaning: str
    unit: str  # which of a joint's units it has, see `units.JointUnits`
    symbol: str = ""  # in tables of robots; "" if they leave it out
    resists: bool = True  # whether a negative one would create energy
    # where the torque is linear in it: its name in the regressor, what it multiplies there (of q̇,
    # the velocity that viscous friction is taken at, and what stands for the sign of q̇), and what
    # one of a joint that moves at r q̇ counts at q̇
    column: str = ""
    multiplies: Callable[[Scalar, Scalar, Sign], Scalar] = lambda velocity, wanted, sign: 0
    share: Callable[[Scalar], Scalar] = abs
    usual: bool = False  # nearly every arm has it: a slider, and part of what "friction" fits
    offered: bool = False  # also where a joint has none: a term of a fit, a parameter of an FMU
    torque: bool = True  # it is a torque per something, so a share of all friction is one of it
    formula: str = ""  # its part of the torque in LaTeX, by the letters of a notation n

    @property
    def default(self) -> Scalar | None:
        return getattr(Friction, self.name)


@dataclass(frozen=True)
class Friction:
    """Friction at a joint: viscous, Coulomb, Stribeck, and a constant offset.

    The torque that resists motion; the Stribeck part is the static friction above Coulomb's.
    Viscous friction may differ by direction, Fᵥ + Fₐ forwards and Fᵥ − Fₐ backwards; Coulomb
    friction does so by the offset, Fₛ + f₀ and Fₛ − f₀:

        f(q̇) = Fᵥ q̇ + Fₐ |q̇| + [Fₛ + (F_static − Fₛ) exp(−(q̇/v_s)²)] sgn(q̇) + f₀
    """

    viscous: Scalar = 0  # [N·m·s/rad] or [N·s/m]
    coulomb: Scalar = 0  # [N·m] or [N]
    static: Scalar | None = None  # [N·m] or [N]; None: no Stribeck effect
    stribeck_velocity: Scalar | None = None  # [rad/s] or [m/s]
    offset: Scalar = 0  # [N·m] or [N]
    asymmetry: Scalar = 0  # [N·m·s/rad] or [N·s/m]
    # of a coordinate that moves several joints: what others of them have above Coulomb's at rest,
    # and their own v_s; `static` is the sum of all
    further: tuple[tuple[Scalar, Scalar], ...] = ()

    # the torque

    def torque(
        self, velocity: Scalar, direction: Scalar | None = None, wanted: Scalar | None = None
    ) -> Scalar:
        """Return f(q̇).

        Args:
            velocity: q̇ [rad/s or m/s].
            direction: What stands for sgn(q̇).
            wanted: The velocity that viscous friction is taken at, if not q̇.
        """
        wanted = velocity if wanted is None else wanted
        moving = self.viscous * wanted
        if _there(self.asymmetry):
            way = sign(velocity) if direction is None else direction
            moving = moving + self.asymmetry * (wanted * way)
        return moving + self._dry_torque(velocity, direction) + self.offset

    def _dry_torque(self, velocity: Scalar, direction: Scalar | None) -> Scalar:
        """Return the part that does not go to zero with the velocity."""
        if not self.is_dry:
            return 0
        size = self.coulomb
        for above, speed in self._fading:
            size = size + above * exp(-((velocity / speed) ** 2))
        return size * (sign(velocity) if direction is None else direction)

    @property
    def _fading(self) -> tuple[tuple[Scalar, Scalar | None], ...]:
        """What there is above Coulomb's at rest, each with the velocity at which it fades."""
        if self.static is None:
            return ()
        first = self.static - self.coulomb - sum(above for above, _ in self.further)
        return ((first, self.stribeck_velocity), *self.further)

    @property
    def is_dry(self) -> bool:
        """Whether a joint resists also when it barely moves."""
        return _there(self.coulomb, self.static, self.further)

    @property
    def signed(self) -> bool:
        """Whether the steady part has the sign of q̇: no polynomial of q̇ below the 9th degree."""
        ones = {p.name: 1 for p in PARAMETERS if _there(getattr(self, p.name))}
        f = replace(self, **ones).steady.torque
        return sum((-1) ** k * comb(9, k) * f(k - 4) for k in range(10)) != 0

    @property
    def grip(self) -> tuple[Scalar, Scalar]:
        """What it resists with at most at rest, downwards and upwards, without f₀."""
        most = self.coulomb if self.static is None else self.static
        return -most, most

    # parts of it, as friction of their own

    @property
    def steady(self) -> Friction:
        """What stays at any velocity, and a closed form has: all but the Stribeck effect."""
        return replace(self, static=None, stribeck_velocity=None, further=())

    @property
    def smooth(self) -> Friction:
        """What goes to zero with the velocity."""
        return Friction(viscous=self.viscous, asymmetry=self.asymmetry)

    @property
    def polynomial(self) -> Friction:
        """What needs no sign of the velocity: viscous friction and the offset."""
        return Friction(viscous=self.viscous, offset=self.offset)

    # its parameters

    @property
    def linear(self) -> tuple[Scalar, ...]:
        """Its numbers of `LINEAR`."""
        return tuple(getattr(self, p.name) for p in LINEAR)

    def columns(self, velocity: Scalar, wanted: Scalar, sign: Sign) -> list[Scalar]:
        """Return what each number of `LINEAR` multiplies, of those that are not zero."""
        return [p.multiplies(velocity, wanted, sign) for p in LINEAR if getattr(self, p.name)]

    def refitted(self, values: Mapping[str, Scalar]) -> Friction:
        """Return it with other numbers of `LINEAR`, by name; all else of its torque stays.

        What static friction has above Coulomb's is no parameter of a regressor, so it stays.
        """
        changed = replace(self, **values)
        if self.static is None:
            return changed
        return replace(changed, static=self.static - self.coulomb + changed.coulomb)

    @property
    def compared(self) -> dict[str, float]:
        """Numbers by parameter that are equal if and only if the torque is the same.

        Static friction is what it is above Coulomb's, which alone has a curve.
        """
        above = 0 if self.static is None else self.static - self.coulomb
        own = {"static": above, "stribeck_velocity": (above and self.stribeck_velocity) or 0}
        return {p.name: float(own.get(p.name, getattr(self, p.name))) for p in PARAMETERS}

    def problems(self) -> Iterator[tuple[Any, str, str]]:
        """Yield what cannot be right, or rarely is: severity, message and remedy."""
        for p in PARAMETERS:
            value = getattr(self, p.name)
            if p.resists and has_value(value) and value < 0:
                message = f"its {p.name} friction is negative ({value:g}): it would create energy"
                yield "error", message, "Give its size."
        one, other = self.viscous, self.asymmetry
        if has_value(one) and has_value(other) and abs(other) > one >= 0:
            message = f"its asymmetry ({other:g}) is above its viscous friction ({one:g})"
            yield "warning", f"{message}: it would create energy one way", "Give less of it."
        if self.static is None:
            return
        if self.stribeck_velocity is None:
            message = "it has static friction but no Stribeck velocity"
            yield "error", message, "Add stribeck_velocity, for instance 0.01."
        elif has_value(self.stribeck_velocity) and self.stribeck_velocity <= 0:
            yield "error", "its Stribeck velocity is not positive", "Give a small speed, like 0.01."
        if has_value(self.static) and has_value(self.coulomb) and self.static < self.coulomb:
            message = f"its static friction ({self.static:g}) is below Coulomb's ({self.coulomb:g})"
            yield "warning", message, "Usually it is the other way round."

    def _repr_latex_(self) -> str:
        """Return f(q̇) with the numbers, or the symbols, of a joint."""
        terms = []
        if self.viscous:
            terms.append(rf"{factor(self.viscous)}\,\dot{{q}}")
        if self.asymmetry:
            terms.append(rf"{factor(self.asymmetry)}\,|\dot{{q}}|")
        if self.static is not None:
            above = rf"({factor(self.static)} - {factor(self.coulomb)})"
            speed = self.stribeck_velocity
            fading = rf"e^{{-(\dot{{q}}/{factor(speed)})^2}}" if speed else ""
            terms.append(rf"\left[{factor(self.coulomb)} + {above}\,{fading}\right] {SIGN}")
        elif self.coulomb:
            terms.append(rf"{factor(self.coulomb)}\,{SIGN}")
        if self.offset:
            terms.append(factor(self.offset))
        return rf"$\displaystyle f(\dot{{q}}) = {' + '.join(terms) or '0'}$"


PARAMETERS = (  # in the order of the fields
    FrictionParameter(
        "viscous",
        "viscous friction",
        "damping",
        symbol="Fv",
        column="fv",
        multiplies=lambda velocity, wanted, sign: wanted,
        share=lambda r: r * r,
        usual=True,
        offered=True,
        formula=r"{n.viscous}\,{n.velocities}",
    ),
    FrictionParameter(
        "coulomb",
        "Coulomb friction",
        "effort",
        symbol="Fs",
        column="fs",
        multiplies=lambda velocity, wanted, sign: sign(velocity),
        share=abs,
        usual=True,
        offered=True,
        formula=r"{n.coulomb}\,\operatorname{{sgn}}({n.velocities})",
    ),
    FrictionParameter("static", "static friction", "effort", symbol="Fst"),
    FrictionParameter(
        "stribeck_velocity", "Stribeck velocity", "velocity", resists=False, torque=False
    ),
    FrictionParameter(
        "offset",
        "friction offset",
        "effort",
        symbol="f0",
        resists=False,
        column="f0",
        multiplies=lambda velocity, wanted, sign: 1,
        share=lambda r: r,
        offered=True,
        formula="f_0",
    ),
    FrictionParameter(
        "asymmetry",
        "viscous friction that differs by direction",
        "damping",
        symbol="Fa",
        resists=False,
        column="fa",
        multiplies=lambda velocity, wanted, sign: wanted * sign(velocity),
        share=lambda r: r * abs(r),
        formula=r"F_a\,|{n.velocities}|",
    ),
)
LINEAR = tuple(p for p in PARAMETERS if p.column)  # those that torques are linear in


def _there(*values: Any) -> bool:
    """Return whether any is not zero; a number that is recorded counts: it is not known yet."""
    try:
        return any(bool(value) for value in values)
    except BadArgument:
        return True


def together(parts: Sequence[tuple[Friction, Scalar]]) -> Friction:
    """Return the friction at q̇ of joints that move at r q̇ each, by virtual work: Σ r f(r q̇).

    Each keeps the velocity at which its static friction fades.
    """
    if len(parts) == 1:
        return parts[0][0]
    sums: dict[str, Any] = {
        p.name: sum(p.share(r) * getattr(f, p.name) for f, r in parts) for p in LINEAR
    }
    # with the velocity of the coordinate at which it fades; scalars need not be keys of a dict
    speeds: list[Scalar] = []
    sizes: list[Scalar] = []
    for f, r in parts:
        if f.static is not None and r:
            size, speed = abs(r) * (f.static - f.coulomb), f.stribeck_velocity / abs(r)
            if speed in speeds:
                sizes[speeds.index(speed)] += size
            else:
                speeds.append(speed)
                sizes.append(size)
    if not speeds:
        return Friction(**sums)
    static = sums["coulomb"] + sum(sizes)
    further = tuple(zip(sizes[1:], speeds[1:], strict=True))
    return Friction(**sums, static=static, stribeck_velocity=speeds[0], further=further)


def factor(x: Scalar) -> str:
    """Return a number in six digits, or an expression, so that it can be multiplied."""
    if not free_symbols(x):
        mantissa, _, exponent = f"{float(x):.6g}".partition("e")
        text = rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa
        return f"({text})" if float(x) < 0 else text
    # symbols are letters, digits and underscores; of what else there is, LaTeX knows _ alone
    text = re.sub(r"\*\*(\d+)", r"^{\1}", str(x)).replace("*", r" \cdot ").replace("_", r"\_")
    return rf"\mathrm{{{text}}}" if re.fullmatch(r"[\w\\]+", text) else rf"(\mathrm{{{text}}})"
