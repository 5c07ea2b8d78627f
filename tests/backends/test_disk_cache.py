"""The folder of compiled code: private, checked, never in the way."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import weakref
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from llvmlite.binding import TargetMachine
from nearness import LAST_DIGIT

from qddot import Kernel, record
from qddot.backends import disk_cache
from qddot.backends.llvm import compile_module

CODE = b"code " * 100
NAME = disk_cache.key("a program", "a processor")
STATES = np.linspace(-1, 1, 21).reshape(7, 3)


def torque() -> np.ndarray:
    """Return what a freshly made kernel gives: compiled, or from the cache."""
    return Kernel(record(lambda q: np.sin(q) * 2 + q[::-1], q=(3,))).gufunc(STATES)


EXPECTED = np.sin(STATES) * 2 + STATES[:, ::-1]


def right(found: np.ndarray) -> bool:
    return bool(np.abs(found - EXPECTED).max() <= 4 * LAST_DIGIT)


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that grows by one with every compilation that really happens."""
    seen: list[str] = []
    emit = TargetMachine.emit_object
    monkeypatch.setattr(
        TargetMachine, "emit_object", lambda *args: seen.append("compiled") or emit(*args)
    )
    return seen


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# where it is, and who may look


def test_the_folder_is_made_for_its_owner_alone(cache_dir: Path):
    old = os.umask(0)
    try:
        disk_cache.store(NAME, CODE)
    finally:
        os.umask(old)
    assert disk_cache.folder() == cache_dir
    assert mode(cache_dir) == 0o700
    assert [mode(path) for path in cache_dir.iterdir()] == [0o600]
    assert disk_cache.load(NAME) == CODE


