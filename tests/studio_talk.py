"""A page without a browser: it asks a studio's questions over a socket and reads the answers.

with talking(studio) as page:
    page.ask("robot", name="panda")["n"]
"""

from __future__ import annotations

import base64
import json
import re
import socket
from contextlib import contextmanager
from urllib.request import urlopen

import pytest

client = pytest.importorskip(
    "websockets.sync.client", reason="there is no websockets; pip install 'qddot[studio]'"
)

PATIENCE = 60  # [s] for any answer: ten times what a busy machine needs


ANSWERS = {"welcome": "welcome", "robot": "robot", "file": "robot", "set": "robot", "at": "now"}
ANSWERS |= {"play": "motion", "drag": "dragged", "live": "live", "export": "file"}


class Page:
    """One connection."""

    def __init__(self, link):
        self.link, self.last = link, 0
        self.progress = []  # what was told before the last answer

    def send(self, do, **fields):
        """Ask without waiting; return the question's number."""
        self.last += 1
        self.link.send(json.dumps({"id": self.last, "do": do, **fields}))
        return self.last

    def receive(self):
        """Return the next message."""
        return json.loads(self.link.recv(timeout=PATIENCE))

    def ask(self, do, **fields):
        """Return the answer to a question that has one; what is told meanwhile is kept."""
        answer = self.answer_to(self.send(do, **fields))
        assert answer["is"] == ANSWERS.get(do, answer["is"]), answer
        return answer

    def answer_to(self, number):
        self.progress = []
        while True:
            message = self.receive()
            assert message["id"] == number, message
            if message["is"] != "progress":
                return message
            self.progress.append(message["text"])

    def problem(self, do, **fields):
        """Return the words of a question that is refused."""
        answer = self.answer_to(self.send(do, **fields))
        assert answer["is"] == "problem", answer
        return answer["text"]

    def raw(self, message):
        """Return the answer to any text or bytes."""
        self.link.send(message)
        return self.receive()


def token_of(studio):
    page = urlopen(studio.address, timeout=PATIENCE).read().decode()
    return re.search(r'name="token" content="([\w-]{20,})"', page)[1]


def host_of(studio):
    return f"127.0.0.1:{studio.port}"


@contextmanager
def talking(studio):
    """Give a page that is connected."""
    link = client.connect(
        f"ws://{host_of(studio)}/socket?token={token_of(studio)}",
        origin=f"http://{host_of(studio)}",
        max_size=None,
        compression=None,
        open_timeout=PATIENCE,
    )
    with link:
        yield Page(link)


def in_base64(data):
    return base64.b64encode(data.encode() if isinstance(data, str) else data).decode()


def spoken(studio, request, wait=PATIENCE):
    """Return everything that comes back for raw bytes."""
    with socket.create_connection(("127.0.0.1", studio.port), timeout=wait) as link:
        link.sendall(request)
        parts = []
        try:
            while part := link.recv(65536):
                parts.append(part)
        except ConnectionError:
            pass
        return b"".join(parts)


def get(studio, path="/", host=None, method="GET", **headers):
    """Return status and body of an HTTP request written by hand."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host_of(studio) if host is None else host}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    answer = spoken(studio, "\r\n".join([*lines, "", ""]).encode("latin-1"))
    head, _, body = answer.partition(b"\r\n\r\n")
    status = int(head.split()[1]) if head.startswith(b"HTTP/1.1 ") else None
    return status, head.decode("latin-1"), body
