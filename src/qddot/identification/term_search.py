"""Forward selection: columns are taken one after the other, as long as they predict better.

From what is fitted in any case, one candidate after the other is taken, the one first that brings
most, as long as it

- lowers the error of the joints it acts on, in blocks of time that were not fitted, by a share,
- does so steadily over the blocks, with values that hardly change from block to block: the less it
  brings, the surer it must be,
- can be told from what is taken, and creates no energy.

Hastie: T. Hastie, R. Tibshirani, J. Friedman, *The Elements of Statistical Learning*, 2009,
sections 3.3 and 7.10: forward selection, and standard errors of cross-validation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.identification.candidates import Candidate
from qddot.identification.unseen import Trial, UnseenTorques

SHARE = 0.04  # of the squared error of its joints that must go, 2 % of the error
STEADY = 1.5  # standard errors over the blocks, by which the error falls
SURE = 2.5  # standard errors of the values, times the root of the share that goes
OWN = 0.003  # of a column that the others must not explain


@dataclass(frozen=True)
class Choice:
    """What was thought of, and whether it was taken."""

    what: str
    joints: tuple[str, ...]
    columns: tuple[str, ...]
    without: float  # ‖τ − τ̂‖/‖τ‖ of these joints on blocks that were not fitted
    error: float  # the same with it
    taken: bool
    why: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "candidate": self.what,
            "joints": list(self.joints),
            "columns": list(self.columns),
            "without": self.without,
            "with": self.error,
            "taken": self.taken,
            "why": self.why,
        }


class TermSearch:
    """Forwards from what is fitted in any case, then once backwards."""

    def __init__(
        self,
        unseen: UnseenTorques,
        names: Sequence[str],
        own: int,
        found: Sequence[Candidate],
        joints: Sequence[str],
    ):
        self.unseen, self.names, self.found = unseen, names, found
        self.place = {name: k for k, name in enumerate(names)}
        self.joint = {name: i for i, name in enumerate(joints)}
        self.always = list(range(own))
        self.taken: list[Candidate] = []
        self.base = unseen.take(self.always)
        self.first = unseen.relative(self.base)

    def columns(self, *chosen: Candidate) -> list[int]:
        """Return the places of candidates' columns."""
        return [self.place[name] for c in chosen for name in c.names]

    def joints(self, candidate: Candidate) -> list[int]:
        return [self.joint[name] for name in candidate.joints]

    def trial(self, candidate: Candidate) -> Trial:
        return self.unseen.trial(self.columns(candidate), self.joints(candidate))

    def refused(self, candidate: Candidate, trial: Trial) -> str:
        """Return why a candidate is not taken, or nothing."""
        if not trial.own >= OWN:
            return "acts as what is there does"
        if trial.gain < SHARE:
            return "hardly predicts better"
        if trial.steady < STEADY or trial.sure * trial.gain**0.5 < SURE:
            return "not in all blocks alike: may be chance"
        values = self.values(candidate)
        for rule in candidate.positive:
            if sum(factor * values.get(name, 0.0) for name, factor in rule.items()) < 0:
                return "would create energy"
        return ""

    def values(self, *more: Candidate) -> dict[str, float]:
        """Return what all blocks give the columns that are taken, and those of candidates."""
        columns = self.always + self.columns(*self.taken, *more)
        found = self.unseen.values(columns).tolist()
        return dict(zip((self.names[k] for k in columns), found, strict=True))

    @property
    def error(self) -> float:
        """‖τ − τ̂‖/‖τ‖ on blocks that were not fitted, with what is taken."""
        return self.unseen.relative(self.base)

    def rivals(self) -> list[Candidate]:
        """Return the candidates that are left: one of a kind at a joint."""
        there = {c.key for c in self.taken}
        return [c for c in self.found if c.key not in there]

    def run(self) -> None:
        """Go forwards as far as something predicts better, then once backwards."""
        self.forward()
        self.backward()

    def take(self, chosen: Sequence[Candidate]) -> None:
        """Take candidates as they are."""
        self.taken = list(chosen)
        self.base = self.unseen.take(self.always + self.columns(*chosen))

    def forward(self) -> None:
        """Take candidates, the best first, one per joint before all are tried again."""
        while True:
            tried = [(c, self.trial(c)) for c in self.rivals()]
            tried.sort(key=lambda pair: self._misfit(pair[1].errors))
            busy: set[str] = set()
            for candidate, trial in tried:
                if not busy & set(candidate.joints) and not self.refused(candidate, trial):
                    busy |= set(candidate.joints)
                    self.taken.append(candidate)
            if not busy:
                return
            self.take(self.taken)

    def backward(self) -> None:
        """Leave out what others have made superfluous."""
        for candidate in list(self.taken):
            rest = [c for c in self.taken if c is not candidate]
            without = self.unseen.errors(self.always + self.columns(*rest))
            at = self.joints(candidate)
            gone = self._misfit(without) - self._misfit(self.base)
            if gone < SHARE * np.sum((without / self.unseen.variance)[:, at]):
                self.take(rest)

    def _misfit(self, squares: np.ndarray) -> float:
        return float(np.sum(squares / self.unseen.variance))

    def table(self) -> list[Choice]:
        """Return what each kind of candidate brings, those that were taken first."""
        rows = []
        for what in dict.fromkeys(c.what for c in self.taken):
            same = [c for c in self.taken if c.what == what]
            rest = [c for c in self.taken if c.what != what]
            joints = tuple(dict.fromkeys(name for c in same for name in c.joints))
            without = self.unseen.errors(self.always + self.columns(*rest))
            rows.append(self._row(what, joints, same, without, self.base, ""))
        tried: dict[str, tuple[Candidate, Trial]] = {}
        for c in self.rivals():
            trial = self.trial(c)
            if c.what not in tried or trial.gain > tried[c.what][1].gain:
                tried[c.what] = c, trial
        for what, (c, trial) in tried.items():
            rows.append(
                self._row(what, c.joints, [c], self.base, trial.errors, self.refused(c, trial))
            )
        return rows

    def _row(
        self,
        what: str,
        joints: tuple[str, ...],
        same: Sequence[Candidate],
        without: np.ndarray,
        errors: np.ndarray,
        why: str,
    ) -> Choice:
        at = [self.joint[name] for name in joints]
        columns = tuple(name for c in same for name in c.names)
        before, after = (self.unseen.relative(x, at) for x in (without, errors))
        return Choice(what, joints, columns, before, after, not why, why)
