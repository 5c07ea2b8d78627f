"""Whatever ends a sweep, nothing that was finished is lost, and the same command goes on."""

import errno
import json
import os
import random
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from faults import not_installed
from hanging import wait_until
from long import long

import qddot
from qddot.errors import CannotWrite, CrewLost, MissingExtra
from qddot.sweeps.folder import Folder
from qddot.sweeps.running import sweep
from qddot.sweeps.unit import Units

posix = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
with_proc = pytest.mark.skipif(
    not os.path.isdir("/proc/self/task"), reason="there is no /proc here"
)

UNITS = 40
# units of ten runs each, so many that kills fall between and into them
MANY = """
robot = "pendulum"
q0 = [0.0]
duration = 1.0
step = 0.001
draws = 400
unit = 10
seed = 3
[vary]
q0 = { uniform = [-1, 1] }
"friction.viscous" = { uniform = [0, 0.2] }
"""


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(MANY)
    return path


def parts(folder):
    return sorted(Path(folder, "parts").glob("part-*.parquet"))


# run before the command: the process kills itself at a chosen call, in the middle of its work
KILL_AT = """
import os, signal
calls = 0
def killing(name, whole, number):
    def hooked(*args, **more):
        global calls
        calls += 1
        if calls == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return whole(*args, **more)
    setattr(os, name, hooked)
killing({call!r}, getattr(os, {call!r}), {number})
"""
RUN = """
import runpy, sys
sys.argv = ["qddot", "sweep", *sys.argv[1:]]
runpy.run_module("qddot", run_name="__main__")
"""


@pytest.fixture
def hooked(command):
    """Start the command after some lines of Python that change it."""

    def start(lines, *words):
        return command(*words, before=[sys.executable, "-c", lines + RUN])

    return start


@posix
@pytest.mark.parametrize("lives", [2, *long(8)])
def test_kills_of_the_command_lose_nothing(lives, plan, tmp_path, hooked, goes_on):
    """Killed while it writes, before it renames, before it syncs the folder, before it begins."""
    dice, folder = random.Random(1), tmp_path / "killed"
    done = 0
    for life in range(lives):
        call = ("fsync", "replace", "open", "scandir")[life % 4]
        # the manifest and the robot come first, then the parts
        lines = KILL_AT.format(call=call, number=1 if call == "scandir" else dice.randint(2, 12))
        process = hooked(lines, plan, "-o", folder, "--workers", 0, "--quiet")
        _, err = process.communicate()
        assert process.returncode == -signal.SIGKILL, err
        assert len(parts(folder)) >= done
        done = len(parts(folder))
    assert 0 < done < UNITS
    final = hooked("", plan, "-o", folder, "--workers", 1, "--json")
    out, err = final.communicate()
    assert final.returncode == 0, err
    assert json.loads(out)["complete"] is True
    goes_on(plan, folder)


# a worker kills itself as often as there are files named kill-*
DIES = """
def killing(self, unit):
    for name in {deaths!r}:
        try:
            os.unlink(os.path.join({folder!r}, name))
        except OSError:
            continue
        os.kill(os.getpid(), signal.SIGKILL)
    return whole(self, unit)
Units.part = killing
"""


@posix
@pytest.mark.parametrize("workers", [1, *long(2)])
def test_workers_that_are_killed_are_replaced(swings, tmp_path, in_workers, goes_on, workers):
    deaths = [f"kill-{k}" for k in range(2)]
    for name in deaths:
        (tmp_path / name).touch()
    in_workers(DIES.format(deaths=deaths, folder=str(tmp_path)))
    assert sweep(swings, tmp_path / "killed", workers=workers).complete
    assert not [name for name in deaths if (tmp_path / name).exists()]
    goes_on(swings, tmp_path / "killed")


KILLER = """
def killing(self, unit):
    if unit == 3:
        with open({log!r}, "a") as log:
            log.write("x")
        os.kill(os.getpid(), signal.SIGKILL)
    return whole(self, unit)
Units.part = killing
"""


