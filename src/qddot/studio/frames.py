"""How the studio and its helper processes talk: pickled values, each behind its length.

Both ends are ours and of one user. What comes from a page is never unpickled.
"""

from __future__ import annotations

import pickle
import struct
from typing import Any, BinaryIO

LENGTH = struct.Struct("<Q")


def packed(value: Any) -> bytes:
    """Return a value as bytes to send."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(data)) + data


def length_of(head: bytes) -> int:
    return LENGTH.unpack(head)[0]


def received(stream: BinaryIO) -> Any:
    """Return the next value of a stream.

    Raises:
        EOFError: If the other end is gone.
    """
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    data = stream.read(length_of(head))
    return pickle.loads(data)