def test_the_folder_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("QDDOT_CACHE_DIR", str(tmp_path / "ours"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "everybody's"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert disk_cache.folder() == tmp_path / "ours" / "qddot"
    monkeypatch.delenv("QDDOT_CACHE_DIR")
    assert disk_cache.folder() == tmp_path / "everybody's" / "qddot"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert disk_cache.folder() == tmp_path / "home" / ".cache" / "qddot"


def test_without_a_home_there_is_no_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    for name in ("QDDOT_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as for an unknown user
    monkeypatch.chdir(tmp_path)
    assert disk_cache.folder() is None
    assert list(tmp_path.iterdir()) == []
    assert right(torque())


@pytest.mark.parametrize("rights", [0o777, 0o770, 0o750, 0o704, 0o701, 0o1777])
def test_a_folder_that_others_may_enter_is_not_used(
    cache_dir: Path, rights: int, compilations: list
):
    torque()
    cache_dir.chmod(rights)
    before = sorted(cache_dir.iterdir())
    assert disk_cache.folder() is None
    assert right(torque())
    assert len(compilations) == 2  # the second time too
    assert sorted(cache_dir.iterdir()) == before
    assert mode(cache_dir) == rights


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_not_used(cache_dir: Path, compilations: list):
    torque()
    os.chown(cache_dir, 12345, 12345)
    assert disk_cache.folder() is None
    assert right(torque())
    assert len(compilations) == 2


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_is_not_used(cache_dir: Path):
    disk_cache.store(NAME, CODE)
    os.chown(cache_dir / NAME, 12345, 12345)
    assert disk_cache.load(NAME) is None


@pytest.mark.parametrize("rights", [0o666, 0o620, 0o602, 0o644])
def test_a_file_that_others_may_read_or_write_is_not_used(cache_dir: Path, rights: int):
    disk_cache.store(NAME, CODE)
    (cache_dir / NAME).chmod(rights)
    assert disk_cache.load(NAME) is None


def test_a_folder_that_is_a_link_is_not_used(cache_dir: Path, tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    cache_dir.symlink_to(elsewhere)
    assert disk_cache.folder() is None
    assert right(torque())
    assert list(elsewhere.iterdir()) == []


def test_a_file_that_is_a_link_is_not_followed(cache_dir: Path, tmp_path: Path):
    disk_cache.store(NAME, CODE)
    (cache_dir / NAME).rename(tmp_path / "elsewhere")
    (cache_dir / NAME).symlink_to(tmp_path / "elsewhere")
    assert disk_cache.load(NAME) is None
    disk_cache.store(NAME, CODE[:50])  # takes the place of the link
    assert disk_cache.load(NAME) == CODE[:50]
    assert (tmp_path / "elsewhere").stat().st_size == disk_cache.DIGEST + len(CODE)


def test_what_is_neither_file_nor_folder_is_not_read(cache_dir: Path):
    """A pipe would be waited on for ever."""
    disk_cache.store(NAME, CODE)
    other = disk_cache.key("other")
    os.mkfifo(cache_dir / other, 0o600)
    assert disk_cache.load(other) is None
    (cache_dir / disk_cache.key("third")).mkdir(mode=0o700)
    assert disk_cache.load(disk_cache.key("third")) is None


# whatever is wrong with it, code is compiled again


def test_code_is_compiled_once_and_then_taken_from_the_disk(cache_dir: Path, compilations: list):
    first, second = torque(), torque()
    assert len(compilations) == 1
    assert right(first)
    assert np.array_equal(first, second)


def test_a_file_in_the_place_of_the_folder_does_no_harm(cache_dir: Path):
    cache_dir.write_text("in the way")
    assert disk_cache.folder() is None
    assert right(torque())
    assert cache_dir.read_text() == "in the way"


def test_a_folder_that_cannot_be_made_does_no_harm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("QDDOT_CACHE_DIR", str(tmp_path / "file" / "below"))
    assert disk_cache.folder() is None
    assert right(torque())


@pytest.mark.parametrize("operation", ["mkdir", "open", "replace"])
def test_a_disk_that_refuses_does_no_harm(
    cache_dir: Path, monkeypatch: pytest.MonkeyPatch, operation: str
):
    """Read-only, full, or gone in the meantime: nothing stays behind, and the answer is right."""

    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path if operation == "mkdir" else os, operation, refuse)
        assert right(torque())
    assert not cache_dir.exists() or list(cache_dir.iterdir()) == []


def changed(code: bytes) -> dict[str, bytes]:
    return {
        "empty": b"",
        "cut in the digest": code[:10],
        "digest alone": code[: disk_cache.DIGEST],
        "cut at the end": code[:-1],
        "cut in the middle": code[: len(code) // 2],
        "one bit changed in the code": code[:-20] + bytes([code[-20] ^ 1]) + code[-19:],
        "one bit changed in the digest": bytes([code[0] ^ 1]) + code[1:],
        "longer": code + b"\0",
        "zeros": bytes(len(code)),
    }


@pytest.mark.parametrize("how", changed(CODE))
def test_a_damaged_file_is_compiled_again_and_replaced(
    cache_dir: Path, compilations: list, how: str
):
    torque()
    (path,) = cache_dir.iterdir()
    whole = path.read_bytes()
    path.write_bytes(changed(whole)[how])
    assert right(torque())
    assert len(compilations) == 2
    assert path.read_bytes() == whole


def test_a_whole_file_under_the_name_of_another_is_not_used(cache_dir: Path):
    other = disk_cache.key("other")
    disk_cache.store(NAME, CODE)
    disk_cache.store(other, CODE[::-1])
    first, second = cache_dir / NAME, cache_dir / other
    one, two = first.read_bytes(), second.read_bytes()
    first.write_bytes(two)
    second.write_bytes(one)
    assert disk_cache.load(NAME) is None
    assert disk_cache.load(other) is None


def test_every_part_of_a_key_counts():
    keys = {
        disk_cache.key(),
        disk_cache.key(""),
        disk_cache.key("ab"),
        disk_cache.key("a", "b"),
        disk_cache.key("b", "a"),
        disk_cache.key("a", "b", "znver4"),
    }
    assert len(keys) == 6
    assert all(name.isalnum() for name in keys)  # no path can be made of one


# many at once, and for long


def test_two_processes_writing_at_once_leave_whole_files(cache_dir: Path):
    code = (
        "from qddot.backends import disk_cache as c\n"
        "for i in range(300):\n"
        "    name = c.key(i % 5)\n"
        "    c.store(name, bytes([i % 5]) * 50_000)\n"
        "    got = c.load(name)\n"
        "    assert got == bytes([i % 5]) * 50_000, i\n"
    )
    children = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    assert [child.wait() for child in children] == [0, 0]
    assert sorted(path.name for path in cache_dir.iterdir()) == sorted(
        map(disk_cache.key, range(5))
    )


def test_what_was_not_used_for_longest_goes_when_there_is_no_room(
    cache_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(disk_cache, "MOST_BYTES", 10 * (disk_cache.DIGEST + 1000))
    names = [disk_cache.key(i) for i in range(14)]
    for age, name in enumerate(names):
        disk_cache.store(name, b"x" * 1000)
        os.utime(cache_dir / name, (1e9 + age, 1e9 + age))
    assert disk_cache.load(names[2])  # it is the newest now
    looks = next(name for name in map(disk_cache.key, count()) if name.startswith("00"))
    disk_cache.store(looks, b"x" * 1000)
    kept = [name for name in names if disk_cache.load(name)]
    assert kept == [names[2], *names[6:]]


def test_code_that_is_in_use_is_there_once_and_goes_with_its_last_user():
    text = "define i64 @answer() {\n  ret i64 42\n}\n"
    one = compile_module(text)
    other = compile_module(text)
    assert other is one
    gone = weakref.ref(one)
    del one
    assert gone() is other
    del other
    assert gone() is None
