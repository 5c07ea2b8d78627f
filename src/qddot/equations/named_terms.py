"""Long sums in short lines: what is long gets a name, which is defined before it is used.

A long sum is collected by velocities and accelerations, then by masses and what else it is linear
in, then by the sines and cosines of one joint after the other, from the base on. What multiplies
them depends on the joints further out alone: it is a property of the outer links together, the same
in many entries, and has one name on the whole page. Definitions are collected in the same way,
until no line is long.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeAlias

from qddot.equations.forms import Collected
from qddot.equations.nodes import Name, Node
from qddot.equations.polynomial import Polynomial
from qddot.equations.readable import counted
from qddot.equations.ring import Ring
from qddot.equations.terms import factors_of, sums_of_angles, terms_of

LONGEST = 40  # terms of a line
MOST_PRINTED = 15_000  # terms on one page, in entries and definitions together
INLINE = 4  # terms of a factor that is written where it stands, in parentheses

Factors: TypeAlias = tuple[tuple[int, int], ...]  # by number, with their exponents
NumberedTerms: TypeAlias = dict[Factors, Any]  # with rational coefficients, Fraction or fmpq
MOVING, LINEAR, JOINT, OTHER = range(4)  # what is collected by, in this order


class NamedTerms:
    """The names of one page, and what they stand for."""

    def __init__(self, ring: Ring, letter: str):
        self.ring, self.letter = ring, letter
        self.definitions: list[tuple[Name, Collected]] = []
        self.printed = 0  # terms
        self.left_out = 0  # entries that are only counted, because the page is full
        # sums that have a name, by the products in them: there are few with the same
        self._known: dict[frozenset[Factors], list[tuple[NumberedTerms, Factors, Any]]] = {}
        self._done: dict[int, tuple[Polynomial, Any]] = {}  # what was written before
        self._blocks = {joint: min(group) for group in ring.groups for joint in group}
        self._linear = {
            Name("parameter", atom.name)
            for atom, role in ring.roles.items()
            if role in ("mass", "linear")
        }
        self._factors: list[Node] = []
        self._numbers: dict[Node, int] = {}
        self._ranks: list[tuple[int, int]] = []
        for factor in factors_of(ring):  # which have the numbers of the ring's generators
            self._number(factor)

    def written(self, x: Any) -> Any:
        """Return a long polynomial collected by names, anything else as it is.

        The names that are new are at the end of `definitions`.
        """
        if not isinstance(x, Polynomial) or len(x) <= LONGEST:
            return x
        if id(x) not in self._done and self.printed > MOST_PRINTED:
            self.left_out += 1
            said = Name("term", rf"\text{{({counted(len(x))})}}")
            return Collected(self.ring, {((said, 1),): Fraction(1)})
        if id(x) not in self._done:
            terms = self._numbered(x)
            long = len(terms) > LONGEST
            found = self._written(self._collected(terms)) if long else x
            self._done[id(x)] = x, found
        return self._done[id(x)][1]

    def learn(self, symbol: str, x: Any) -> None:
        """Let something that is printed with a symbol of its own be a name from here on."""
        if isinstance(x, Polynomial) and len(x) > INLINE:
            terms = self._numbered(x)
            if self._find(terms) is None:
                self._keep(terms, ((self._number(Name("term", symbol)), 1),), 1)

    def _numbered(self, x: Polynomial) -> NumberedTerms:
        """Return the terms of a polynomial, of parallel joints in sums of angles."""
        if not self.ring.groups:
            return {
                tuple((k, int(e)) for k, e in enumerate(exponents) if e): coefficient
                for exponents, coefficient in x.value.to_dict().items()
            }
        number = self._number
        return {
            tuple(sorted((number(factor), e) for factor, e in monomial)): coefficient
            for monomial, coefficient in sums_of_angles(terms_of(x), self.ring.groups).items()
        }

    def _number(self, factor: Node) -> int:
        if factor not in self._numbers:
            self._numbers[factor] = len(self._factors)
            self._factors.append(factor)
            self._ranks.append(self._rank(factor, len(self._ranks)))
        return self._numbers[factor]

    def _rank(self, factor: Node, number: int) -> tuple[int, int]:
        """Return when it is collected by: of one joint, or of parallel ones, all at once."""
        match factor:
            case Name("rate" | "acceleration"):
                return MOVING, 0
            case Name("sine" | "cosine" | "position", _, joints):
                return JOINT, self._blocks.get(joints[0][0], joints[0][0])
            case Name() if factor in self._linear:
                return LINEAR, 0
        return OTHER, number

    def _collected(self, terms: NumberedTerms) -> NumberedTerms:
        """Return terms in which every long factor is a name."""
        if len(terms) <= LONGEST:
            return terms
        groups, inline = self._best_groups(terms)
        found: NumberedTerms = {}
        for shared, part in groups.items():
            if len(part) <= inline:
                for rest, coefficient in part.items():
                    found[tuple(sorted(shared + rest))] = coefficient
            else:
                factors, size = self._named(part)
                found[tuple(sorted(shared + factors))] = size
        return found

    def _best_groups(self, terms: NumberedTerms) -> tuple[dict[Factors, NumberedTerms], int]:
        """Return the first way to collect that gives a line which is not too long."""
        ranks = self._ranks
        best: tuple[int, dict[Factors, NumberedTerms], int] | None = None
        for rank in sorted({ranks[k] for factors in terms for k, _ in factors}):
            for leading in (False, True):
                groups: dict[Factors, NumberedTerms] = {}
                for factors, coefficient in terms.items():
                    shared = tuple(item for item in factors if ranks[item[0]] == rank)
                    shared = shared[:1] if leading else shared
                    rest = tuple(item for item in factors if item not in shared)
                    groups.setdefault(shared, {})[rest] = coefficient
                for inline in (INLINE, 2, 1):
                    sizes = map(len, groups.values())
                    line = sum(size if size <= inline else 1 for size in sizes)
                    if line <= LONGEST:
                        return groups, inline
                    if best is None or line < best[0]:
                        best = line, groups, inline
        assert best is not None  # a long sum has factors
        return best[1:]

    def _named(self, terms: NumberedTerms) -> tuple[Factors, Any]:
        """Return a sum as the product that it is: its name, defined here if new, and a number.

        Where all terms of the sum share factors, these too, before the name of what is left.
        """
        found = self._find(terms)
        if found is not None:
            return found
        line = self._collected(terms)
        if len(line) == 1:
            ((factors, size),) = line.items()
        else:
            name = Name("term", f"{self.letter}_{{{len(self.definitions) + 1}}}")
            self.definitions.append((name, self._written(line)))
            factors, size = ((self._number(name), 1),), 1
        return self._keep(terms, factors, size)

    def _keep(self, terms: NumberedTerms, factors: Factors, size: Any) -> tuple[Factors, Any]:
        self._known.setdefault(frozenset(terms), []).append((terms, factors, size))
        return factors, size

    def _find(self, terms: NumberedTerms) -> tuple[Factors, Any] | None:
        """Return the product that a sum is known as, up to a number, if there is one."""
        for known, factors, size in self._known.get(frozenset(terms), ()):
            first = next(iter(terms))
            ratio = terms[first] / known[first]
            if all(c == ratio * known[place] for place, c in terms.items()):
                return factors, ratio * size
        return None

    def _written(self, line: NumberedTerms) -> Collected:
        self.printed += len(line)
        terms = {tuple((self._factors[k], e) for k, e in m): rational(c) for m, c in line.items()}
        return Collected(self.ring, terms)


def rational(x: Any) -> Fraction:
    """Return a whole number, a Fraction or an fmpq as a Fraction."""
    return Fraction(int(x.numerator), int(x.denominator))
