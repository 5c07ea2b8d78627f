"""Proofs, checks, certificates and effective masses in a notebook: what holds, and how we know."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qddot.certificate.bound import Bound, outward, symbol
from qddot.certificate.certificate import VERDICT, Certificate, box_text
from qddot.certificate.ellipsoid import MassEllipsoid, NearSingular
from qddot.certificate.mobility import vector_text
from qddot.certificate.properties import Property
from qddot.equations.answers.sheet import GradedSheet, points_text
from qddot.equations.answers.verdict import Verdict, capitalised, listed
from qddot.equations.proofs import Claim, Proof, summary, verdict
from qddot.formulations.formulation import UNSEEN
from qddot.present.notebook.cell import rows, shown, words
from qddot.present.pages.page import bullets, facts, paragraph


def certificate_html(certificate: Certificate) -> str:
    """Return a certificate for a notebook; names are never markup."""
    found = certificate.properties
    properties = words(
        ["property", "holds", "known by", "evidence"],
        [(p.statement, VERDICT[p.holds], p.how, p.evidence) for p in found],
        bad={k for k, p in enumerate(found) if p.needed and p.holds is False},
    )
    bounds = list(certificate.bounds.values())
    parts = [paragraph(box_text(certificate), "quiet"), properties]
    if bounds:
        titles = ["bound", "at least", "at most", "unit", "gap"]
        lines = [
            (symbol(b.quantity), *outward(b.lower, b.upper), b.unit, f"{b.gap:.1e}") for b in bounds
        ]
        wide = {k for k, b in enumerate(bounds) if not b.closed}
        caption = "▲: not as narrow as asked for" if wide else ""
        parts.append(rows(titles, lines, bad=wide, caption=caption))
    return shown(f"Certificate of {certificate.robot.name}", *parts)


def bound_html(bound: Bound) -> str:
    """Return one bound for a notebook."""
    unit = f" {bound.unit}" if bound.unit else ""
    cells = bound.proof.get("cells", 0)
    low, high = outward(bound.lower, bound.upper)
    known = {
        "at least": f"{low}{unit}",
        "at most": f"{high}{unit}",
        "gap": f"{bound.gap:.1e}" + ("" if bound.closed else ", not as narrow as asked for"),
        "attained at q =": ", ".join(f"{x:.4g}" for x in bound.attained_at),
        "how": f"proved on {cells:,} cells" if cells else "proved",
        "time": f"{bound.seconds:.2g} s",
    }
    return shown(symbol(bound.quantity), facts(known))


def property_html(found: Property) -> str:
    """Return one property for a notebook."""
    verdict = {True: "holds", False: "fails", None: "open"}[found.holds]
    known = {"verdict": verdict, "known by": found.how, "evidence": found.evidence}
    return shown(found.statement, facts(known))


def near_singular_html(near: NearSingular) -> str:
    """Return the worst joint position that samples found."""
    found = near.found
    known = {
        "hardest to move at q =": vector_text(near.q),
        "condition": "infinite: q is singular" if found.singular else f"{near.condition:.4g}",
        "clearance from singularity": f"{near.clearance:.4g}",
        "how": f"sampled at {near.samples:,} joint positions; others may be worse",
    }
    return shown(f"{found.frame} of {found.robot.name}", facts(known))


def effective_mass_html(mass: MassEllipsoid) -> str:
    """Return the principal masses of a frame with their directions."""
    unit = " [kg]" if mass.axes == "linear" else ""
    letters = ["x", "y", "z"] if mass.axes == "linear" else ["ωx", "ωy", "ωz", "x", "y", "z"]
    lines = [
        (f"{m:.6g}" if np.isfinite(m) else "∞", *(f"{0.0 + x:.4g}" for x in axis))
        for m, axis in zip(mass.masses, np.round(mass.directions.T, 6), strict=True)
    ]
    table = rows([f"principal mass{unit}", *letters], lines)
    finite = int(np.isfinite(mass.masses).sum())
    return shown(mass.title, table, bullets(mass.words[finite:]))


def claim_html(claim: Claim) -> str:
    """Return one claim about a robot's equations."""
    return shown(claim.statement, *claims_table((claim,)))


def proof_html(proof: Proof) -> str:
    """Return every claim about a robot's equations."""
    terms = sum(claim.terms for claim in proof.claims)
    said = paragraph(f"{summary(proof)}, {terms:,} terms compared exactly")
    table = words([*proof.table[0]], [tuple(row.values()) for row in proof.table])
    parts = (said, table, paragraph(UNSEEN, "quiet"), *claims_table(proof.claims))
    return shown(f"Proofs for {proof.robot}", *parts)


def claims_table(claims: Sequence[Claim]) -> list[str]:
    """Return claims as a table; what fails, and should not, stands out."""
    lines = [(c.statement, verdict(c).lower(), f"{c.terms:,}", f"{c.seconds:.2f}") for c in claims]
    wrong = {k for k, claim in enumerate(claims) if verdict(claim) == "FAILS"}
    table = rows(["statement", "", "terms", "time [s]"], lines, bad=wrong)
    fails = [f"{claim.statement}: {claim.witness}" for claim in claims if claim.witness]
    return [table, *([bullets(fails)] if fails else [])]


def verdict_html(verdict: Verdict) -> str:
    """Return whether an answer is right, where it is wrong, and what it looks like."""
    entries = [
        (
            listed([e.place]) if e.place else verdict.quantity,
            e.difference,
            e.state,
            f"{e.yours:.6g}",
            f"{e.right:.6g}",
        )
        for e in verdict.wrong
    ]
    titles = ["entry", "yours − right", "a state", "yours", "right"]
    table = [words(titles, entries)] if entries else []
    said = [*map(capitalised, verdict.mistakes), *verdict.notes]
    parts = [paragraph(verdict.reason), *table, *([bullets(said)] if said else [])]
    return shown(f"{verdict.quantity} of {verdict.robot}", *parts)


def sheet_html(sheet: GradedSheet) -> str:
    """Return the points of every answer."""
    lines = [
        (a.question, a.quantity, a.result, points_text(a).replace("/", " / "), " ".join(a.remarks))
        for a in sheet.answers
    ]
    wrong = {k for k, a in enumerate(sheet.answers) if a.result != "right"}
    table = words(["question", "quantity", "", "points", "remarks"], lines, bad=wrong)
    total = f"{sheet.earned:g} of {sheet.points:g} points"
    total += f", {sheet.open:g} open" if sheet.open else ""
    return shown(sheet.title or "Answers", paragraph(total), table)
