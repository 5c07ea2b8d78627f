"""Who and what the studio turns away, and that nothing of it ends the studio."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from hanging import wait_until
from long import long
from studio_talk import PATIENCE, get, host_of, spoken, talking, token_of
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec_WebSocket_Version": "13",
}


def alive(studio):
    """Return whether the studio still answers questions."""
    with talking(studio) as page:
        return page.ask("welcome")["is"] == "welcome"


def test_the_studio_listens_on_this_machine_alone(studio):
    assert studio.listening.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_the_page_is_served_by_the_names_of_this_machine(studio, name):
    status, head, body = get(studio, host=f"{name}:{studio.port}")
    assert status == 200
    assert b"<title>qddot studio</title>" in body
    assert b"{token}" not in body
    assert f"Content-Length: {len(body)}" in head


FOREIGN = (
    *("evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:{port}.evil"),
    *("user@127.0.0.1:{port}", "", "127.0.0.2:{port}", "localhost.:{port}"),
)
OUTSIDE = (
    *("/../server.py", "/..%2fserver.py", "/%2e%2e/server.py", "/static/../../gate.py"),
    *("//etc/passwd", "/....//server.py", "/..\\server.py", "/app.js/../../server.py"),
    *("/app.js%00", "/server.py", "/static/app.js", "/index.html/", "/katex/fonts", "*", "/\xff"),
    *("http://127.0.0.1/app.js", "/%252e%252e/server.py", "/app%2ejs"),
)


@pytest.mark.parametrize("host", FOREIGN)
def test_a_foreign_host_is_refused_with_a_sentence(studio, host):
    host = host.format(port=studio.port)
    for path in ("/", "/app.js", f"/socket?token={token_of(studio)}"):
        status, _, body = get(studio, path, host=host, Origin=f"http://{host}", **UPGRADE)
        assert status == 403
        assert b"was asked for by another name" in body


def test_two_hosts_are_refused(studio):
    own = host_of(studio)
    request = f"GET / HTTP/1.1\r\nHost: {own}\r\nHost: evil.example\r\n\r\n"
    assert spoken(studio, request.encode()).startswith(b"HTTP/1.1 403")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1"]
)
def test_a_foreign_origin_is_refused_with_a_sentence(studio, origin):
    origin = origin.format(port=studio.port)
    token = token_of(studio)
    for path in ("/", f"/socket?token={token}"):
        status, _, body = get(studio, path, Origin=origin, **UPGRADE)
        assert status == 403
        assert b"another site's asked" in body


def test_a_socket_without_an_origin_is_refused(studio):
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://{host_of(studio)}/socket?token={token_of(studio)}")
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", "?token=%FF", "?x=" + "&" * 99])
def test_a_socket_without_the_token_is_refused(studio, query):
    status, _, body = get(studio, f"/socket{query}", Origin=f"http://{host_of(studio)}", **UPGRADE)
    assert status == 403
    assert b"The token is missing or that of another studio" in body


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_path_leads_out_of_the_page(studio, path):
    status, _, body = get(studio, path)
    assert status in (None, 400, 404)  # None: it hung up
    assert b"import" not in body


def test_every_file_of_the_page_arrives_whole(studio):
    for name, (kind, data) in studio.gate.files.items():
        status, head, body = get(studio, f"/{name}")
        assert status == 200, name
        assert f"Content-Type: {kind}" in head
        if name != "index.html":
            assert body == data, name


def test_the_page_may_load_nothing_but_itself(studio):
    _, head, body = get(studio)
    policy = next(x for x in head.splitlines() if x.startswith("Content-Security-Policy: "))
    assert "default-src 'self';" in policy
    assert "script-src 'self';" in policy
    assert f"connect-src 'self' ws://{host_of(studio)};" in policy
    assert "frame-ancestors 'none'" in policy
    assert "Cache-Control: no-store" in head
    assert b"<script>" not in body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "BREW"])
def test_other_methods_are_refused(studio, method):
    for more in ({}, {"Content_Length": "5"}, {"Transfer_Encoding": "chunked"}):
        status, head, body = get(studio, method=method, **more)
        assert status == 405
        assert "\r\nAllow: GET" in head
        assert body == b"" if method == "HEAD" else b"The studio answers to GET alone.\n"


def test_a_request_with_a_body_is_answered_however_long_the_body_is(studio):
    own = host_of(studio)
    for method, status in ((b"POST", b"405"), (b"GET", b"400")):
        head = b"%s / HTTP/1.1\r\nHost: %s\r\nContent-Length: 300000" % (method, own.encode())
        answer = spoken(studio, head + b"\r\n\r\n" + b"x" * 300_000)
        assert answer.startswith(b"HTTP/1.1 %s " % status)
    assert alive(studio)


def test_a_request_that_comes_letter_by_letter_is_answered_as_a_whole_one(studio):
    with socket.create_connection(("127.0.0.1", studio.port), timeout=PATIENCE) as link:
        for letter in f"GET / HTTP/1.1\r\nHost: {host_of(studio)}\r\n\r\n".encode():
            link.sendall(bytes([letter]))
        assert link.recv(12) == b"HTTP/1.1 200"


GARBAGE = {
    "a greeting of TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(200)),
    "zeros": bytes(20_000),
    "many headers": b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 500,
    "a long line": b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
    "empty lines": b"\r\n" * 1000,
    "another protocol": b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
    "another version": b"GET / HTTP/9.9\r\n\r\n",
    "no text": b"\xff\xfe\r\n\r\n",
}


SAME = "many headers"  # as the greeting: no blank line comes, and the visitor is let go


@pytest.mark.parametrize("what", [*(w for w in GARBAGE if w != SAME), *long(SAME)])
def test_garbage_on_the_port_ends_its_own_connection_alone(studio, what):
    with talking(studio) as page:
        assert not spoken(studio, GARBAGE[what]).startswith(b"HTTP/1.1 200")
        assert page.ask("welcome")["is"] == "welcome"


def test_visitors_who_say_nothing_do_not_keep_others_out(studio):
    silent = [socket.create_connection(("127.0.0.1", studio.port)) for _ in range(40)]
    try:
        silent[0].sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert alive(studio)
    finally:
        for link in silent:
            link.close()


def test_more_visitors_than_there_is_room_for_are_let_go(studio):
    many = [socket.create_connection(("127.0.0.1", studio.port)) for _ in range(300)]
    for link in many:
        link.settimeout(PATIENCE)
    gone = 0
    for link in many[:100]:
        try:
            gone += link.recv(1) == b""
        except ConnectionError:
            gone += 1
    for link in many:
        link.close()
    assert gone == 100
    wait_until(lambda: get(studio)[0] == 200)  # the closed ones are noticed
    assert alive(studio)


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: "])
def test_half_open_connections_lock_nobody_out(studio, said):
    many = []
    for _ in range(150):
        many.append(socket.create_connection(("127.0.0.1", studio.port)))
        many[-1].sendall(said)
    try:
        assert [get(studio)[0] for _ in range(5)] == [200] * 5
    finally:
        for link in many:
            link.close()


@pytest.mark.parametrize("address", [b"/socket?token=\xff\xfe", b"/\xe9", b"/\xc3\xa9", b"/\x01"])
def test_an_address_that_is_no_text_is_answered(studio, address):
    host = host_of(studio).encode()
    answer = spoken(studio, b"GET " + address + b" HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ")


def test_a_ninth_page_is_told_so(studio):
    links = [talking(studio) for _ in range(8)]
    pages = [link.__enter__() for link in links]
    try:
        assert all(page.ask("welcome")["is"] == "welcome" for page in pages)
        with talking(studio) as ninth, pytest.raises(ConnectionClosed) as told:
            ninth.receive()
        assert told.value.rcvd.code == 1013
        assert told.value.rcvd.reason == "8 pages are open already. Close one of them."
        assert pages[0].ask("welcome")["is"] == "welcome"
    finally:
        for link in links:
            link.__exit__(None, None, None)


def test_a_message_beyond_twelve_mebibytes_ends_its_own_connection_alone(studio):
    with talking(studio) as page, talking(studio) as other:
        try:
            page.link.send("x" * (13 * 2**20))
            with pytest.raises(ConnectionClosed) as told:
                page.receive()
            assert told.value.rcvd.code == 1009
        except ConnectionClosed:
            pass  # while the message was still being sent
        assert other.ask("welcome")["is"] == "welcome"


def test_a_page_that_does_not_read_is_let_go(studio, monkeypatch):
    monkeypatch.setattr("qddot.studio.connection.PATIENCE", 0.3)
    question = json.dumps({"id": 1, "do": "at", "q": [0] * 7, "ellipsoid": True})
    with opened_by_hand(studio) as link, talking(studio) as other:
        link.sendall(frame(json.dumps({"id": 1, "do": "robot", "name": "panda"})))
        assert ends(link, frame(question), 200_000)
        assert other.ask("robot", name="two_link")["is"] == "robot"


def test_pings_without_end_are_not_kept_for_a_page_that_does_not_read(studio, monkeypatch):
    monkeypatch.setattr("qddot.studio.server.MOST_UNREAD", 2**18)
    ping = bytes([0x89, 0x80 | 125, 0, 0, 0, 0]) + bytes(125)
    with opened_by_hand(studio) as link:
        assert ends(link, ping * 100, 2000)
    assert alive(studio)


def ends(link, data, times):
    """Return whether a connection ends while something is sent over and over."""
    try:
        for _ in range(times):
            link.sendall(data)
    except ConnectionError:
        return True
    return False


@contextmanager
def opened_by_hand(studio):
    """Give a socket that has been upgraded, with a small buffer for what it receives."""
    link = socket.socket()
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    link.settimeout(PATIENCE)
    with link:
        link.connect(("127.0.0.1", studio.port))
        own = {"Host": host_of(studio), "Origin": f"http://{host_of(studio)}"}
        lines = [f"GET /socket?token={token_of(studio)} HTTP/1.1"]
        lines += [f"{key.replace('_', '-')}: {x}" for key, x in (own | UPGRADE).items()]
        link.sendall("\r\n".join([*lines, "", ""]).encode())
        assert link.recv(4096).startswith(b"HTTP/1.1 101")
        yield link


def frame(text):
    """Return a text as a masked frame; the mask is zero."""
    data = text.encode()
    assert len(data) < 126
    return bytes([0x81, 0x80 | len(data), 0, 0, 0, 0]) + data


def test_a_page_that_vanishes_leaves_nothing_behind(studio):
    for half in (b"", frame("{")[:3], bytes([0x01, 0x80, 0, 0, 0, 0])):
        with opened_by_hand(studio) as link:
            link.sendall(half)
    wait_until(lambda: not studio.sessions)


def test_many_questions_at_once_are_all_answered(studio):
    with talking(studio) as page:
        page.ask("robot", name="two_link")
        with ThreadPoolExecutor(1) as pool:
            sent = pool.submit(lambda: [page.send("at", q=[0.1, 0.2]) for _ in range(150)])
            answers = [page.receive() for _ in range(150)]
            assert sent.result() == [answer["id"] for answer in answers]
        assert {answer["is"] for answer in answers} == {"now"}
