"""Where the studio listens: on this machine alone, at a port that is free."""

from __future__ import annotations

import errno
import socket
import sys

from qddot.errors import BadArgument

HOST = "127.0.0.1"
PORT = 8737
TRIES = 50  # further ports, where nobody asked for a certain one


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
