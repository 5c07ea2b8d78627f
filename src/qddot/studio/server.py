"""The studio's server: on this machine alone, in a thread of its own, gone within a second.

with Studio("panda") as studio:
    print(studio.address)
"""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from qddot.errors import MissingExtra, QddotError
from qddot.robot import Robot
from qddot.studio.connection import Conversation
from qddot.studio.gate import HOST, Gate, listening_socket
from qddot.studio.helpers import Bench, Helpers
from qddot.studio.library import Library
from qddot.studio.messages import LARGEST
from qddot.studio.session import Session

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

MOST_PAGES = 8
MOST_VISITORS = 64  # connections of any kind, those that have not said anything yet included
MOST_UNREAD = 64 * 2**20  # [bytes] that wait for a visitor who does not read
TO_OPEN = 5.0  # [s] for a visitor to say what it wants
LISTENS = 0.1  # [s] between two looks at whether it shall end
TO_CLOSE = 0.5  # [s] for pages to say goodbye
HANGS = 30.0  # [s] after which an end is not waited for any more
BLANK = b"\r\n\r\n"  # where the head of a request ends
LONGEST_HEAD = 2**14  # [bytes] of a request that are waited for; beyond, websockets refuses it
FULL = 1013  # the code for "try again later"


class Studio:
    """A studio that runs while the block runs; its pages are at `address`."""

    def __init__(self, robot: str | Path | Robot | None = None, port: int | None = None):
        """Make ready; nothing listens yet.

        Args:
            robot: What pages show first: a built-in name, a file, or a robot.
            port: Where to listen; 0 for any. By default 8737 or the next that is free.

        Raises:
            QddotError: If the robot cannot be shown, or websockets is not installed.
        """
        try:
            import websockets.asyncio.server  # noqa: F401
        except ImportError:
            raise MissingExtra("The studio", "websockets", "studio") from None
        self.library = Library(robot)
        self.listening = listening_socket(port)
        self.port: int = self.listening.getsockname()[1]
        self.sessions: dict[Session, ServerConnection] = {}
        self.ready = threading.Event()
        self.ended_by: int | None = None  # the signal that asked it to end
        self.failure: BaseException | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self.thread = threading.Thread(target=self._run, name="studio", daemon=True)

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return f"http://{HOST}:{self.port}/"

    def __enter__(self) -> Studio:
        self.thread.start()
        self.ready.wait()
        if self.failure is not None:
            raise self.failure
        return self

    def __exit__(self, *unused: Any) -> None:
        self.stop()

    @property
    def words(self) -> str:
        """Where it is, for people."""
        return f"qddot studio is at {self.address}   (Ctrl-C ends it)"

    def wait(self) -> bool:
        """Wait until somebody ends it; return whether that was Ctrl-C."""
        try:
            while self.thread.is_alive() and self.ended_by is None:
                self.thread.join(LISTENS)
        except KeyboardInterrupt:  # where `heeding_signals` cannot be: in a thread
            return True
        if self.failure is not None:
            raise self.failure
        return self.ended_by == signal.SIGINT

    def stop(self) -> None:
        """End it, helpers included."""
        if self.loop is not None:
            with suppress(RuntimeError):  # it has ended already
                self.loop.call_soon_threadsafe(self.over.set)
        self.thread.join(HANGS)

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            self.failure = error
        finally:
            self.listening.close()
            self.ready.set()

    async def _serve(self) -> None:
        from websockets.asyncio.server import serve

        self.over, self.loop = asyncio.Event(), asyncio.get_running_loop()
        self.gate, self.helpers = Gate(self.port), Helpers()
        server = await serve(
            self._talk,
            sock=self.listening,
            process_request=lambda _, request: self.gate.answer(request),
            create_connection=counted_connections(self.gate),
            compression=None,
            server_header=None,
            max_size=LARGEST,
            max_queue=4,
            open_timeout=TO_OPEN,
            close_timeout=TO_CLOSE,
            logger=silence(),
        )
        self.ready.set()
        warming = asyncio.create_task(self._warm())
        try:
            await self.over.wait()
        finally:
            warming.cancel()
            server.close(close_connections=False)
            for page in list(self.sessions.values()):
                page.transport.abort()
            self.helpers.end()  # at once: what follows may take too long and be given up
            with suppress(TimeoutError):
                async with asyncio.timeout(TO_CLOSE):
                    await asyncio.gather(warming, return_exceptions=True)
                    await self.helpers.close()

    async def _warm(self) -> None:
        """Have ready, before a page asks for it, what takes a while: robots, and a helper."""
        bench = Bench()
        try:
            if self.library.label is not None:
                with suppress(QddotError):  # which the page will be told
                    await bench.do(self.library.arm, self.library.label, lambda *_: None)
            await bench.do(self.library.robots)
            with suppress(OSError):
                await self.helpers.warm()
        finally:
            bench.close()

    async def _talk(self, page: ServerConnection) -> None:
        if len(self.sessions) >= MOST_PAGES:
            await page.close(FULL, f"{MOST_PAGES} pages are open already. Close one of them.")
            return
        session = Session(self.library, self.helpers)
        self.sessions[session] = page
        try:
            await Conversation(page, session).go()
        finally:
            del self.sessions[session]