@posix
def test_a_unit_that_kills_every_worker_is_given_up_and_no_other(swings, tmp_path, in_workers):
    """Three times with others, and once alone, so that it is known by which of them."""
    log = tmp_path / "log"
    in_workers(KILLER.format(log=str(log)))
    found = sweep(swings, tmp_path / "runs", workers=2)
    assert found.failed == {3: "its worker died 4 times (SIGKILL(-9))"}
    assert found.done == 9
    assert log.read_text() == "xxxx"


def of_session(leader):
    """Return the processes of a session that have not ended, but for its leader."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, session = path.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(session) == leader and state != "Z" and int(path.parent.name) != leader:
            found.append(int(path.parent.name))
    return found


@pytest.fixture
def session(command):
    """Start the command as a terminal does: what it starts is of its session and its group."""
    return lambda *words, **more: command(*words, start_new_session=True, **more)


@posix
@with_proc
@pytest.mark.parametrize("signal_name", ["SIGKILL", "SIGTERM"])
def test_workers_end_with_the_process_that_started_them(plan, tmp_path, session, signal_name):
    plan.write_text(MANY.replace("draws = 400", "draws = 20_000_000"))  # which takes for ever
    process = session(plan, "-o", tmp_path / "killed", "--workers", 2, "--quiet")
    wait_until(lambda: parts(tmp_path / "killed") or process.poll() is not None)
    assert len(of_session(process.pid)) >= 2
    process.send_signal(getattr(signal, signal_name))
    out, err = process.communicate()
    assert (out, err) == ("", "")
    wait_until(lambda: not of_session(process.pid))


# a worker presses Ctrl-C, once, which reaches the whole group as from a terminal
STARTS = """
try:
    os.mkdir({pressed!r})
except FileExistsError:
    pass
else:
    os.killpg(0, signal.SIGINT)
"""
COMPUTES = """
def pressing(self, unit):
    if unit == 6:
        os.killpg(0, signal.SIGINT)
        time.sleep(3600)
    return whole(self, unit)
Units.part = pressing
"""


@posix
@with_proc
@pytest.mark.parametrize(
    "lines", [STARTS, COMPUTES], ids=["while they start", "while they compute"]
)
def test_ctrl_c_ends_workers_without_a_word_of_theirs(
    plan, tmp_path, session, in_workers, lines, goes_on, monkeypatch
):
    folder = tmp_path / "stopped"
    in_workers(lines.format(pressed=str(tmp_path / "pressed")))
    process = session(plan, "-o", folder, "--workers", 2)
    out, err = process.communicate()
    assert process.returncode == 130, err
    done = len(parts(folder))
    assert err.splitlines() == [
        f"qddot: {done} of {UNITS} units are done and kept in {folder};",
        "qddot:   the same command goes on from there",
        "qddot: interrupted",
    ]
    assert not out
    wait_until(lambda: not of_session(process.pid))
    monkeypatch.undo()
    goes_on(plan, folder)


SCRIPT = """
import qddot
print("begun")
found = qddot.sweep({plan!r}, {folder!r}, workers=2)
print(found.complete)
"""


@with_proc
def test_a_script_needs_no_guard_and_leaves_nothing_behind(plan, tmp_path, session):
    """Workers do not run the script again."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(plan=str(plan), folder=str(tmp_path / "runs")))
    process = session(script, before=[sys.executable])
    assert process.communicate() == ("begun\nTrue\n", "")
    wait_until(lambda: not of_session(process.pid))


def test_workers_import_nothing_from_the_working_directory(plan, tmp_path, command):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("pickle", "signal", "multiprocessing", "loky", "numpy", "qddot", "warnings"):
        (elsewhere / f"{name}.py").write_text("open('imported', 'w')\nraise SystemExit(7)\n")
    starter = [sys.executable, "-c", "import sys; sys.path.remove('')\n" + RUN]
    words = (plan, "-o", tmp_path / "runs", "--workers", 2, "--quiet")
    process = command(*words, before=starter, cwd=elsewhere)
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert not (elsewhere / "imported").exists()


