"""Work in other processes: limited, ended when it takes too long, and noticed when it dies.

    with Worker(limits=ResourceLimits(memory=2 * 10**9)) as worker:
        worker.ask("qddot.readers.xacro_expansion:expand", path)
        text = worker.result(seconds=60)

A worker is the program `python -m qddot.worker_process`. It is told by its standard input which
functions to call, and answers on its standard output; both ways go pickled values, each behind its
length. What it prints goes nowhere. It ignores Ctrl-C, which is for the process that started it.
When that process is gone, however that came about, the worker's input ends and so does the worker.
"""

from __future__ import annotations

import io
import os
import pickle
import queue
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, NoReturn, Self

from qddot.errors import BadArgument, Defect

PROGRAM = (sys.executable, "-P", "-X", "utf8", "-m", "qddot.worker_process")
LENGTH = struct.Struct("<Q")
# what other packages choose their number of threads by
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR")
}

# what a worker says: "progress" (words, part), "done" (a result), "problem" (words for the user),
# "defect" (words for us), and at last "ended" (how)
Message = tuple[str, Any]


@dataclass(frozen=True)
class ResourceLimits:
    """What a process may use; None for as much as there is."""

    memory: int | None = None  # [bytes] of address space
    seconds: int | None = None  # of computing
    file: int | None = None  # [bytes] of a file that it writes
    processes: int | None = None  # that it starts

    def apply(self) -> None:
        """Limit this process, where the system can do so."""
        try:
            import resource
        except ImportError:  # not on every system
            return
        for what, most in (
            (resource.RLIMIT_AS, self.memory),
            (resource.RLIMIT_CPU, self.seconds),
            (resource.RLIMIT_FSIZE, self.file),
            (resource.RLIMIT_NPROC, self.processes),
            (resource.RLIMIT_CORE, 0 if self != ResourceLimits() else None),
        ):
            if most is not None:
                with suppress(OSError, ValueError):  # where the limit is lower already
                    resource.setrlimit(what, (most, most))


@dataclass(frozen=True)
class Conditions:
    """Under what conditions a worker works: the first thing that it is told."""

    limits: ResourceLimits
    private: bool


class Worker:
    """One process that calls functions for us, one after the other.

    A thread hears what it says. When the process ends, that thread ends what the process started,
    removes its folder and says "ended".
    """

    def __init__(
        self,
        hear: Callable[[Message], object] | None = None,
        *,
        limits: ResourceLimits | None = None,
        private: bool = False,
        one_thread: bool = False,
        plain: bool = True,
    ):
        """Start the process.

        `hear` is called with everything that it says, in a thread; `result` has it if not given.
        Its limits hold once the module of the first function is imported. A private one works in a
        new folder of its own, which is removed in the end. With `one_thread` other packages may use
        one thread alone there. A plain one answers with numbers, text, lists and dicts alone: then
        nothing that it says can run code here, whatever ran there.
        """
        self.heard: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self.plain, self.how = plain, ""
        self.folder = tempfile.mkdtemp(prefix="qddot-") if private else None  # its owner's alone
        try:
            self.process = subprocess.Popen(
                PROGRAM,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self.folder,
                env={**os.environ, **_paths(), **(ONE_THREAD if one_thread else {})},
                start_new_session=True,  # so that a terminal's Ctrl-C does not reach it
            )
        except BaseException:
            self._remove_folder()
            raise
        self._ending, self._writing = threading.Lock(), threading.Lock()
        self._waited_for = False
        self._send(Conditions(limits or ResourceLimits(), private))
        hearing = (hear or self.heard.put,)
        self._hearing = threading.Thread(target=self._hear, args=hearing, daemon=True)
        self._hearing.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *unused: object) -> None:
        self.end()

    @property
    def alive(self) -> bool:
        """Whether it has not ended yet, as far as we heard."""
        return not self.how

    def ask(self, job: str, *arguments: Any, tell: bool = False) -> None:
        """Have it call a function, after those that it was asked for before.

        The job is "module:name". With `tell` the function also takes `tell`, to say how far it is:
        tell(words, part).
        """
        self._send((job, arguments, tell))

    def result(self, seconds: float) -> Any:
        """Wait for what the function returns that was asked for first.

        It raises TimeoutError if that takes longer, EOFError if the process ended over it (how, in
        words), BadArgument with the words of an error of ours that the function raised, and Defect
        with those of any other.
        """
        until = time.monotonic() + seconds
        while True:
            try:
                said = self.heard.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise TimeoutError from None
            if said[0] != "progress":
                return answer_in(said)

    def kill(self) -> None:
        """End the process and what it started, and remove its folder, without waiting."""
        self._kill_group()
        self._remove_folder()

    def end(self) -> str:
        """End it, and wait until it has ended; return how, in words."""
        self.kill()
        self._hearing.join()
        return self.how

    def _send(self, value: Any) -> None:
        with self._writing, suppress(OSError, ValueError):  # one that is gone says so by its end
            assert self.process.stdin is not None
            self.process.stdin.write(packed(value))
            self.process.stdin.flush()

    def _hear(self, hear: Callable[[Message], object]) -> None:
        """Pass on what the process says until it has ended."""
        said = self.process.stdout
        assert said is not None
        with suppress(Exception):  # its end, or what cannot be read
            while True:
                hear(received(said, self.plain))
        self._kill_group(last=True)
        code = self.process.wait()
        self._remove_folder()
        for pipe in (self.process.stdin, said):
            with suppress(OSError, AttributeError):
                pipe.close()  # type: ignore[union-attr]
        self.how = f"signal {-code}" if code < 0 else f"status {code}"
        hear(("ended", self.how))

    def _kill_group(self, last: bool = False) -> None:
        with self._ending:
            if self._waited_for:  # its number may be another's by now
                return
            self._waited_for = last
            with suppress(OSError):
                if hasattr(os, "killpg"):  # not on Windows
                    os.killpg(self.process.pid, signal.SIGKILL)
                else:
                    self.process.kill()

    def _remove_folder(self) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def answer_in(said: Message) -> Any:
    """Return the result that a worker told, or raise what it told instead; see `Worker.result`."""
    kind, value = said
    if kind == "done":
        return value
    raise {"problem": BadArgument, "defect": Defect, "ended": EOFError}[kind](value)


def _paths() -> dict[str, str]:
    """Return how another process finds the packages that this one finds."""
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    paths = [os.path.abspath(path) for path in sys.path if path]
    return {"PYTHONPATH": os.pathsep.join(dict.fromkeys([*paths, ours]))}


# what goes through the pipes


def packed(value: Any) -> bytes:
    """Return a value as bytes to send."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(data)) + data


def received(stream: IO[bytes], plain: bool = False) -> Any:
    """Return the next value of a stream; a plain one holds no objects.

    It raises EOFError if the other end is gone.
    """
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    data = stream.read(LENGTH.unpack(head)[0])
    return Plain(io.BytesIO(data)).load() if plain else pickle.loads(data)


class Plain(pickle.Unpickler):
    """Reads numbers, text, lists, tuples and dicts, and refuses everything else."""

    def find_class(self, module_name: str, global_name: str, /) -> NoReturn:
        raise pickle.UnpicklingError(f"{module_name}.{global_name} is not plain")