def serve(
    robot: str | Path | Robot | None = None, port: int | None = None, browser: bool = True
) -> None:
    """Run the studio until Ctrl-C, and print where it is.

    Args:
        robot: What pages show first: a built-in name, a file, or a robot.
        port: Where to listen; 0 for any. By default 8737 or the next that is free.
        browser: Whether to open the page.
    """
    with Studio(robot, port) as studio, heeding_signals(studio):
        print(studio.words, flush=True)
        if browser:
            open_page(studio.address)
        studio.wait()


@contextmanager
def heeding_signals(studio: Studio) -> Iterator[None]:
    """Have Ctrl-C and SIGTERM end a studio in order, whatever it is doing; a second one, at once.

    What a shell has told it to ignore stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    before = {
        n: handler for n, handler in handlers.items() if handler not in (signal.SIG_IGN, None)
    }

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def end(number: int, frame: Any) -> None:
        studio.ended_by = number
        restore()

    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        restore()


def open_page(address: str) -> None:
    """Open the page in a browser, if there is one; a thread does it, since some take their time."""
    import webbrowser

    threading.Thread(target=lambda: webbrowser.open(address), daemon=True).start()


def counted_connections(gate: Gate) -> type[ServerConnection]:
    """Return connections of which there are only so many at once.

    For a further one, the oldest that has not said yet what it wants is ended. So are those that
    have sent much and taken nothing. What is no plain GET is answered and not read any further.
    """
    from websockets.asyncio.server import ServerConnection

    class Counted(ServerConnection):
        here = 0
        silent: ClassVar[dict[Any, None]] = {}  # who has not sent a whole request, the oldest first
        head: bytes | None = b""  # what came before the first blank line; None once it is through
        refused = False

        def connection_made(self, transport: Any) -> None:
            Counted.here += 1
            super().connection_made(transport)
            self.silent[self] = None
            if Counted.here > MOST_VISITORS:
                oldest = next(iter(self.silent))
                del self.silent[oldest]
                oldest.transport.abort()

        def data_received(self, data: bytes) -> None:
            if self.refused:
                return
            if self.head is not None:
                self.head += data
                whole = BLANK in self.head
                if not whole and len(self.head) < LONGEST_HEAD:
                    return
                self.silent.pop(self, None)
                answer = gate.refusal(self.head.partition(BLANK)[0]) if whole else None
                if answer is not None:
                    self.refused = True
                    self.transport.write(answer)
                    self.transport.write_eof()
                    return
                data, self.head = self.head, None
            super().data_received(data)
            # pings are answered at once, and nobody waits until the answers are taken
            if self.transport.get_write_buffer_size() > MOST_UNREAD:
                self.transport.abort()

        def connection_lost(self, exc: Exception | None) -> None:
            Counted.here -= 1
            self.silent.pop(self, None)
            super().connection_lost(exc)

    return Counted


def silence() -> logging.Logger:
    """Return a logger that says nothing: what strangers send is not news."""
    logger = logging.getLogger("qddot.studio.websockets")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    logger.setLevel(logging.CRITICAL + 1)
    return logger
