"""What a wrong answer looks like: every usual mistake is tried, and compared with it exactly."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from qddot.equations.answers.bodies import KNOWN, Hypothesis, changed_equations
from qddot.equations.answers.comparison import AnswerComparison
from qddot.equations.answers.mistakes import about_the_robot, exchanged, trigonometric, wrong_terms
from qddot.equations.answers.slips import of_letters, of_the_derivation
from qddot.equations.answers.verdict import Explanation
from qddot.equations.equality import difference
from qddot.equations.polynomial import Polynomial, WorkLimitReached, at_most
from qddot.equations.reading import NoPolynomial, PolynomialReader
from qddot.errors import QddotError

WORK = 5e6  # products of terms, for all mistakes together
CLOSEST = 6  # mistakes that are tried two at a time
SIGNS = ("sign", "term_sign")  # of an entry, and of terms in it
ALIKE = 3  # mistakes that give the same answer, and are all named


@dataclass(frozen=True)
class Tried:
    """One or two mistakes, and what they leave of the answer."""

    hypotheses: tuple[Hypothesis, ...]
    fits: frozenset[int]  # the entries that are exactly theirs
    explains: frozenset[int]  # of these, the wrong ones
    terms: int  # that are left in all entries

    def explanation(self, search: MistakeSearch, places: Sequence[int] = ()) -> Explanation:
        words = ", and ".join(h.words for h in self.hypotheses)
        kinds = tuple(h.kind for h in self.hypotheses)
        return Explanation(kinds, words, tuple(search.case.places[k] for k in places))


class MistakeSearch:
    """The search for mistakes that make an answer what it is."""

    def __init__(self, case: AnswerComparison, wrong: Sequence[int]):
        self.case, self.wrong = case, frozenset(wrong)
        self.right = case.right()
        self.left = case.left(self.right)
        self.tried: list[Tried] = []
        self.cut_short = False

    def explanations(self) -> list[Explanation]:
        """Return what explains the answer, in as few mistakes as do; nothing if none does."""
        try:
            with at_most(WORK):
                return self._explanations()
        except WorkLimitReached:
            self.cut_short = True
            return self._whole(self.tried)

    def _explanations(self) -> list[Explanation]:
        equations, quantity = self.case.equations, self.case.quantity
        known = quantity in KNOWN  # else somebody said what is right, and we know no more
        likely = self._tried(
            [*of_the_derivation(quantity), *about_the_robot(equations.robot, quantity)]
        )
        if found := self._whole(likely):
            return found
        if swap := self._exchanged():
            return [swap]
        places = sorted(self.wrong)
        simple = dict(zip(places, self._by_terms(places), strict=True))
        alone = simple[places[0]] if len(places) == 1 else None
        if alone and alone[0] != "term_extra":  # of one entry, what is wrong in it says most
            return self._by_entry([], simple)
        slips = list(of_letters(equations, quantity)) if known else []
        singles = [*likely, *self._tried(slips)]
        signs = self._other_signs(simple)
        if found := self._whole(singles):
            all_turned = any(each.kinds == ("sign",) for each in found)
            return found if all_turned else [*signs, *found]
        if signs:
            return signs
        covering = [] if alone else [t for t in singles if t.explains == self.wrong]
        if covering:
            return [covering[0].explanation(self, places)]
        if pair := self._pair(singles):
            return [pair]
        return self._by_entry(singles, simple)

    def _whole(self, tried: list[Tried]) -> list[Explanation]:
        """Return the mistakes that make the whole answer, one of each kind."""
        whole = [t for t in tried if len(t.fits) == len(self.right)]
        return [t.explanation(self) for t in _different(whole)[:ALIKE]]

    def _by_terms(self, places: Sequence[int]) -> list[tuple[str, str] | None]:
        quantity = self.case.quantity
        return [
            wrong_terms(self.left[k], self.right[k], quantity)
            if isinstance(self.case.bottoms[k], int)
            else None
            for k in places
        ]

    def _tried(self, hypotheses: Sequence[Hypothesis]) -> list[Tried]:
        found = []
        for hypothesis in hypotheses:
            if (tried := self._try((hypothesis,))) is not None:
                found.append(tried)
                self.tried.append(tried)
        return found

    def _try(self, hypotheses: tuple[Hypothesis, ...]) -> Tried | None:
        """Return what some mistakes leave of the answer; None if they change nothing wrong."""
        try:
            values = self._values(hypotheses)
        except (QddotError, ArithmeticError, ValueError):  # a robot that has no such equations
            return None
        if values is None:
            return None
        pairs = zip(values, self.right, strict=True)
        changed = {k for k, (a, b) in enumerate(pairs) if _differ(a, b)}
        if not changed & self.wrong:
            return None
        left = self.case.left(values)
        fits = frozenset(k for k, x in enumerate(left) if not x)
        return Tried(hypotheses, fits, fits & self.wrong, sum(map(_terms, left)))

    def _values(self, hypotheses: tuple[Hypothesis, ...]) -> list[Any] | None:
        equations, quantity = self.case.equations, self.case.quantity
        robot = equations.robot
        for hypothesis in hypotheses:
            robot = hypothesis.robot(robot) if hypothesis.robot else robot
        if robot is not equations.robot:
            equations = changed_equations(robot, quantity)
        twists = [h.twist for h in hypotheses if h.twist]
        value = twists[0](equations, quantity) if twists else equations.quantity(quantity)
        if np.shape(value) != np.shape(self.case.value):
            return None
        return self.case.entries(value)

    def _pair(self, singles: list[Tried]) -> Explanation | None:
        """Return two mistakes that make the whole answer, among those that come closest."""
        before = sum(map(_terms, self.left))
        close = sorted((t for t in singles if t.terms < before), key=lambda t: t.terms)
        best = [t.hypotheses[0] for t in close[:CLOSEST]]
        for a, b in permutations(best, 2):
            if a.robot is None:  # a change of the result comes last, and only one
                continue
            found = self._try((a, b))
            if found is not None and len(found.fits) == len(self.right):
                return found.explanation(self)
        return None

    def _by_entry(
        self, singles: list[Tried], simple: dict[int, tuple[str, str] | None]
    ) -> list[Explanation]:
        """Return what explains single entries, each by the mistake that explains the most."""
        found: list[Explanation] = []
        open_entries = set(self.wrong)
        while open_entries:
            best = max(singles, key=lambda t: len(t.explains & open_entries), default=None)
            covered = sorted(best.explains & open_entries) if best else []
            if best is None or not covered:
                break
            own = simple.get(covered[0])
            if len(covered) == 1 and own:
                break
            found.append(best.explanation(self, covered))
            open_entries -= set(covered)
        own_slips = {k: own for k in sorted(open_entries) if (own := simple.get(k))}
        return [*found, *by_words(own_slips, self.case)]

    def _other_signs(self, simple: dict[int, tuple[str, str] | None]) -> list[Explanation]:
        """Return the terms that have the other sign, if this is all that is wrong."""
        slips = {k: own for k, own in simple.items() if own and own[0] in SIGNS}
        return by_words(slips, self.case) if len(slips) == len(simple) else []

    def _exchanged(self) -> Explanation | None:
        """Return whether the wrong entries are right with sines and cosines exchanged."""
        nodes = self.case.nodes.reshape(-1)
        if len(nodes) != len(self.right):
            return None
        for k in self.wrong:
            factors = trigonometric(nodes[k])
            choices = [factors, *({factor} for factor in sorted(factors, key=str))]
            if not any(choice and self._is_right(k, choice) for choice in choices):
                return None
        places = tuple(self.case.places[k] for k in sorted(self.wrong))
        return Explanation(("sin_cos",), "sine and cosine are exchanged", places)

    def _is_right(self, k: int, factors: set[Any]) -> bool:
        node = exchanged(self.case.nodes.reshape(-1)[k], factors)
        with suppress(NoPolynomial):
            reader = PolynomialReader(self.case.ring, [node])
            top, bottom = reader.value(node)
            return not difference(top, self.right[k] * bottom)
        return False


def by_words(slips: dict[int, tuple[str, str]], case: AnswerComparison) -> list[Explanation]:
    """Return slips in single entries, by kind and words; each once, with all its entries."""
    entries: dict[tuple[str, str], list[int]] = {}
    for k, slip in slips.items():
        entries.setdefault(slip, []).append(k)
    return [
        Explanation((kind,), words, tuple(case.places[k] for k in places))
        for (kind, words), places in entries.items()
    ]


def _differ(a: Any, b: Any) -> bool:
    if isinstance(a, Polynomial) and isinstance(b, Polynomial) and a.ring == b.ring:
        return a.value != b.value
    return bool(difference(a, b))


def _terms(x: Any) -> int:
    return len(x) if isinstance(x, Polynomial) else int(bool(x))


def _different(tried: list[Tried]) -> list[Tried]:
    """Return one of each kind, the first of them."""
    found: dict[str, Tried] = {}
    for each in tried:
        found.setdefault(each.hypotheses[0].kind, each)
    return list(found.values())
