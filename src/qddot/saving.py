"""Files that are there whole or not at all: written under another name, then renamed."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from qddot.errors import BadArgument, CannotWrite, QddotError, one_of, printable

# what is wrong with a disk and not with what was asked for, and what to do about it
TROUBLE = {
    errno.ENOSPC: "Make room there, or name another place.",
    errno.EDQUOT: "Make room there, or name another place.",
    errno.EFBIG: "Make room there, or name another place.",
    errno.EIO: "The disk does not take it: name another place, and look after that one.",
    errno.EROFS: "It cannot be written to at all: name another place.",
    errno.ESTALE: "The disk is gone: mount it again, or name another place.",
}
_waiting: ContextVar[list[tuple[Path, Path]] | None] = ContextVar("waiting", default=None)


Content = str | bytes | Callable[[Path], object]  # or what writes it to the path it is given


def write_whole(path: str | Path, content: Content) -> None:
    """Write a file whole or not at all; a link is followed.

    The content is text, bytes, or a function that writes a file under the name that it is given. It
    raises BadArgument if there can be no such file, and CannotWrite if the disk is full or broken;
    what stood in the file before is still there.
    """
    target = Path(os.path.realpath(path)) if os.path.islink(path) else Path(path)
    if target.is_dir():
        raise BadArgument(f"{_shown(path)} cannot be written: it is a directory. Name a file.")
    waiting = _waiting.get()
    try:
        if waiting is None:
            put_whole(target, content)
        else:
            waiting.append((_written_beside(target, content), target))
    except (OSError, ValueError) as error:
        if isinstance(error, QddotError):
            raise
        raise _trouble(path, error) from None


def put_whole(target: Path, content: Content, *, lasting: bool = False) -> None:
    """Put a file in its place in one step: whoever looks finds the old content or the new.

    A lasting one is there even if the power fails right after. It raises OSError if the disk does
    not take it; then everything is as before.
    """
    beside = _written_beside(target, content, lasting)
    try:
        os.replace(beside, target)
        if lasting:
            _sync_folder(target.parent)
    finally:
        _remove(beside)


def _written_beside(target: Path, content: Content, lasting: bool = False) -> Path:
    """Return a new file beside another, with this content."""
    # writers choose by the ending
    beside = target.with_name(f".new-{secrets.token_hex(6)}{target.suffix}")
    try:
        if callable(content):
            content(beside)
        else:
            with open(beside, "xb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
        if lasting:
            with open(beside, "rb+") as file:
                os.fsync(file.fileno())
    except BaseException:
        _remove(beside)
        raise
    return beside


def _sync_folder(folder: Path) -> None:
    """Make a rename last, where folders can be synced."""
    with suppress(OSError, AttributeError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _remove(path: Path) -> None:
    with suppress(OSError, ValueError):
        path.unlink(missing_ok=True)


@contextmanager
def together() -> Iterator[None]:
    """Have files that are written whole within appear all of them in the end, or none.

    Example:
        >>> with together():
        ...     robot.save("found.toml")
        ...     page.save("found.html")
    """
    if _waiting.get() is not None:  # within another one, which ends both
        yield
        return
    waiting: list[tuple[Path, Path]] = []
    token = _waiting.set(waiting)
    try:
        yield
        _rename_all(waiting)
    finally:
        _waiting.reset(token)
        for beside, _ in waiting:
            _remove(beside)


def _rename_all(files: list[tuple[Path, Path]]) -> None:
    """Give files their names; if one cannot have it, give back what stood under the others."""
    before: list[tuple[Path, Path | None]] = []  # what was renamed, and what it replaced
    try:
        for beside, target in files:
            kept = None
            if target.is_file():
                kept = target.with_name(f".{secrets.token_hex(6)}")
                _copy(target, kept)
            before.append((target, kept))
            try:
                os.replace(beside, target)
            except OSError as error:
                before.pop()
                raise _trouble(target, error) from None
    except BaseException:
        for target, kept in reversed(before):
            with suppress(OSError):
                target.unlink() if kept is None else os.replace(kept, target)
        raise
    finally:
        for _, kept in before:
            if kept is not None:
                _remove(kept)


def _copy(file: Path, to: Path) -> None:
    try:
        os.link(file, to)
    except OSError:  # a disk without links
        shutil.copy2(file, to)


def _trouble(path: str | Path, error: Exception) -> QddotError:
    why = getattr(error, "strerror", None) or str(error)
    what = f"{_shown(path)} cannot be written: {why}."
    remedy = TROUBLE.get(getattr(error, "errno", None) or 0)
    if remedy is not None:
        return CannotWrite(f"{what}\n  {remedy}")
    return BadArgument(f"{what}\n  Choose a folder that exists and that you may write to.")


def ending(path: str | Path, what: str, known: tuple[str, ...]) -> str:
    """Return the ending of a file's name, one of those known."""
    found = Path(path).suffix.lower()
    if found not in known:
        name = _shown(Path(path).name)
        raise BadArgument(f"{what} is written as {one_of(known)}, not as {name!r}.")
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
