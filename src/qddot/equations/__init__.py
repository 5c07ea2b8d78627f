"""Closed-form equations of motion: exact polynomials, printing, proofs."""
