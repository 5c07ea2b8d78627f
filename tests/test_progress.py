"""Words about long work: only for those who watch, on one line, and gone in the end."""

import io
from contextlib import redirect_stderr
from unittest.mock import patch

import pytest

from qddot import progress


class Terminal(io.StringIO):
    """A stderr that somebody watches."""

    def isatty(self):
        return True


@pytest.fixture
def hasty():
    """All work counts as slow, and every step is drawn."""
    with patch.multiple(progress, SLOW=-1.0, REDRAW=-1.0):
        yield
    progress.set_quiet(False)


def seen(text):
    """Return what stands on a terminal's last line after all has been written to it."""
    line = ""
    for part in text.split("\n")[-1].split("\r"):
        line = part + line[len(part) :]
    return line.rstrip()


def test_progress_is_drawn_on_one_line_and_wiped_away(hasty):
    with redirect_stderr(Terminal()) as stderr, progress.percent_done("bending", 4) as advance:
        advance()
        assert seen(stderr.getvalue()).startswith("qddot: bending 25 %, about 0 s left")
        advance()
        assert seen(stderr.getvalue()).startswith("qddot: bending 50 %")
    assert "\n" not in stderr.getvalue()
    assert not seen(stderr.getvalue())


def test_the_time_that_is_left_is_told_in_the_unit_that_people_use():
    told = [progress.readable_time(seconds) for seconds in (3, 119, 121, 7000, 7300, 1e5)]
    assert told == ["3 s", "119 s", "2 min", "117 min", "2.0 h", "27.8 h"]


def test_the_line_is_wiped_away_where_the_work_fails_too(hasty):
    def work():
        with progress.percent_done("bending", 4) as advance:
            advance()
            raise KeyboardInterrupt

    with redirect_stderr(Terminal()) as stderr, pytest.raises(KeyboardInterrupt):
        work()
    assert stderr.getvalue()
    assert not seen(stderr.getvalue())


def test_a_line_is_no_wider_than_the_terminal(hasty, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    with redirect_stderr(Terminal()) as stderr, progress.percent_done("long" * 20, 2) as advance:
        advance()
        assert len(seen(stderr.getvalue())) < 20


def test_what_is_said_meanwhile_stands_above_the_progress(hasty):
    with redirect_stderr(Terminal()) as stderr, progress.percent_done("bending", 4) as advance:
        advance()
        progress.inform("a remark")
        assert "\rqddot: a remark\n" in stderr.getvalue()


def test_nothing_is_drawn_where_nobody_watches_or_silence_is_wanted(hasty):
    for stderr, silent in ((io.StringIO(), False), (Terminal(), True)):
        progress.set_quiet(silent)
        with redirect_stderr(stderr), progress.percent_done("bending", 2) as advance:
            advance()
            progress.inform("of progress", of_progress=True)
        assert not stderr.getvalue()


def test_errors_are_said_even_in_silence(hasty):
    progress.set_quiet(True)
    with redirect_stderr(io.StringIO()) as stderr:
        progress.inform("a remark")
        progress.write_line("an error")
    assert stderr.getvalue() == "qddot: an error\n"


def test_a_word_about_what_is_done_comes_only_after_a_while():
    with redirect_stderr(Terminal()) as stderr, progress.message_if_slow("bending"):
        pass
    assert not stderr.getvalue()


def test_a_closed_stderr_is_no_problem(hasty):
    closed = io.StringIO()
    closed.close()
    with redirect_stderr(closed), progress.percent_done("bending", 2) as advance:
        advance()
        progress.write_line("nobody hears it")
