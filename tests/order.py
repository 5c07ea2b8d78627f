"""In which order tests run: at random, or so that several workers finish soon and together."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice

import pytest

# names in a module, and fixtures, of tests that start browsers and processes, or wait for them
WAITING = {"page_of", "shown", "talking", "studio_talk", "subprocess", "sweep", "run", "site"}
WAITING |= {"problems"}  # of the pages of the documentation, which are run


def shuffled(items: Iterable[pytest.Item], seed: int) -> list[pytest.Item]:
    """Return the modules in a random order, and the tests of each: none may rely on another."""
    order, modules = random.Random(seed), _by(items, module_of)
    names = order.sample(sorted(modules), len(modules))
    return [x for name in names for x in order.sample(modules[name], len(modules[name]))]


def spread(items: Sequence[pytest.Item], workers: int) -> list[pytest.Item]:
    """Return the tests in an order that is good for workers of which each gets an equal part.

    A part begins with what is long and shares much: the folders with browsers and processes, each
    in one part. Quick tests follow. Whoever is done early takes from the end of another's part.
    """
    waits = [bool(WAITING & {*vars(item.module), *item.fixturenames}) for item in items]
    long = [item for item, slow in zip(items, waits, strict=True) if slow]
    quick = iter([item for item, slow in zip(items, waits, strict=True) if not slow])
    parts: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for folder in sorted(_by(long, folder_of).values(), key=len, reverse=True):
        min(parts, key=len).extend(folder)
    for part in parts[:-1]:
        part.extend(islice(quick, max(0, len(items) // workers - len(part))))
    return [*chain(*parts), *quick]


def module_of(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def folder_of(item: pytest.Item) -> str:
    return "/".join(module_of(item).split("/")[:2])


def _by(
    items: Iterable[pytest.Item], key: Callable[[pytest.Item], str]
) -> dict[str, list[pytest.Item]]:
    found = defaultdict(list)
    for item in items:
        found[key(item)].append(item)
    return found
