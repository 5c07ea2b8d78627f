"""Closed-form equations of motion: exact polynomials, printing, proofs."""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.equations.answers.sheet import GradedSheet as GradedSheet, grade as grade
    from qddot.equations.answers.verdict import Verdict as Verdict
    from qddot.equations.deriving import derive as derive, exact_of as exact_of
    from qddot.equations.equations import Equations as Equations
    from qddot.equations.linearised import LinearEquations as LinearEquations
    from qddot.equations.proofs import (
        Claim as Claim,
        Proof as Proof,
        decided as decided,
        prove as prove,
    )
    from qddot.equations.quotient import Quotient as Quotient
    from qddot.equations.latex import as_latex as as_latex
    from qddot.equations.sympy_forms import as_sympy as as_sympy

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "qddot.equations.answers.sheet": "GradedSheet grade",
        "qddot.equations.answers.verdict": "Verdict",
        "qddot.equations.deriving": "derive exact_of",
        "qddot.equations.equations": "Equations",
        "qddot.equations.linearised": "LinearEquations",
        "qddot.equations.quotient": "Quotient",
        "qddot.equations.proofs": "Claim Proof decided prove",
        "qddot.equations.latex": "as_latex",
        "qddot.equations.sympy_forms": "as_sympy",
    },
)
