"""The route of every formulation to M, c and g, and what it shares with others."""

from typing import NamedTuple


class Route(NamedTuple):
    """Where M, c and g come from, and what they are made of that others have too."""

    M: str
    c: str
    g: str
    shared: str  # besides the reader of the file and the exact arithmetic


NEWTON = ("accelerated base",)
ROUTES = {
    "lagrange": Route("∂²K/∂q̇²", "d/dt ∂K/∂q̇ − ∂K/∂q", "∂P/∂q", "tree"),
    "explicit": Route("Σ JᵀmJ + JᵀIJ", "Christoffel symbols", "−Σ Jᵀmg", "tree"),
    "trace": Route("Σ tr(U J Uᵀ)", "second derivatives", "−Σ mgᵀU r", "tree"),
    "stacked": Route("AᵀLᵀGLA", "brackets", *NEWTON, "tree; × with recursive"),
    "recursive": Route("6-D recursion", "6-D recursion", *NEWTON, "tree; × with stacked"),
    "newton_euler": Route("3-D recursion", "3-D recursion", *NEWTON, "tree"),
    "hamilton": Route("lagrange's", "Ṁq̇ − ½[q̇ᵀ ∂M q̇]", "lagrange's", "tree; M, g of lagrange"),
    "virtual_work": Route("Σ μ JᵀJ", "Σ μ Jᵀp̈", "−Σ μ Jᵀg", "none: reads the model"),
}
UNSEEN = (
    "Seven derivations take poses, inertias, rotors and followers from one tree; virtual_work "
    "reads the model itself. All share the reader of the file and the exact arithmetic; friction "
    "and springs are added to all alike. Agreement cannot show an error in these."
)
