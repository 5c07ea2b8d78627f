"""What every verb takes, given to each of them at once: --quiet and --traceback."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from qddot import progress

Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="Print no warnings and no progress; errors are still printed."
    ),
]
Traceback = Annotated[
    bool, typer.Option("--traceback", help="Show where an error comes from.", hidden=True)
]
SHARED: dict[str, Any] = {"quiet": Quiet, "traceback": Traceback}


def with_shared_options(verb: Callable[..., None]) -> Callable[..., None]:
    """Return a verb that takes the shared options too."""

    @wraps(verb)
    def shared(**given: Any) -> None:
        progress.set_quiet(given.pop("quiet"))
        given.pop("traceback")  # which is looked for where errors are told
        verb(**given)

    hints = get_type_hints(verb, include_extras=True)
    own = [p.replace(annotation=hints[n]) for n, p in inspect.signature(verb).parameters.items()]
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=hint)
        for name, hint in SHARED.items()
    ]
    shared.__signature__ = inspect.Signature([*own, *more])  # type: ignore[attr-defined]
    shared.__annotations__ = hints | SHARED
    return shared
