"""Running a command line: from words to an exit status, whatever happens in between.

0 done · 1 the work itself failed · 2 the input or the command line is wrong · 130 interrupted
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import typer

from qddot import progress
from qddot.cli import memory
from qddot.cli.terminal import warn
from qddot.errors import CannotWrite, QddotError, did_you_mean, printable, shorten
from qddot.plain_text import prepare_streams

DONE, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130
LINES = 6  # of a message, at most
TRACEBACK = "QDDOT_TRACEBACK"  # the environment variable that asks for tracebacks
# what a command line that cannot be parsed raises; typer exports only its descendant
Misuse: Any = typer.BadParameter.__bases__[0]

OTHER_WORDS = {  # for options, in the order in which they may be meant
    **dict.fromkeys(("only", "matrix"), "quantity"),
    **dict.fromkeys(("time", "t", "for"), "duration period seconds"),
    **dict.fromkeys(("format", "out", "file", "save"), "output"),
    **dict.fromkeys(("target", "goal", "xyz"), "position reference"),
    **dict.fromkeys(("kp", "kd", "gain", "gains"), "gains"),
}


def run(app: typer.Typer, words: Sequence[str]) -> int:
    """Run a command line, and return its exit status; every problem is printed on stderr."""
    prepare_streams()
    with listening() as interrupts, warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show_warning
        try:
            status = status_of(app, words)
        except KeyboardInterrupt:
            status = INTERRUPTED
        except Exception as error:
            status = told(error, words)
        finally:
            progress.set_quiet(False)
    if interrupts or status == INTERRUPTED:
        progress.write_line("interrupted")
        return INTERRUPTED
    return status


def status_of(app: typer.Typer, words: Sequence[str]) -> int:
    """Run a command line, and return the exit status that it asks for."""
    try:
        command = typer.main.get_command(app)
        status = command.main(list(words), "qddot", standalone_mode=False, obj=list(words))
        if sys.stdout is not None:  # a service may have none
            sys.stdout.flush()
    except typer.Abort:  # how older versions say it
        raise KeyboardInterrupt from None
    except SystemExit as left:
        if isinstance(left.__context__, BrokenPipeError):
            raise left.__context__ from None
        return left.code if isinstance(left.code, int) else FAILED
    return status if isinstance(status, int) else DONE


def told(error: Any, words: Sequence[str]) -> int:
    """Say what went wrong, in a few lines, and return the status that stands for it."""
    if isinstance(error, BrokenPipeError):  # the reader has stopped: `qddot show panda | head -1`
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    if "--traceback" in words or os.environ.get(TRACEBACK, "0") not in ("", "0"):
        traceback.print_exception(error)
    if isinstance(error, Misuse):
        path = error.ctx.command_path if error.ctx is not None else f"qddot {words[0]}"
        progress.write_line(few(misuse(error, path)))
        return WRONG
    if memory.is_lack(error):
        progress.write_line(memory.words())
        return FAILED
    if isinstance(error, QddotError):
        progress.write_line(few(str(error)))
        return FAILED if isinstance(error, CannotWrite) else WRONG
    if isinstance(error, OSError):
        file = f"{printable(str(error.filename))}: " if error.filename else ""
        progress.write_line(f"{file}{error.strerror or printable(str(error))}")
    else:
        progress.write_line(defect(error))
    return FAILED


def defect(error: Exception) -> str:
    """Return the words for an error that was not foreseen."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    what = shorten(printable(str(error)).partition("\n")[0], 200)
    return (
        f"this is a defect of qddot: {type(error).__name__}: {what}{where}\n"
        "  Please report it, with the command and the robot file.\n"
        f"  The same command with --traceback, or {TRACEBACK}=1, shows where it comes from."
    )


def misuse(error: Any, verb: str) -> str:
    """Return what is wrong with a command line, and the nearest that would be right."""
    option = str(getattr(error, "option_name", ""))
    if type(error).__name__ == "NoSuchOption" and error.ctx is not None:
        known = [name for param in error.ctx.command.get_params(error.ctx) for name in param.opts]
        meant = [f"--{name}" for name in OTHER_WORDS.get(option.lstrip("-"), "").split()]
        near = did_you_mean(option, [name for name in known if name.startswith("--")])
        near = next((f" Did you mean {name!r}?" for name in meant if name in known), near)
        words = f"`{verb}` has no option {shorten(printable(option))!r}."
        if option.startswith("--"):
            words += near
        elif error.ctx.command.name == "check":
            words += " Put a blank before an answer that begins with -, as in ' -m g'."
    else:
        words = printable(error.format_message())
    extra = re.search(r"unexpected extra argument.*?(\S+)\)$", words)
    if extra and re.fullmatch(r"\(?[-+\d.,e]+", extra[1]):
        words += ". Numbers follow an option, with commas and no blanks between them: 0.4,0.2,0.5."
    elif extra and "." in extra[1]:
        words += f". A file to write is an option: -o {extra[1].lstrip('(')}."
    if "'ROBOT'" in words:
        words += " Give a built-in one, which `qddot show` lists, or a file."
    return f"{words}\n  `{verb} --help` shows what it takes."


def few(message: str) -> str:
    """Return a message cut to as many lines as people read."""
    lines = [shorten(line, 2000) for line in message.splitlines()]
    kept = lines if len(lines) <= LINES else [*lines[: LINES - 1], "  ..."]
    return "\n".join(kept)


def show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    """Say a warning of ours; those of other packages are not the user's business."""
    if category.__module__.partition(".")[0] == "qddot":
        warn(str(message).strip())


@contextmanager
def listening() -> Iterator[list[int]]:
    """Give a list that holds something once Ctrl-C was pressed, even if the work went on.

    Verbs that keep what they have end normally then, and the status still says so.
    """
    heard: list[int] = []

    def hear(number: int, frame: Any) -> None:
        heard.append(number)
        signal.default_int_handler(number, frame)

    inside = threading.current_thread() is threading.main_thread()
    if not inside or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield heard
        return
    signal.signal(signal.SIGINT, hear)
    try:
        yield heard
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
