"""Options that have new names: they work for one release more, with a warning, out of the help."""

from __future__ import annotations

from collections.abc import Sequence

from qddot import progress

# by verb, what stands in place of an old option
NEW_NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "control": {"--believe": ("--model-set",), "--wrong": ("--model-error",)},
    "excite": {"--limit": ("--limits",), "--keep": ("--workspace",)},
    "export": {"--float": ("--dtype", "float32")},
    "identify": {"--merge": ("--unexcited", "merge"), "--slow": ("--speed",)},
    "sweep": {"--scheduler": ("--client",)},
}


def with_new_names(verb: str, words: Sequence[str]) -> list[str]:
    """Return a command line with new names for old options; a note on stderr says so."""
    known, found = NEW_NAMES.get(verb, {}), []
    for word in words:
        option, equals, value = word.partition("=")
        if option not in known:
            found.append(word)
            continue
        first, *rest = known[option]
        new = " ".join([first, *rest])
        progress.inform(f"warning: {option} is now {new}; the old name goes with the next release.")
        found += [f"{first}={value}"] if equals else [first, *rest]
    return found
