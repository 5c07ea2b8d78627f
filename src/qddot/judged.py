"""The one way to ask a result whether all is well: `ok`, and if it is not, `problems`."""

from __future__ import annotations

from typing import Any


class Judged:
    """A result that can be asked whether all is well."""

    @property
    def problems(self) -> tuple[Any, ...]:
        """What is wrong, one sentence each; none if all is well."""
        raise NotImplementedError

    @property
    def ok(self) -> bool:
        """Whether there are no `problems`."""
        return not self.problems
