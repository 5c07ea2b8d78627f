"""A certificate as text: a table of its properties and a table of its bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qddot.errors import printable

if TYPE_CHECKING:
    from qddot.certificate.bound import Bound
    from qddot.certificate.certificate import Certificate

VERDICT = {True: "yes", False: "NO", None: "open"}
# how each bound is written in a book, by the beginning of its name
SYMBOLS = {
    "M.eigenvalue.max": "μ₂ = max λ(M)",
    "M.eigenvalue.min": "μ₁ = min λ(M)",
    "Minv.eigenvalue.max": "max λ(M⁻¹)",
    "Minv.eigenvalue.min": "min λ(M⁻¹)",
    "M.norm1.max": "M₂ = max ‖M‖₁",
    "M.norm1.min": "M₁ = min ‖M‖₁",
    "M.norm2.max": "max ‖M‖₂",
    "M.norm2.min": "min ‖M‖₂",
    "M.normF.max": "max ‖M‖_F",
    "M.normF.min": "min ‖M‖_F",
    "c.norm1": "c_b: ‖c‖₁ ≤ c_b ‖q̇‖₁²",
    "c.norm2": "c_b: ‖c‖₂ ≤ c_b ‖q̇‖₂²",
    "c.norminf": "c_b: ‖c‖∞ ≤ c_b ‖q̇‖∞²",
    "C.norm1": "k_c: ‖C‖₁ ≤ k_c ‖q̇‖₁",
    "C.norm2": "k_c: ‖C‖₂ ≤ k_c ‖q̇‖₂",
    "C.norminf": "k_c: ‖C‖∞ ≤ k_c ‖q̇‖∞",
    "c.crude": "n² max|Γ|, as the decks bound c",
    "g.norm1": "g_b = max ‖g‖₁",
    "g.norm2": "g_b = max ‖g‖₂",
    "g.norminf": "g_b = max ‖g‖∞",
    "dg.norm2": "max ‖∂g/∂q‖₂",
    "D.norm2": "d_max: ‖D q̇‖₂ ≤ d_max ‖q̇‖₂",
    "g.effort": "max |gᵢ| / effort limit",
}


def symbol(quantity: str) -> str:
    """Return how a bound is written in a book."""
    if quantity in SYMBOLS:
        return SYMBOLS[quantity]
    return f"max |g| of {printable(quantity.removeprefix('g.'))}"


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


def bound_lines(bounds: list[Bound]) -> list[str]:
    """Return the table of bounds."""
    rows = [("bound", "at least", "at most", "gap", "")]
    for b in bounds:
        gap = f"{b.gap:.1e}" if b.gap < 1e-3 else f"{100 * b.gap:.2g} %"
        rows.append(
            (symbol(b.quantity), digits(b.lower), digits(b.upper), gap, "" if b.closed else "wide")
        )
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    return [
        f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  "
        f"{row[3]:>{widths[3]}}  {row[4]}".rstrip()
        for row in rows
    ]


def digits(x: float) -> str:
    return f"{x:.8g}"


def box_text(certificate: Certificate) -> str:
    """Return the box in words."""
    box, names = certificate.box, certificate.robot.joint_names
    parts = [
        f"{printable(name)} {low:.4g}…{high:.4g}"
        for name, low, high in zip(names, box.lower, box.upper, strict=True)
    ]
    return "for " + ", ".join(parts)
