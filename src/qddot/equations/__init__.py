"""Closed-form equations of motion: exact polynomials, printing, proofs."""

from qddot.on_demand import on_demand

__getattr__, __dir__ = on_demand(__name__, {}, ("derive", "latex", "proofs", "sympy_form"))
