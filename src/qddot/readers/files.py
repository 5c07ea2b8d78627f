"""Opening files that may be anything: sizes, encodings, and the words for what is not text."""

from __future__ import annotations

import codecs
from pathlib import Path

from qddot.errors import BadFile

LARGEST = 32_000_000  # [bytes]; the largest robot description we know of has 2 MB


def read_bytes(path: Path, largest: int = LARGEST) -> bytes:
    """Return a file's bytes, at most so many, or say why they cannot be had."""
    try:
        if not path.exists():
            raise BadFile(path, "it does not exist", "Check its name.")
        if path.is_dir():
            raise BadFile(path, "it is a folder", "Name a file in it.")
        if not path.is_file():
            raise BadFile(path, "it is not a regular file", "Name a .urdf, .xml or .toml file.")
        if path.stat().st_size > largest:
            raise BadFile(path, f"it is larger than {largest // 10**6} MB", "Is it the right file?")
        data = path.read_bytes()
    except OSError as error:
        raise BadFile(path, f"it cannot be read ({error.strerror})", "Check its name.") from None
    if not data.strip():
        raise BadFile(path, "it is empty", "Write it again from its source.")
    return data


def read_text(path: Path) -> str:
    """Return a file's text, which must be UTF-8."""
    data = read_bytes(path)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise BadFile(path, "it is in UTF-16", "Save it as UTF-8.")
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        why = f"byte {error.start} is not UTF-8: a binary file, or another encoding"
        raise BadFile(path, why, "Save it as UTF-8.", line) from None
    if "\0" in text:
        raise BadFile(path, "it holds zero bytes: a binary file", "Name a text file.")
    return text
