"""The thread and the conversation of a connection: what is cancelled holds up nobody."""

import asyncio
import json
import threading

import pytest

pytest.importorskip("websockets", reason="there is no websockets; pip install 'qddot[studio]'")

from qddot.studio.connection import Conversation
from qddot.studio.helpers import MOST_LEFT, Bench

PATIENCE = 60  # [s]: ten times what a busy machine needs


def test_a_job_that_was_cancelled_holds_up_none_behind_it():
    begun, free = threading.Event(), threading.Event()

    def endless():
        begun.set()
        free.wait(PATIENCE)

    async def cancel_one_while_another_waits(bench):
        begun.clear()
        long = asyncio.create_task(bench.do(endless))
        await asyncio.to_thread(begun.wait, PATIENCE)
        behind = asyncio.create_task(bench.do(lambda: "done"))
        await asyncio.sleep(0)
        long.cancel()
        return behind

    async def go():
        bench = Bench()
        for _ in range(MOST_LEFT):
            behind = await cancel_one_while_another_waits(bench)
            assert await asyncio.wait_for(behind, PATIENCE) == "done"
        # threads that nobody wants do not multiply
        behind = await cancel_one_while_another_waits(bench)
        await asyncio.sleep(0)
        assert len(bench.left) == MOST_LEFT
        assert not behind.done()
        free.set()
        assert await asyncio.wait_for(behind, PATIENCE) == "done"
        bench.close()

    asyncio.run(go())


class Visitor:
    """A socket that brings two questions, then leaves while the second is being answered."""

    def __init__(self):
        self.told, self.busy = [], asyncio.Event()

    async def __aiter__(self):
        yield json.dumps({"id": 1, "do": "wait"})
        await self.busy.wait()
        yield json.dumps({"id": 2, "do": "cancel"})

    async def send(self, text):
        self.told.append(json.loads(text)["is"])


class Chooser(Visitor):
    """A socket that asks for three robots while the first is still being opened."""

    async def __aiter__(self):
        yield json.dumps({"id": 1, "do": "robot"})
        await self.busy.wait()
        for number in (2, 3):
            yield json.dumps({"id": number, "do": "robot"})
        while len(self.told) < 3:
            await asyncio.sleep(0)

    async def send(self, text):
        message = json.loads(text)
        self.told.append((message["id"], message.get("text", message["is"])))


class Opening:
    """A session of which a first robot would take for ever."""

    def __init__(self, visitor):
        self.answers, self.visitor, self.opened = {"robot": None}, visitor, []

    async def answer(self, question, tell):
        self.visitor.busy.set()
        self.opened.append(question.id)
        if question.id == 1:
            await asyncio.Event().wait()
        return {"is": "robot"}

    async def text(self, answer):
        return json.dumps(answer)

    def close(self):
        pass


def test_of_robots_asked_for_at_once_only_the_last_is_opened():
    async def go():
        visitor = Chooser()
        session = Opening(visitor)
        await asyncio.wait_for(Conversation(visitor, session).go(), PATIENCE)
        assert session.opened == [1, 3]
        assert visitor.told == [(1, "Cancelled."), (2, "Cancelled."), (3, "robot")]

    asyncio.run(go())


class Slow:
    """A session whose answers take a moment to be cancelled."""

    closed = False

    def __init__(self, visitor):
        self.answers, self.visitor = {"wait": None}, visitor

    async def answer(self, question, tell):
        self.visitor.busy.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.05)

    def close(self):
        self.closed = True


def test_a_page_that_cancels_and_leaves_at_once_is_gone():
    async def go():
        visitor = Visitor()
        session = Slow(visitor)
        await asyncio.wait_for(Conversation(visitor, session).go(), PATIENCE)
        assert session.closed
        assert visitor.told == ["cancelled"]

    asyncio.run(go())
