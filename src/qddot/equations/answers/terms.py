"""What is wrong with single terms of a formula: one is missing, or has another sign or factor."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from qddot.equations.angles import sums_of_angles
from qddot.equations.nodes import Call, Name, Node, Power, Product, Sum
from qddot.equations.polynomial import Polynomial
from qddot.equations.reading import nodes_in
from qddot.equations.terms import Monomial, Terms, polynomial_of, terms_of
from qddot.equations.text import as_text

MOST = 4  # terms that a sentence names
LARGEST = 12  # numerator and denominator of a factor that is a slip
OTHER = {"sin": "cos", "cos": "sin", "sine": "cosine", "cosine": "sine"}


def wrong_terms(left: Any, right: Any, quantity: str) -> tuple[str, str] | None:
    """Return the kind and the words for what became of some terms; None if it is nothing simple.

    Args:
        left: The answer less the right formula.
        right: The right formula.
        quantity: Which it is of.
    """
    if not isinstance(left, Polynomial):
        return None
    found = [_of_terms(wrong, own, quantity, left) for wrong, own in _written(left, right)]
    return next((each for each in found if each), None)


def _written(left: Polynomial, right: Any) -> list[tuple[Terms, Terms]]:
    """Return both as terms, in sums of angles where axes are parallel, and multiplied out."""
    wrong = terms_of(left)
    own = terms_of(right) if isinstance(right, Polynomial) else {}
    groups = left.ring.groups
    return [(sums_of_angles(wrong, groups), sums_of_angles(own, groups)), (wrong, own)]


def _of_terms(wrong: Terms, own: Terms, quantity: str, x: Polynomial) -> tuple[str, str] | None:
    if not 0 < len(wrong) <= MOST:
        return None
    said = _text({m: own.get(m, c) for m, c in wrong.items()}, x)
    if not all(m in own for m in wrong):
        if any(m in own for m in wrong):
            return None
        return "term_extra", f"{_text(wrong, x)} is added"
    ratios = {c / own[m] for m, c in wrong.items()}
    if len(ratios) != 1:
        return None
    (ratio,) = ratios
    mixed = all(_rates(m) == 2 for m in wrong) and quantity in ("c", "tau", "C")
    which = "coriolis_factor" if mixed else "term_factor"
    match ratio:
        case -1:
            return "term_missing", f"{said} is left out"
        case -2:
            return "term_sign", f"{said} has the other sign"
        case 1:
            return which, f"{said} is doubled"
        case _ if ratio == Fraction(-1, 2):
            return which, f"{said} is halved"
    factor = 1 + ratio
    if max(abs(factor.numerator), factor.denominator) > LARGEST:
        return None
    return "term_factor", f"{said} is multiplied by {factor}"


def _rates(monomial: Monomial) -> int:
    """Return how many different velocities a term has."""
    return sum(isinstance(f, Name) and f.kind == "rate" for f, _ in monomial)


def _text(terms: Terms, x: Polynomial) -> str:
    return as_text(polynomial_of(x.ring, terms))


def trigonometric(node: Node) -> set[Node]:
    """Return the sines and cosines in a formula."""
    named = (x.function if isinstance(x, Call) else getattr(x, "kind", "") for x in nodes_in(node))
    return {x for x, name in zip(nodes_in(node), named, strict=True) if name in OTHER}


def exchanged(node: Node, which: set[Node]) -> Node:
    """Return a formula with some of its sines as cosines, and cosines as sines."""
    match node:
        case Name(kind, label, joints) if node in which:
            return Name(OTHER[kind], label, joints)
        case Call(function, argument) if node in which:
            return Call(OTHER[function], argument)
        case Power(base, exponent):
            return Power(exchanged(base, which), exponent)
        case Product(coefficient, parts):
            return Product(coefficient, tuple(exchanged(part, which) for part in parts))
        case Sum(parts):
            return Sum(tuple(exchanged(part, which) for part in parts))
    return node
