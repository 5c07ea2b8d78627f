"""Friction at a joint as the formula that a notebook shows, with the joint's own numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qddot.expressions import free_symbols
from qddot.scalars import Scalar

if TYPE_CHECKING:
    from qddot.model.joint import Friction

SIGN = r"\operatorname{sgn}(\dot{q})"


def friction_latex(friction: Friction) -> str:
    """Return f(q̇) with the numbers, or the symbols, of a joint."""
    terms = []
    if friction.viscous:
        terms.append(rf"{factor(friction.viscous)}\,\dot{{q}}")
    if friction.static is not None:
        above = rf"({factor(friction.static)} - {factor(friction.coulomb)})"
        speed = friction.stribeck_velocity
        fading = rf"e^{{-(\dot{{q}}/{factor(speed)})^2}}" if speed else ""
        terms.append(rf"\left[{factor(friction.coulomb)} + {above}\,{fading}\right] {SIGN}")
    elif friction.coulomb:
        terms.append(rf"{factor(friction.coulomb)}\,{SIGN}")
    if friction.offset:
        terms.append(factor(friction.offset))
    return rf"$\displaystyle f(\dot{{q}}) = {' + '.join(terms) or '0'}$"


def factor(x: Scalar) -> str:
    """Return a number in six digits, or an expression, so that it can be multiplied."""
    if not free_symbols(x):
        mantissa, _, exponent = f"{float(x):.6g}".partition("e")
        text = rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa
        return f"({text})" if float(x) < 0 else text
    # symbols are letters, digits and underscores; of what else there is, LaTeX knows _ alone
    text = re.sub(r"\*\*(\d+)", r"^{\1}", str(x)).replace("*", r" \cdot ").replace("_", r"\_")
    return rf"\mathrm{{{text}}}" if re.fullmatch(r"[\w\\]+", text) else rf"(\mathrm{{{text}}})"
