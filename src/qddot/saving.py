"""Files that are there whole or not at all: written under another name, then renamed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from qddot.errors import BadArgument, printable


def write_whole(path: str | Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a file of another name beside `path`, then give it that name."""
    target = Path(os.path.realpath(path)) if os.path.islink(path) else Path(path)
    if target.is_dir():
        raise BadArgument(f"{_shown(path)} cannot be written: it is a directory. Name a file.")
    # short, and the ending kept, since writers choose by it
    beside = target.with_name(f".{secrets.token_hex(6)}{target.suffix}")
    try:
        write(beside)
        os.replace(beside, target)
    except (OSError, ValueError) as error:
        if isinstance(error, BadArgument):
            raise
        why = getattr(error, "strerror", None) or str(error)
        raise BadArgument(
            f"{_shown(path)} cannot be written: {why}.\n"
            "  Choose a folder that exists and that you may write to."
        ) from None
    finally:
        with suppress(OSError, ValueError):
            beside.unlink(missing_ok=True)


def ending(path: str | Path, what: str, known: tuple[str, ...]) -> str:
    """Return the ending of a file's name, one of those known."""
    found = Path(path).suffix.lower()
    if found not in known:
        *most, last = known
        raise BadArgument(
            f"{what} is written as {', '.join(most)} or {last}, not as {_shown(Path(path).name)!r}."
        )
    return found


def check_place(path: str | Path, what: str, known: tuple[str, ...]) -> None:
    """Refuse, before long work, a file that could not be written after it."""
    ending(path, what, known)
    folder = Path(path).parent
    if Path(path).is_dir():
        why = "it is a directory"
    elif not folder.is_dir():
        why = f"there is no folder {_shown(folder)}"
    elif not os.access(folder, os.W_OK):
        why = f"you may not write to the folder {_shown(folder)}"
    else:
        return
    raise BadArgument(
        f"{_shown(path)} cannot be written: {why}.\n"
        "  Choose a folder that exists and that you may write to."
    )


def _shown(path: str | Path) -> str:
    return printable(str(path))
