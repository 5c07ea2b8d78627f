"""Forward selection: columns are taken one after the other, as long as they predict better.

From what is fitted in any case, one candidate after the other is taken, the one first that brings
most, as long as it

- lowers the error of the joints it acts on, in blocks of time that were not fitted, by a share,
- does so steadily over the blocks, with values that hardly change from block to block: the less it
  brings, the surer it must be,
- can be told from what is taken, and creates no energy.

A problem's factors hold all that least squares asks of a log (`problem`), so a set of columns is
tried without another look at the rows. With S the columns that are taken, a block is predicted by
the values that all other blocks give; what a further column adds is what S does not explain of it.

Hastie: T. Hastie, R. Tibshirani, J. Friedman, *The Elements of Statistical Learning*, 2009,
sections 3.3 and 7.10: forward selection, and standard errors of cross-validation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qddot.identification.candidates import Candidate
from qddot.identification.problem import Blocks

SHARE = 0.04  # of the squared error of its joints that must go, 2 % of the error
STEADY = 1.5  # standard errors over the blocks, by which the error falls
SURE = 2.5  # standard errors of the values, times the root of the share that goes
OWN = 0.003  # of a column that the others must not explain
FINE = 2e-3  # of a torque: an error this small is no error
SOFT = 1e-10  # of a column's own size, so that what a log does not show stays at zero
ROUNDS = 3  # of the noise of each joint and the values that it weighs


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


@dataclass(frozen=True)
class Trial:
    """What columns bring to those that are taken."""

    errors: np.ndarray  # (blocks, n), the squares left of the torques of each block
    gain: float  # the share of its joints' error, squared, that goes; what others lose taken off
    steady: float  # by how many standard errors over the blocks the error falls
    sure: float  # by how many standard errors over the blocks the values differ from zero
    own: float  # the share of a column that none of the taken ones explains


class UnseenTorques:
    """Blocks of time, each predicted from all the others."""

    def __init__(self, blocks: Blocks, seen: Sequence[np.ndarray], counts: np.ndarray, p: int):
        self.p, self.counts = p, np.maximum(counts.sum(axis=0), 1)
        self.places = [np.append(columns, p) for columns in seen]  # the last is of torques
        length = np.zeros(p + 1)
        for block in blocks:
            for R, at in zip(block, self.places, strict=True):
                length[at] += np.sum(R**2, axis=0)
        self.scale = np.where(length > 0, np.sqrt(length), 1)
        self.R = [
            [R / self.scale[at] for R, at in zip(block, self.places, strict=True)]
            for block in blocks
        ]
        self.torques = np.array([[np.sum(R[:, -1] ** 2) for R in block] for block in self.R])
        self.floor = FINE**2 * self.torques.sum(axis=0)
        self.variance = self._variance(self.torques)

    def _variance(self, squares: np.ndarray) -> np.ndarray:
        least = max(float(self.floor.max()), np.finfo(float).tiny)
        floor = np.where(self.floor > 0, self.floor, least)
        return np.maximum(squares.sum(axis=0), floor) / self.counts

    def relative(self, squares: np.ndarray, joints: Sequence[int] = ()) -> float:
        """Return ‖τ − τ̂‖/‖τ‖ on blocks that were not fitted, of some joints or of all."""
        at = list(joints) or slice(None)
        return float(np.sqrt(squares[:, at].sum() / (self.torques[:, at].sum() or 1)))

    def _information(self) -> np.ndarray:
        """Return [Y τ]ᵀ[Y τ] of each block, joints by their noise, shape (blocks, p + 1, p + 1)."""
        found = np.zeros((len(self.R), self.p + 1, self.p + 1))
        for f, block in enumerate(self.R):
            for R, at, variance in zip(block, self.places, self.variance, strict=True):
                found[f][np.ix_(at, at)] += R.T @ R / variance
        return found

    def _others(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the information of all blocks but each one, and of all."""
        each = self._information()
        return each.sum(axis=0) - each, each.sum(axis=0)

    def errors(self, taken: list[int]) -> np.ndarray:
        """Return the squares left of each block's torques by joint, shape (blocks, n)."""
        H, _ = self._others()
        x = np.zeros((len(H), self.p + 1, 1))
        x[:, taken] = -np.linalg.solve(_soft(H, taken), H[:, taken][..., [self.p]])
        x[:, self.p] = 1
        return self._squares(x)

    def values(self, taken: list[int]) -> np.ndarray:
        """Return what all blocks together give the columns."""
        _, H = self._others()
        x = np.linalg.solve(_soft(H, taken), H[taken, self.p])
        return x * self.scale[self.p] / self.scale[taken]

    def _squares(self, x: np.ndarray) -> np.ndarray:
        return np.array(
            [
                [np.sum((R @ v[at]) ** 2) for R, at in zip(block, self.places, strict=True)]
                for block, v in zip(self.R, x, strict=True)
            ]
        )

    def take(self, taken: list[int]) -> np.ndarray:
        """Take columns: find each joint's noise with them, and what they leave of all others.

        Return the squares left of each block's torques by joint, shape (blocks, n).
        """
        for _ in range(ROUNDS):
            self.variance = self._variance(self.errors(taken))
        H, whole = self._others()
        X = np.linalg.solve(_soft(H, taken), H[:, taken])
        self.left = H - np.swapaxes(H[:, taken], 1, 2) @ X
        W = np.broadcast_to(np.eye(self.p + 1), H.shape).copy()
        W[:, taken] -= X
        self.Z = [
            [R @ w[at] for R, at in zip(block, self.places, strict=True)]
            for block, w in zip(self.R, W, strict=True)
        ]
        rest = whole - whole[:, taken] @ np.linalg.solve(_soft(whole, taken), whole[taken])
        size = np.diag(whole)
        self.own = np.sqrt(np.maximum(np.diag(rest), 0) / np.where(size > 0, size, np.inf))
        self.base = np.array([[np.sum(Z[:, -1] ** 2) for Z in block] for block in self.Z])
        return self.base

    def trial(self, more: list[int], joints: list[int]) -> Trial:
        """Return what further columns bring, which act on some joints first of all."""
        gamma = np.linalg.solve(_soft(self.left, more), self.left[:, more][..., [self.p]])
        errors = np.array(
            [
                [np.sum((Z[:, -1] - Z[:, more] @ g[:, 0]) ** 2) for Z in block]
                for block, g in zip(self.Z, gamma, strict=True)
            ]
        )
        count, low = len(errors), self.floor / len(errors)
        each = [((x + low) / self.variance)[:, joints].sum(axis=1) for x in (self.base, errors)]
        gain = float(np.sum((self.base - errors) / self.variance) / max(each[0].sum(), 1e-300))
        falls = np.log(np.maximum(each[0], 1e-300) / np.maximum(each[1], 1e-300))
        spread = falls.std(ddof=1) / np.sqrt(count)
        steady = float(falls.mean() / spread) if spread > 0 else 0.0
        # the jackknife: by how much values change without each block
        values = gamma[..., 0]
        mean, off = values.mean(axis=0), values - values.mean(axis=0)
        covariance = (count - 1) / count * off.T @ off
        wald = float(mean @ np.linalg.pinv(covariance) @ mean) / len(mean)
        own = float(self.own[more].min())
        return Trial(errors, gain, steady, float(np.sqrt(max(wald, 0))), own)


def _soft(H: np.ndarray, columns: list[int]) -> np.ndarray:
    """Return the information of some columns, with a little more, so that it has an inverse."""
    part = H[..., columns, :][..., columns]
    size = np.einsum("...ii->...i", part).mean(axis=-1) if columns else np.ones(H.shape[:-2])
    soft = np.maximum(SOFT * size, np.finfo(float).tiny)
    return part + soft[..., None, None] * np.eye(len(columns))


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
