"""Cases that only `make test-all` runs: more of what the quick ones already decide."""

import pytest
from hypothesis import settings

WHOLE = 25  # random examples per test where nothing is said, in `make test-all`


def examples(count):
    """Return settings for so many random examples: fewer in `make test`, more in `make fuzz`."""
    share = settings.default.max_examples / WHOLE
    return settings(max_examples=max(min(count, 4), round(count * share)))


def long(*cases):
    """Return the cases, marked; a tuple has a value for each argument."""
    marked = (case if isinstance(case, tuple) else (case,) for case in cases)
    return [pytest.param(*case, marks=pytest.mark.long) for case in marked]


def one_in(k, cases):
    """Return all cases, of which every k-th is not marked."""
    return [case if i % k == 0 else long(case)[0] for i, case in enumerate(cases)]
