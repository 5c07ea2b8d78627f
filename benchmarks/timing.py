"""Timing that compares: everything compared runs in turn, in the same seconds.

A machine is never quite idle and its clock changes, so a time alone says little. Here A, B, C run
as A B C A B C ..., each for a few milliseconds at a time, and each keeps its least time: what the
machine does meanwhile happens to all of them. What is counted is the time that the processor works
for this process, on whichever thread, so that being interrupted costs nobody anything.
"""

from __future__ import annotations

import os
import sys
import time
import timeit
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

TICK = 5e-3  # [s] for which a contender runs at a time, at least
LEAST_ROUNDS = 5

Clock = Callable[[], float]


@dataclass(frozen=True)
class Effort:
    """How long and how much is measured."""

    seconds: float = 0.5  # for one comparison
    states: int = 8192  # in a batch
    many: int = 400_000  # in a batch that is worth threads
    most: int = 10_000_000  # in a batch that must not fill the memory
    repeats: int = 3  # of what needs a process of its own
    patience: float = 8.0  # [s] for what takes long: a search, a run of SymPy


QUICK = Effort(seconds=0.1, many=100_000, most=1_000_000, repeats=2, patience=4.0)
LONG = Effort(seconds=0.8, repeats=5, patience=300.0)


def say(text: str) -> None:
    """Tell how far the work is."""
    print(text, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Contender:
    """A call to be timed, and how many states it works on."""

    function: Callable[..., Any]
    args: tuple
    states: int = 1
    out: Any = None  # handed over by keyword, if given
    named: Mapping[str, Any] = field(default_factory=dict)  # further keywords

    def timer(self, clock: Clock) -> timeit.Timer:
        """Return a timer whose loop holds the call itself and no wrapper around it."""
        names = {f"a{k}": arg for k, arg in enumerate(self.args)}
        keywords = {**({} if self.out is None else {"out": self.out}), **self.named}
        given = [*names, *(f"{key}={key}" for key in keywords)]
        scope = {"f": self.function, **names, **keywords}
        return timeit.Timer(f"f({', '.join(given)})", timer=clock, globals=scope)


def race(
    contenders: Sequence[Contender], seconds: float, clock: Clock = time.process_time
) -> list[float]:
    """Return the least time a state of each contender [s].

    Args:
        contenders: What to time. Each runs once beforehand, so that nothing is compiled later.
        seconds: How long all of them together run; at least five rounds.
        clock: What tells the time; `time.perf_counter` where threads are to shorten it.
    """
    timers = [contender.timer(clock) for contender in contenders]
    repeats = []
    for timer in timers:
        timer.timeit(1)
        once = timer.timeit(1)
        repeats.append(max(1, int(TICK / max(once, 1e-8))))
    least = [float("inf")] * len(timers)
    rounds, end = 0, time.perf_counter() + seconds
    while rounds < LEAST_ROUNDS or time.perf_counter() < end:
        for k, (timer, repeat) in enumerate(zip(timers, repeats, strict=True)):
            least[k] = min(least[k], timer.timeit(repeat) / repeat)
        rounds += 1
    return [t / c.states for t, c in zip(least, contenders, strict=True)]


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this thread, and those that it starts, on one core: one thread for everybody."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    all_cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(all_cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_cores)
