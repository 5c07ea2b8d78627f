"""Where the studio listens, who may come in, and what they get: the page, the way to the socket.

Only this machine's own pages: a foreign Host (a name that was made to point here) and a foreign
Origin (another site's page) are turned away. Files are looked up in a table by their exact names,
so that no path leads anywhere else.
"""

from __future__ import annotations

import errno
import secrets
import socket
import sys
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from qddot.errors import BadArgument

if TYPE_CHECKING:
    from websockets.datastructures import Headers
    from websockets.http11 import Request, Response

HOST = "127.0.0.1"
PORT = 8737
TRIES = 50  # further ports, where nobody asked for a certain one
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
SOCKET = "/socket"
TOKEN = b"{token}"  # what stands for the token in the page
STILL = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Connection": "close",
}


class ServedFile(NamedTuple):
    """A file of the page."""

    type: str
    data: bytes


class Gate:
    """Answers what comes before a conversation."""

    def __init__(self, port: int):
        self.token = secrets.token_urlsafe(24)
        ending = "" if port == 80 else f":{port}"  # a browser leaves out what is usual
        self.hosts = tuple(f"{name}{ending}" for name in ("127.0.0.1", "localhost", "[::1]"))
        self.files = page_files()

    def answer(self, request: Request) -> Response | None:
        """Return what to send instead of opening a socket; None lets it open."""
        path, _, query = request.path.partition("?")
        wants_socket = path == SOCKET
        why = self._stranger(request.headers, wants_socket)
        if why:
            return self._words(HTTPStatus.FORBIDDEN, why)
        if wants_socket:
            given = query.removeprefix("token=").encode("utf-8", "replace")
            if secrets.compare_digest(given, self.token.encode()):
                return None
            return self._words(
                HTTPStatus.FORBIDDEN,
                "The token is missing or that of another studio. Load the page again.",
            )
        name = "index.html" if path == "/" else path.removeprefix("/")
        if path.startswith("/") and name in self.files:
            kind, data = self.files[name]
            if name == "index.html":
                data = data.replace(TOKEN, self.token.encode())
            return self._response(HTTPStatus.OK, kind, data, request.headers["Host"])
        return self._words(HTTPStatus.NOT_FOUND, "There is no such file here. The page is at /.")

    def refusal(self, head: bytes) -> bytes | None:
        """Return the whole answer to a request that is no plain GET; None lets it be read.

        websockets hangs up on these without an answer. The head of a request ends at a blank line.
        """
        first, *lines = head.decode("latin-1").split("\r\n")
        method, space, _ = first.partition(" ")
        if not space or not method.isalpha():
            return None  # not HTTP at all
        if not first.isascii() or not first.isprintable():
            return self._words(HTTPStatus.BAD_REQUEST, "An address is plain letters.").serialize()
        if method != "GET":
            answer = self._words(HTTPStatus.METHOD_NOT_ALLOWED, "The studio answers to GET alone.")
            answer.headers["Allow"] = "GET"
            if method == "HEAD":  # whose answer has no body
                answer.body = b""
            return answer.serialize()
        fields = {name.strip().lower(): value.strip() for name, _, value in map(colon, lines)}
        if fields.get("content-length", "0") != "0" or "transfer-encoding" in fields:
            return self._words(HTTPStatus.BAD_REQUEST, "The studio takes no body.").serialize()
        return None

    def _stranger(self, headers: Headers, wants_socket: bool) -> str:
        """Return why a request is turned away; nothing if it is not."""
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return (
                f"The studio answers to {self.hosts[0]} and {self.hosts[1]} alone, and was asked "
                "for by another name."
            )
        own = [f"http://{hosts[0].lower()}"]
        if [origin.lower() for origin in origins] != own and (origins or wants_socket):
            return "The studio answers to its own page alone, and another site's asked."
        return ""

    def _words(self, status: HTTPStatus, text: str) -> Response:
        return self._response(status, "text/plain; charset=utf-8", f"{text}\n".encode())

    def _response(self, status: HTTPStatus, kind: str, data: bytes, host: str = "") -> Response:
        from websockets.datastructures import Headers
        from websockets.http11 import Response

        headers = Headers(
            {
                **STILL,
                "Content-Type": kind,
                "Content-Length": str(len(data)),
                "Content-Security-Policy": policy(host),
            }
        )
        return Response(status.value, status.phrase, headers, data)


def colon(line: str) -> tuple[str, str, str]:
    return line.partition(":")


def policy(host: str) -> str:
    """Return what the page may load: its own files, its own socket, and nothing else."""
    return "; ".join(
        (
            "default-src 'self'",
            "script-src 'self'",
            f"connect-src 'self' ws://{host}" if host else "connect-src 'self'",
            "style-src 'self' 'unsafe-inline'",  # mathematics is laid out by style attributes
            "font-src 'self' data:",
            "img-src 'self' data: blob:",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


def page_files() -> dict[str, ServedFile]:
    """Return everything that the page is made of, by name."""
    from qddot.present.pages import page
    from qddot.vendored import katex_script, katex_style

    folder = Path(__file__).parent / "static"
    found = {
        path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.suffix in TYPES
    }
    found |= {name: page.file(name).encode() for name in ("arm_view.js", "style.css")}
    found |= {"katex.js": katex_script().encode(), "katex.css": katex_style().encode()}
    return {name: ServedFile(TYPES[Path(name).suffix], data) for name, data in found.items()}


def listening_socket(port: int | None) -> socket.socket:
    """Return a socket that listens on this machine alone.

    Raises:
        BadArgument: If the port is taken, or is none.
    """
    wanted, why = range(PORT, PORT + TRIES) if port is None else (port,), ""
    if port is not None and not 0 <= port <= 65535:
        raise BadArgument(f"There is no port {port}; ports go from 1 to 65535.")
    for number in wanted:
        try:
            return bound(number)
        except OSError as error:
            if error.errno == errno.EACCES:
                why = "you may not listen there: ports below 1024 are the system's"
            else:
                why = "another program listens there already"
    if port is not None:
        raise BadArgument(
            f"Port {port} cannot be used: {why}.\n"
            "  Name another with --port, or none: then the next free one is taken."
        )
    raise BadArgument(f"None of the ports {PORT} to {PORT + TRIES - 1} is free. Name one: --port.")


def bound(port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        # else a studio that was just ended would keep its port for a minute
        if sys.platform != "win32":
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((HOST, port))
        found.listen(128)
        found.setblocking(False)
    except BaseException:
        found.close()
        raise
    return found
