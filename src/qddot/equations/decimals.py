"""Rational numbers as people write them: 2, 1/3, 0.4318, 1.2e-7."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

EXACT = Context(prec=400)
SMALL = 12  # the largest denominator that is a fraction to people though it has a short decimal
LONGEST_INTEGER = 15  # digits
FEWEST, MOST = -4, 6  # powers of ten of the first digit, between which no exponent is written


def numeral(value: Fraction, digits: int = 6, *, fractions: bool = False) -> str:
    """Return a number's text: whole, a fraction with "/", or a decimal, with "e" if need be.

    A decimal that is longer than `digits` is rounded to them. One third is a fraction always;
    one half is if `fractions` are wanted, as among symbols, and is 0.5 otherwise.
    """
    if value.denominator == 1 and len(str(abs(value.numerator))) <= LONGEST_INTEGER:
        return str(value.numerator)
    finite = _is_decimal(value.denominator)
    most = (SMALL if fractions else 0) if finite else 999
    if value.denominator <= most and abs(value.numerator) <= 999:
        return str(value)
    quotient = EXACT.divide(Decimal(value.numerator), Decimal(value.denominator))
    rounded = Context(prec=digits).create_decimal(quotient).normalize(EXACT)
    if not rounded or FEWEST <= rounded.adjusted() < MOST:
        return f"{rounded:f}"
    mantissa, _, exponent = f"{rounded:e}".partition("e")
    return f"{mantissa}e{int(exponent)}"


def _is_decimal(denominator: int) -> bool:
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    return denominator == 1
