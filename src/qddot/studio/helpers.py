"""The helper processes of a studio: few, kept while they are well, ended when they are not."""

from __future__ import annotations

import asyncio
import os
import pickle
import shutil
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Coroutine, Hashable
from contextlib import suppress
from typing import Any

from qddot.errors import BadArgument, QddotError
from qddot.studio.frames import LENGTH, length_of, packed

MOST = 4  # at once; who comes later waits
KEPT = 2  # idle ones

Tell = Callable[[str, float | None], Coroutine[Any, Any, None]]


class Defect(QddotError):
    """Work that ended in a way that nobody foresaw."""


class Helper:
    """One process, in a private folder of its own."""

    def __init__(self, process: Process, folder: str):
        self.process, self.folder = process, folder
        self.knows: Hashable = None  # what it did last, and may have kept

    @classmethod
    async def start(cls) -> Helper:
        folder = tempfile.mkdtemp(prefix="qddot-studio-")  # which only its owner may enter
        here = os.pathsep.join(os.path.abspath(part) for part in sys.path if part)
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-X", "utf8", "-m", "qddot.studio.helper"),
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                cwd=folder,
                env={**os.environ, "PYTHONPATH": here},
                start_new_session=True,  # Ctrl-C in the terminal is the studio's business
            )
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return cls(process, folder)

    async def ask(self, job: str, arguments: tuple, tell: Tell | None) -> Any:
        """Return what a job gives.

        Raises:
            EOFError, OSError: If the process ended over it.
        """
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(packed((job, arguments)))
        await stdin.drain()
        while True:
            head = await stdout.readexactly(LENGTH.size)
            kind, value = pickle.loads(await stdout.readexactly(length_of(head)))
            if kind == "done":
                return value
            if kind == "problem":
                raise BadArgument(value)
            if kind == "defect":
                raise Defect(value)
            if tell is not None:
                await tell(*value)

    def end(self) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Helpers:
    """Lends helpers, so that one robot that takes long spares the others."""

    def __init__(self) -> None:
        self.idle: list[Helper] = []
        self.busy: set[Helper] = set()
        self.room = asyncio.Semaphore(MOST)
        self.leaving: set[asyncio.Task] = set()  # that were ended and are not gone yet

    async def warm(self) -> None:
        """Start one before it is needed."""
        if not self.idle:
            self.idle.append(await Helper.start())

    async def ask(
        self,
        job: str,
        *arguments: Any,
        seconds: float,
        tell: Tell | None = None,
        knows: Hashable = None,
        keep: bool = True,
    ) -> Any:
        """Return what a job gives.

        Args:
            job: Its name in `helper.JOBS`.
            arguments: What it takes.
            seconds: How long it may take; then the helper is ended.
            tell: What to do with its words about how far it is.
            knows: What the job is about; a helper that did such a job last is preferred.
            keep: Whether the helper may go on after it; not where a stranger's file was read.
        """
        async with self.room:
            helper = await self._lent(knows)
            self.busy.add(helper)
            well = False
            try:
                async with asyncio.timeout(seconds):
                    result = await helper.ask(job, arguments, tell)
                well = True
                return result
            except TimeoutError:
                raise BadArgument(
                    f"It took longer than {seconds:g} s and was ended. Take less of it: a shorter "
                    "time, or a robot with fewer joints."
                ) from None
            except (asyncio.IncompleteReadError, ConnectionError, EOFError):
                raise BadArgument(
                    "The process that worked on it ended. Usual causes: too little memory, or a "
                    "file that is not what its name says."
                ) from None
            except Defect:
                well = True
                raise
            except BadArgument:
                well = True  # it said so itself
                raise
            finally:
                self.busy.discard(helper)
                helper.knows = knows
                if well and keep and len(self.idle) < KEPT:
                    self.idle.append(helper)
                else:
                    self._end(helper)

    def end(self) -> None:
        """End all of them, and remove their folders, without waiting for anything."""
        for helper in (*self.idle, *self.busy):
            self._end(helper)
        self.idle.clear()

    async def close(self) -> None:
        """End all of them, and wait until they are gone."""
        self.end()
        await asyncio.gather(*self.leaving, return_exceptions=True)

    def _end(self, helper: Helper) -> None:
        helper.end()
        gone = asyncio.create_task(helper.process.wait())
        self.leaving.add(gone)
        gone.add_done_callback(self.leaving.discard)

    async def _lent(self, knows: Hashable) -> Helper:
        alive = [helper for helper in self.idle if helper.process.returncode is None]
        for gone in set(self.idle) - set(alive):
            self._end(gone)
        self.idle = alive
        if not alive:
            return await Helper.start()
        fitting = [helper for helper in alive if knows is not None and helper.knows == knows]
        chosen = (fitting or alive)[-1]
        self.idle.remove(chosen)
        return chosen
