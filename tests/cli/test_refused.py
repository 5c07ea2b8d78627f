"""Command lines that cannot be right: status 2, a few words that say why, and nothing is written.

They stand in refused.toml, by verb; what a verb of logs says is in its options' words.
"""

import shlex
import tomllib
from pathlib import Path

import pytest
from command_line import run
from identification.made_logs import swinging, text, written

TABLE = tomllib.loads(Path(__file__).with_name("refused.toml").read_text(encoding="utf-8"))
CASES = {
    line if verb == "any" else f"{verb} {line}": [said] if isinstance(said, str) else said
    for verb, lines in TABLE.items()
    for line, said in lines.items()
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Logs of two links: a good one, one where a torque is no number, one with all rows twice."""
    folder, lines = tmp_path_factory.mktemp("logs"), text(swinging(rate=100.0))
    nan = [*lines[:9], lines[9].replace(lines[9].split(",")[5], "nan"), *lines[10:]]
    found = {"LOG": lines, "NAN": nan, "TWICE": lines + lines[1:]}
    return {name: written(folder / f"{name}.csv", rows) for name, rows in found.items()}


@pytest.mark.parametrize("line", CASES)
def test_what_cannot_be_right_is_refused_in_a_few_words(line, files, tmp_path):
    done = run(*(files.get(word, word) for word in shlex.split(line)), cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("qddot: ")
    assert not [words for words in CASES[line] if words not in done.stderr]
    assert len(done.stderr.splitlines()) <= 6
    assert "Traceback" not in done.stderr
    assert not done.stdout
    assert not list(tmp_path.iterdir())