def test_several_processes_need_loky_and_this_one_does_not(swings, tmp_path, monkeypatch):
    not_installed(monkeypatch, "loky")
    with pytest.raises(MissingExtra, match=r"needs loky.*\n.*pip install 'qddot\[sweeps\]'"):
        sweep(swings, tmp_path, workers=1)
    assert sweep(swings, tmp_path, workers=0).complete
    assert sweep(swings, tmp_path, workers=1).complete  # nothing is computed


@posix
def test_ctrl_c_ends_with_130_and_says_how_to_go_on(plan, tmp_path, hooked, goes_on):
    folder = tmp_path / "stopped"
    lines = KILL_AT.format(call="replace", number=6).replace("SIGKILL", "SIGINT")
    process = hooked(lines, plan, "-o", folder, "--workers", 0)
    out, err = process.communicate()
    assert process.returncode == 130, err
    assert f"of {UNITS} units are done and kept in" in err
    assert "the same command goes on from there" in err
    assert err.endswith("qddot: interrupted\n")
    assert "Traceback" not in err
    assert not out
    assert 0 < len(parts(folder)) < UNITS
    goes_on(plan, folder)


@pytest.mark.long
@posix
def test_a_disk_that_is_full_is_told_and_nothing_is_lost(plan, tmp_path, command, goes_on):
    import resource

    def little_room():
        # parts of a hundred runs with motions are larger, the manifest is not
        resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000))

    plan.write_text(MANY.replace("unit = 10", 'unit = 200\nkeep = ["motion"]'))
    folder = tmp_path / "full"
    words = (plan, "-o", folder, "--workers", 1)
    process = command(*words, preexec_fn=little_room)
    _, err = process.communicate()
    assert process.returncode == 1
    assert "cannot be written: File too large" in err
    assert "Make room, then give the same command again" in err
    assert len(err.splitlines()) <= 6
    assert not parts(folder)
    assert not list(folder.rglob(".new-*"))
    goes_on(plan, folder)


