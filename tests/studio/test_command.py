"""`qddot studio` as people start and end it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from urllib.request import urlopen

import pytest
import studio_talk  # skips the module where websockets is missing
from command_line import run
from hanging import wait_until

import qddot
from qddot.errors import BadArgument
from qddot.studio import Studio
from qddot.studio.gate import PORT, listening_socket
from qddot.studio.server import heeding_signals

COMMAND = (sys.executable, "-m", "qddot.cli", "studio", "--no-browser")


@contextmanager
def started(*words, **more):
    """Give a running studio's process and the first line that it prints."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([*COMMAND, *words], **pipes, **more)
    try:
        yield process, process.stdout.readline()
    finally:
        process.kill()
        process.communicate()


def test_it_prints_its_address_and_ends_on_ctrl_c_with_a_goodbye():
    with started("pendulum", "--port", "0") as (process, line):
        found = re.fullmatch(
            r"qddot studio is at (http://127\.0\.0\.1:\d+/)   \(Ctrl-C ends it\)\n", line
        )
        assert found, line
        assert b"qddot studio" in urlopen(found[1], timeout=studio_talk.PATIENCE).read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        assert process.returncode == 130
        assert out == ""
        assert err == "\nqddot studio: goodbye.\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_before_it_waits_ends_it_in_order_and_the_next_one_at_once(number):
    """Its address is printed by then, so people and programs may have seen it."""
    before = signal.getsignal(number)
    with Studio(port=0) as studio, heeding_signals(studio):
        assert signal.getsignal(number) is not before
        os.kill(os.getpid(), number)
        assert studio.wait() is (number == signal.SIGINT)
        assert signal.getsignal(number) is before


def test_terminated_it_ends_well_and_machines_are_told_the_address():
    with started("--port", "0", "--json") as (process, line):
        facts = json.loads(line + "".join(process.stdout.readline() for _ in range(5)))
        assert facts["address"] == f"http://127.0.0.1:{facts['port']}/"
        assert facts["robot"] is None
        process.terminate()
        _, err = process.communicate()
        assert process.returncode == 0
        assert err == ""


def test_helpers_leave_nothing_behind(tmp_path):
    """What they read goes with their folder, and the folder with the helper."""
    with started("--port", "0", env=os.environ | {"TMPDIR": str(tmp_path)}) as (process, line):
        address = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        studio = SimpleNamespace(address=address[0], port=int(address[1]))
        with studio_talk.talking(studio) as page:
            page.ask("robot", name="pendulum")
            page.ask("play", what="drop", q=[1], duration=0.1)
            assert list(tmp_path.iterdir())
            bad = studio_talk.in_base64("<robot/>")
            assert page.problem("file", name="x.urdf", data=bad)
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert not list(tmp_path.iterdir())


def test_a_wrong_command_line_has_status_two_and_a_sentence():
    done = run("studio", "--no-browser", "--set", "m1=1")
    assert done.returncode == 2
    assert done.stderr.startswith("qddot: --set changes a robot, and none is named")


def test_a_port_that_does_not_exist_is_refused():
    with pytest.raises(BadArgument, match="There is no port 70000; ports go from 1 to 65535"):
        listening_socket(70000)


def test_a_port_that_is_taken_is_refused_if_it_was_asked_for():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(BadArgument, match=rf"Port {port} cannot be used: another program"):
            listening_socket(port)


def test_without_a_port_the_next_free_one_is_taken():
    with listening_socket(None) as one, listening_socket(None) as other:
        first, second = (each.getsockname()[1] for each in (one, other))
    assert PORT <= first < second


def test_python_has_it_as_a_room_of_its_own():
    robot = qddot.load("pendulum").with_gravity((0, 0, -1))
    with qddot.studio.Studio(robot, port=0) as studio, studio_talk.talking(studio) as page:
        assert page.ask("welcome")["robot"] == "pendulum"
        assert page.ask("robot", name="pendulum")["gravity"] == [0, 0, -1]


def test_a_robot_that_cannot_be_shown_is_refused_before_anything_listens():
    with pytest.raises(qddot.QddotError, match="it depends on"):
        Studio(qddot.load("two_link_symbolic"), port=0)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="there is no /proc here")
def test_helpers_end_with_the_studio(tmp_path):
    """Also when it is killed and can say nothing."""
    with started("pendulum", "--port", "0") as (process, _):
        wait_until(lambda: children_of(process.pid))
        children = children_of(process.pid)
        process.kill()
        process.wait()
    wait_until(lambda: not any(map(runs, children)))


def children_of(process):
    """Return the folders in /proc of what a process started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it may have ended meanwhile
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            found += [folder] if int(parent) == process else []
    return found


def runs(folder):
    with suppress(OSError):
        return "qddot.worker_process" in (folder / "cmdline").read_text()
    return False
