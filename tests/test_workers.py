"""Workers: what they answer, what they may not do, and that nothing of them is left."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hanging import HANGS, wait_until

import qddot
from qddot.errors import Defect
from qddot.workers import ResourceLimits, Worker

posix = pytest.mark.skipif(os.name == "nt", reason="limits and signals are POSIX's")
with_proc = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="there is no /proc here")

# functions that a worker is asked for, in a module that it finds where this process finds it
JOBS = """
import os, sys, time
def add(x, y): return x + y
def tells(what, tell):
    tell("half of it", 0.5)
    return what.upper()
def prints():
    print("noise", flush=True)
    os.write(1, b"noise")
    return sys.stdin.read()
def bad():
    from qddot.errors import BadArgument
    raise BadArgument("so is it wrong")
def breaks(): return {}["here"]
def dies(): os._exit(7)
def takes(n): return len(bytearray(n))
def writes(n):
    with open("file", "wb") as file: file.write(bytes(n))
    return os.getcwd()
def sleeps(path):
    open(path, "w").write(str(os.getpid()))
    time.sleep(3600)
def starts():
    import subprocess
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"]).pid
def sneaks():
    class Sneak:
        def __reduce__(self): return os.system, ("echo sneaked",)
    return Sneak()
def group(): return os.getpgid(0)
"""


@pytest.fixture(autouse=True)
def jobs(tmp_path, monkeypatch):
    (tmp_path / "some_jobs.py").write_text(JOBS)
    monkeypatch.syspath_prepend(tmp_path)


def asked(name, *arguments, **conditions):
    with Worker(**conditions) as worker:
        worker.ask(f"some_jobs:{name}", *arguments)
        return worker.result(HANGS)


def is_running(pid):
    try:
        return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def test_it_answers_in_the_order_in_which_it_was_asked():
    with Worker() as worker:
        for x in range(3):
            worker.ask("some_jobs:add", x, 10)
        assert [worker.result(HANGS) for _ in range(3)] == [10, 11, 12]


def test_it_tells_how_far_it_is():
    said = []
    worker = Worker(said.append)
    worker.ask("some_jobs:tells", "it", tell=True)
    wait_until(lambda: len(said) == 2)
    worker.end()
    assert said[:2] == [("progress", ("half of it", 0.5)), ("done", "IT")]
    assert said[2:] == [("ended", worker.how)]
    assert not worker.alive


def test_what_a_function_prints_and_reads_is_not_taken_for_an_answer(capfd):
    assert asked("prints") == ""
    assert capfd.readouterr() == ("", "")


def test_errors_of_ours_are_words_for_people_and_others_are_defects():
    with pytest.raises(qddot.QddotError, match=r"^so is it wrong$"):
        asked("bad")
    with pytest.raises(Defect, match="KeyError: 'here'"):
        asked("breaks")
    with pytest.raises(Defect, match=r"AttributeError.*no_such_job"):
        asked("no_such_job")


def test_a_worker_that_dies_is_noticed():
    with pytest.raises(EOFError, match="status 7"):
        asked("dies")


@posix
def test_a_worker_that_is_killed_is_noticed(tmp_path):
    with Worker() as worker:
        worker.ask("some_jobs:sleeps", str(tmp_path / "pid"))
        worker.process.kill()
        with pytest.raises(EOFError, match="signal 9"):
            worker.result(HANGS)


@with_proc
def test_one_that_takes_too_long_is_ended(tmp_path):
    path = tmp_path / "pid"
    with Worker() as worker:
        worker.ask("some_jobs:sleeps", str(path))
        wait_until(lambda: path.exists() and path.read_text())
        with pytest.raises(TimeoutError):
            worker.result(0.01)
    assert not is_running(int(path.read_text()))


@posix
def test_it_has_no_more_memory_and_writes_no_more_than_it_may(tmp_path):
    limits = ResourceLimits(memory=2 * 10**9, file=1000)
    assert asked("takes", 1000, limits=limits, one_thread=True) == 1000
    with pytest.raises(qddot.QddotError, match="not enough memory"):
        asked("takes", 4 * 10**9, limits=limits, one_thread=True)
    with pytest.raises(Defect, match="File too large"):
        asked("writes", 2000, limits=limits, private=True)


def test_a_private_folder_goes_with_its_worker(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with Worker(private=True) as worker:
        worker.ask("some_jobs:writes", 10)
        folder = worker.result(HANGS)
        assert Path(folder).parent == tmp_path
        assert os.listdir(folder) == ["file"]
    assert not os.path.exists(folder)


@with_proc
def test_what_it_started_ends_with_it():
    with Worker() as worker:
        worker.ask("some_jobs:starts")
        pid = worker.result(HANGS)
        assert is_running(pid)
        worker.process.kill()  # which leaves what it started alone
        with pytest.raises(EOFError):
            worker.result(HANGS)
    wait_until(lambda: not is_running(pid))


@posix
def test_ctrl_c_of_a_terminal_does_not_reach_it():
    assert asked("group") != os.getpgrp()


def test_plain_answers_run_no_code_here(capfd):
    with pytest.raises(EOFError):
        asked("sneaks")
    assert "sneaked" not in capfd.readouterr().out


OWNER = """
import sys
from qddot.workers import Worker
worker = Worker(private=True)
worker.ask("some_jobs:sleeps", sys.argv[1])
print(worker.folder, flush=True)
sys.stdin.read()
"""


@with_proc
def test_it_ends_with_the_process_that_started_it_however_that_ends(tmp_path):
    path = tmp_path / "pid"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        folder = owner.stdout.readline().strip()
        wait_until(lambda: path.exists() and path.read_text())
        owner.send_signal(signal.SIGKILL)
    finally:
        owner.kill()
        owner.communicate()
    wait_until(lambda: not is_running(int(path.read_text())))
    assert not os.path.exists(folder)
