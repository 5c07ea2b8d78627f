"""A worker process: gets a study, then numbers of units; computes each and writes its part.

It is told by its standard input and answers on its standard output, one JSON line a unit. Where
the one who started it is gone, however that came about, its input ends and so does it, at once.
"""

from __future__ import annotations

import json
import os
import pickle
import queue
import signal
import struct
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

from qddot import patience
from qddot.errors import QddotError, printable, shorten
from qddot.robot import Robot
from qddot.saving import CannotWrite
from qddot.sweeps.folder import Folder
from qddot.sweeps.study import Study, prepared
from qddot.sweeps.unit import Units

LENGTH = struct.Struct("<q")
ALIVE = "ready"
# what other packages start threads by; a worker has one core
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR")
}


def packed(study: Study) -> bytes:
    """Return a study as bytes from which another process makes it again."""
    return pickle.dumps((dict(study.document), study.robot.model))


def unpacked(data: bytes) -> Units:
    """Return the units of the study in these bytes, which come from our own process."""
    document, model = pickle.loads(data)
    return Units(prepared(document, Robot(model)))


def words_of(error: BaseException) -> str:
    """Return what went wrong with a unit, in a line or two."""
    what = str(error) if isinstance(error, QddotError) else f"{type(error).__name__}: {error}"
    return shorten(printable(what), 500)


def main() -> None:
    """Serve whoever holds the other ends of standard input and output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started us
    patience.silence(True)
    # answers go where prints of others cannot
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    asked = sys.stdin.buffer
    folder = Folder(Path(os.fsdecode(_block(asked))))
    units = unpacked(_block(asked))
    numbers: queue.SimpleQueue[int] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(asked, numbers), daemon=True).start()
    _answer(answers, {"is": ALIVE})
    while True:
        unit = numbers.get()
        _answer(answers, {"unit": unit} | computed(units, folder, unit))


def computed(units: Units, folder: Folder, unit: int) -> dict[str, str]:
    """Compute a unit and write its part; return how that went."""
    try:
        folder.put(folder.part(unit), units.part(unit))
    except CannotWrite as error:
        return {"is": "unwritable", "words": str(error)}
    except Exception as error:
        return {"is": "failed", "words": words_of(error)}
    return {"is": "done"}


def _listen(asked: BinaryIO, numbers: queue.SimpleQueue[int]) -> None:
    for line in asked:
        numbers.put(int(line))
    os._exit(0)  # nobody is there any more


def _block(asked: BinaryIO) -> bytes:
    head = asked.read(LENGTH.size)
    data = asked.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else b""
    if not data:
        os._exit(0)
    return data


def _answer(answers: Any, what: dict[str, Any]) -> None:
    try:
        answers.write(json.dumps(what) + "\n")
        answers.flush()
    except OSError:
        os._exit(0)
