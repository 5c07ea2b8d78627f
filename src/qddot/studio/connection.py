"""A page's connection: questions come, answers go, and nothing piles up.

Questions are answered one after the other, except those that take long (`BESIDE`): they run beside
the others and can be cancelled. Of robots asked for one after the other only the
last is opened; a question about a robot that was replaced is answered "stale". A page that asks
faster than it is answered is not read any further until it is; one that does not read its answers
is let go.
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from typing import TYPE_CHECKING

from qddot.errors import Defect, QddotError, printable, shorten
from qddot.studio.messages import Question, encoded, id_of, read_fields, read_question
from qddot.studio.session import Session, Stale

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

BESIDE = ("play", "law", "live", "equation", "export", "grip", "solutions")
OPENING = ("robot", "file")
MOST_BESIDE = 4
AHEAD = 16  # questions that are read before they are answered
PATIENCE = 10.0  # [s] for a page to take an answer


class Conversation:
    """What goes on over one connection."""

    def __init__(self, socket: ServerConnection, session: Session):
        self.socket, self.session = socket, session
        self.waiting: asyncio.Queue[Question] = asyncio.Queue(AHEAD)
        self.running: dict[int, asyncio.Task] = {}
        self.beside: set[asyncio.Task] = set()
        self.cancelled: set[int] = set()
        self.opening: set[int] = set()  # questions for a robot that are not answered yet
        self.known = (*session.answers, "cancel")
        self.gone = False  # what it asked before is then of no use
        self.over = False  # nothing is answered any more

    async def go(self) -> None:
        """Talk until the page leaves."""
        from websockets.exceptions import ConnectionClosed

        answering = asyncio.create_task(self._answer_in_order())
        try:
            async for message in self.socket:
                await self._take(message)
                if self.gone:
                    break
        except ConnectionClosed:
            pass  # it left without a word
        finally:
            self.over = True
            left = [answering, *self.beside]
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
            self.session.close()

    async def _take(self, message: str | bytes) -> None:
        """Put a message in line, or refuse it."""
        number = None
        try:
            fields = read_fields(message)
            number = id_of(fields)
            question = read_question(fields, self.known)
            if question.do == "cancel":
                await self._cancel(question)
                return
            if question.do in OPENING:
                for each in self.opening:
                    self._end(each)
                self.opening.add(question.id)
            await self.waiting.put(question)
        except QddotError as error:
            await self._problem(number, str(error))

    async def _answer_in_order(self) -> None:
        while True:
            question = await self.waiting.get()
            if self.gone:
                continue
            if question.do not in BESIDE:
                await self._do(question)
            elif len(self.beside) >= MOST_BESIDE:
                words = f"{MOST_BESIDE} such questions are being answered already. Ask again later."
                await self._problem(question.id, words)
            else:
                task = asyncio.create_task(self._do(question))
                self.beside.add(task)
                task.add_done_callback(self.beside.discard)

    async def _do(self, question: Question) -> None:
        """Answer one question, whatever happens."""
        number = question.id
        if number in self.cancelled:  # while it waited
            self._forget(number)
            await self._problem(number, "Cancelled.")
            return
        work = asyncio.create_task(self._answer(question))
        self.running[number] = work
        try:
            await self._send(await work)
        except Stale:
            await self._send(encoded({"id": number, "is": "stale"}))
        except asyncio.CancelledError:
            work.cancel()
            if self.over or number not in self.cancelled:  # the page has left
                raise
            await self._problem(number, "Cancelled.")
        except Defect as error:
            await self._problem(number, _defect(str(error)))
        except QddotError as error:
            await self._problem(number, str(error))
        except MemoryError:
            await self._problem(number, "There was not enough memory for it.")
        except Exception as error:
            sys.stderr.write(f"qddot studio: {''.join(traceback.format_exception(error))}")
            await self._problem(number, _defect(f"{type(error).__name__}: {error}"))
        finally:
            self._forget(number)
            if self.running.get(number) is work:
                del self.running[number]

    def _forget(self, number: int) -> None:
        self.cancelled.discard(number)
        self.opening.discard(number)

    def _end(self, number: int) -> None:
        """Cancel a question, whether it runs or waits."""
        self.cancelled.add(number)
        if number in self.running:
            self.running[number].cancel()

    async def _answer(self, question: Question) -> str:
        async def tell(text: str, part: float | None) -> None:
            news = {"id": question.id, "is": "progress", "text": text}
            await self._send(encoded(news | ({} if part is None else {"part": part})))

        answer = await self.session.answer(question, tell)
        return await self.session.text({"id": question.id, **answer})

    async def _cancel(self, question: Question) -> None:
        """End the question that is named, or all that run."""
        chosen = list(self.running)
        if question.has("of"):
            of = question.fields["of"]
            chosen = [number for number in chosen if number == of]
        for number in chosen:
            self._end(number)
        await self._send(encoded({"id": question.id, "is": "cancelled", "of": chosen}))

    async def _problem(self, number: int | None, text: str) -> None:
        words = printable(shorten(text, 4000))
        await self._send(encoded({"id": number, "is": "problem", "text": words}))

    async def _send(self, text: str) -> None:
        """Send an answer, and let go of a page that does not take it."""
        from websockets.exceptions import ConnectionClosed

        try:
            async with asyncio.timeout(PATIENCE):
                await self.socket.send(text)
        except TimeoutError:
            self.gone = True
            self.socket.transport.abort()
        except ConnectionClosed:
            self.gone = True


def _defect(what: str) -> str:
    return (
        "Something went wrong inside the studio, which is a defect of qddot "
        f"({printable(shorten(what, 200))})."
    )
