"""Compiled code kept between runs, in a folder that only its owner can read or write.

What is loaded is run, so nothing is taken from a folder or a file that belongs to somebody else or
that others may write, and every file carries the digest of its content. Whatever is wrong with
the cache, the answer is to compile again, never to fail.
"""

from __future__ import annotations

import contextlib
import os
import stat
from hashlib import sha256
from pathlib import Path

from qddot.saving import put_whole

DIGEST = 32  # bytes of SHA-256 in front of the code
VERSION = "4"
MOST_BYTES = 256_000_000  # then the files go that were not used for longest
LOOKS = "00"  # a file whose name begins so, one in 256, looks whether there is room for it


def key(*parts: object) -> str:
    """Return the name under which code made from these parts is kept."""
    return sha256("\0".join([VERSION, *map(str, parts)]).encode()).hexdigest()


def folder() -> Path | None:
    """Return the private folder, made if need be; None where there can be none."""
    base = os.environ.get("QDDOT_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    path = (Path(base) if base else Path("~/.cache")) / "qddot"
    try:
        path = path.expanduser()
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = path.lstat()
    except (OSError, RuntimeError):  # no right to write, or no home at all
        return None
    return path if stat.S_ISDIR(about.st_mode) and _is_private(about) else None


def _is_private(about: os.stat_result) -> bool:
    ours = about.st_uid == os.getuid() if hasattr(os, "getuid") else True
    return ours and not about.st_mode & 0o077


def load(name: str) -> bytes | None:
    """Return the code kept under a name, if it is there and whole."""
    path = folder()
    if path is None:
        return None
    try:
        about = (path / name).lstat()
        if not stat.S_ISREG(about.st_mode) or not _is_private(about):
            return None
        data = (path / name).read_bytes()
        os.utime(path / name)  # it was used
    except OSError:
        return None
    digest, code = data[:DIGEST], data[DIGEST:]
    return code if code and sha256(name.encode() + code).digest() == digest else None


def store(name: str, code: bytes) -> None:
    """Keep code under a name; two processes that write at once do not disturb each other."""
    path = folder()
    if path is None:
        return

    def write(beside: Path) -> None:
        with open(beside, "xb", opener=_private) as file:
            file.write(sha256(name.encode() + code).digest() + code)

    with contextlib.suppress(OSError):
        put_whole(path / name, write)
        if name.startswith(LOOKS):  # looking through a full folder takes 0.1 s
            _make_room(path)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _make_room(path: Path) -> None:
    abouts = ((entry.stat(), entry.path) for entry in os.scandir(path))
    files = [(about.st_mtime, about.st_size, name) for about, name in abouts]
    total = sum(size for _, size, _ in files)
    for _, size, name in sorted(files):
        if total <= MOST_BYTES:
            break
        with contextlib.suppress(OSError):
            os.unlink(name)
        total -= size