def test_a_full_disk_in_python_is_an_error_with_words(swings, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    folder = Folder(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(CannotWrite, match="No space left on device"):
            folder.put(tmp_path / "x", b"data")
    assert not list(tmp_path.iterdir())


def test_half_written_and_foreign_files_are_mended_or_left_alone(
    swings, tmp_path, contents, capsys
):
    folder = tmp_path / "sweep"
    sweep(swings, folder, workers=0)
    before = contents(folder)
    cut, empty, other, wrong = (folder / "parts" / f"part-{k:08d}.parquet" for k in (1, 2, 3, 4))
    cut.write_bytes(cut.read_bytes()[:-100])
    empty.write_bytes(b"")
    other.write_bytes(wrong.read_bytes())  # whole, but of another unit
    stray = {
        ".new-0123456789ab": b"half of a part",
        "notes.txt": b"mine",
        "part-00000099.parquet": b"",
    }
    for name, data in stray.items():
        (folder / "parts" / name).write_bytes(data)
    capsys.readouterr()
    assert sweep(swings, folder, workers=0).complete
    told = capsys.readouterr().err
    assert "part-00000001.parquet, part-00000002.parquet, part-00000003.parquet cannot be" in told
    assert "notes.txt, part-00000099.parquet" in told
    assert "is not part of this sweep and is ignored" in told
    after = contents(folder)
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) == {"parts/notes.txt", "parts/part-00000099.parquet"}


def test_a_unit_that_raises_is_told_and_tried_again(swings, tmp_path, monkeypatch, goes_on):
    whole = Units.part

    def part(self, unit):
        if unit == 3:
            raise ZeroDivisionError("a\x1b[31mb")
        return whole(self, unit)

    with monkeypatch.context() as patched:
        patched.setattr(Units, "part", part)
        found = sweep(swings, tmp_path / "sweep", workers=0)
    assert not found.complete
    assert (found.done, found.units) == (9, 10)
    assert found.progress == 0.9
    assert found.failed == {3: "ZeroDivisionError: a\\x1b[31mb"}
    assert found.table(["run"]).num_rows == 90
    goes_on(swings, tmp_path / "sweep")
    assert not qddot.load_sweep(tmp_path / "sweep").failed


@posix
def test_workers_that_die_as_they_start_are_not_started_for_ever(swings, tmp_path, in_workers):
    in_workers("os._exit(3)")
    with pytest.raises(CrewLost, match=r"Workers die as soon as they start \(EXIT\(3\)\)"):
        sweep(swings, tmp_path, workers=1)


def test_the_folder_of_another_plan_is_refused_with_what_differs(swings, tmp_path, contents):
    sweep(swings, tmp_path, workers=0)
    before = contents(tmp_path)
    for other, words in (
        (swings | {"draws": 200}, "draws is 100 there and 200 here"),
        (swings | {"seed": 1}, "seed is not given there and 1 here"),
        (swings | {"vary": {"q0": {"uniform": [0, 1]}}}, r"vary.q0.uniform is \[-1, 1\] there"),
        (
            swings | {"robot": qddot.load("pendulum").with_payload("tool", 1)},
            "its robot has changed",
        ),
    ):
        with pytest.raises(qddot.QddotError, match=words):
            sweep(other, tmp_path, workers=0)
    assert contents(tmp_path) == before


def test_two_sweeps_do_not_share_a_folder(swings, tmp_path):
    folder = Folder(tmp_path)
    folder.make()
    with folder.held(), pytest.raises(qddot.QddotError, match="Another sweep is running in"):
        sweep(swings, tmp_path, workers=0)
    assert sweep(swings, tmp_path, workers=0).complete


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is damaged: it is not JSON"),
        ("[]", "has format None"),
        ('{"format": 99}', "has format 99; this version of qddot reads format 1"),
        ('{"format": 1}', "is damaged: digest is missing"),
    ],
)
def test_a_damaged_manifest_is_told(swings, tmp_path, text, words):
    sweep(swings, tmp_path, workers=0)
    (tmp_path / "sweep.json").write_text(text)
    for use in (qddot.load_sweep, lambda folder: sweep(swings, folder, workers=0)):
        with pytest.raises(qddot.QddotError, match=words):
            use(tmp_path)


def test_parts_without_a_manifest_are_not_overwritten(swings, tmp_path, contents):
    sweep(swings, tmp_path, workers=0)
    (tmp_path / "sweep.json").unlink()
    before = contents(tmp_path)
    with pytest.raises(qddot.QddotError, match="but not its manifest"):
        sweep(swings, tmp_path, workers=0)
    assert contents(tmp_path) == before


def test_other_versions_are_told_and_kept_in_the_manifest(swings, tmp_path, capsys):
    sweep(swings, tmp_path, workers=0)
    manifest = json.loads((tmp_path / "sweep.json").read_text())
    manifest["versions"][0]["numpy"] = "1.0"
    (tmp_path / "sweep.json").write_text(json.dumps(manifest))
    found = sweep(swings, tmp_path, workers=0)
    assert "begun with other versions (numpy 1.0 →" in capsys.readouterr().err
    assert len(found.manifest["versions"]) == 2
    assert len(sweep(swings, tmp_path, workers=0).manifest["versions"]) == 2


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"workers": -1}, "workers is -1"),
        ({"workers": 1.5}, "workers is 1.5"),
        ({"workers": 1, "client": "tcp://x"}, "Give client or workers, not both"),
        ({"client": 3}, "client is 3; give an address, or a dask.distributed.Client"),
        (
            {"client": SimpleNamespace(asynchronous=True, get_executor=None)},
            "client is namespace.* that is not asynchronous",
        ),
    ],
)
def test_wrong_arguments_are_told(swings, tmp_path, more, words):
    with pytest.raises(qddot.QddotError, match=words):
        qddot.sweep(swings, tmp_path, **more)
