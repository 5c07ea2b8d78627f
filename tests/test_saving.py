"""Files that are there whole or not at all, and what is said where a disk does not take them."""

import errno
import os

import pytest
from made import ARM

from qddot.cli import app
from qddot.cli.running import run
from qddot.errors import BadArgument, CannotWrite
from qddot.saving import together, write_whole


def refusing(code):
    def replace(*_):
        raise OSError(code, os.strerror(code))

    return replace


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG])
def test_a_disk_that_does_not_take_it_is_not_the_users_mistake(code, tmp_path, monkeypatch):
    path = tmp_path / "robot.toml"
    ARM.save(path)
    before = path.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", refusing(code))
        with pytest.raises(CannotWrite, match=r"robot\.toml cannot be written.*\n  .*place"):
            ARM.with_payload("tool", 1).save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["robot.toml"]
    with pytest.raises(BadArgument, match="Choose a folder that exists"):
        ARM.save(tmp_path / "nowhere" / "robot.toml")


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (("simulate", "two_link", "--duration", "0.1", "-o"), "out.csv"),
        (("simulate", "two_link", "--duration", "0.1", "--plot"), "out.png"),
        (("derive", "two_link", "-o"), "out.tex"),
    ],
)
def test_a_full_disk_ends_a_command_with_status_1_and_the_remedy(
    words, file, tmp_path, monkeypatch, capsys
):
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", refusing(errno.ENOSPC))
        assert run(app, [*words, str(tmp_path / file)]) == 1
    told = capsys.readouterr().err
    assert "cannot be written: No space left on device" in told
    assert "Make room there, or name another place." in told
    assert "Choose a folder" not in told
    assert run(app, [*words, str(tmp_path / "no" / file)]) == 2


def test_files_that_belong_together_come_together_or_not_at_all(tmp_path):
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text("before")

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def both():
        with together():
            write_whole(first, lambda beside: beside.write_text("after"))
            write_whole(second, full)

    with pytest.raises(CannotWrite):
        both()
    assert first.read_text() == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]
    with together():
        write_whole(first, lambda beside: beside.write_text("after"))
        assert first.read_text() == "before"
        write_whole(second, lambda beside: beside.write_text("too"))
    assert (first.read_text(), second.read_text()) == ("after", "too")
    assert len(list(tmp_path.iterdir())) == 2


def test_files_that_belong_together_are_all_there_or_none(tmp_path):
    """A name that cannot be had in the end takes back those that were given before it."""
    (tmp_path / "a").write_text("old")
    with pytest.raises(BadArgument), together():  # noqa: PT012
        write_whole(tmp_path / "a", lambda path: path.write_text("new"))
        write_whole(tmp_path / "b", lambda path: path.write_text("new"))
        write_whole(tmp_path / "c", lambda path: path.write_text("new"))
        (tmp_path / "c").mkdir()
        (tmp_path / "c" / "full").write_text("so that nothing can replace it")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "c"]
    assert (tmp_path / "a").read_text() == "old"


def test_one_within_another_waits_for_it(tmp_path):
    with pytest.raises(ZeroDivisionError), together():  # noqa: PT012
        with together():
            write_whole(tmp_path / "a", lambda path: path.write_text("new"))
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())
