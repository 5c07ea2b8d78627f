"""Tables in files: what is written comes back, and only what is asked for is read."""

import io

import numpy as np
import pytest

from qddot.errors import BadFile
from qddot.timeseries import reading
from qddot.timeseries.csv_file import read_csv, write_csv, write_rows
from qddot.timeseries.parquet_file import read_parquet, write_parquet

NAMES = ("t", "a,b", " spaced ")
ROWS = np.array([[0.0, 1 / 3, np.nan], [1e-300, -0.0, np.inf]])


@pytest.mark.parametrize(
    ("ending", "write", "read"),
    [(".csv", write_csv, lambda path: read_csv(path, exact=True)),
     (".parquet", write_parquet, read_parquet)],
)  # fmt: skip
def test_names_facts_and_numbers_come_back(tmp_path, ending, write, read):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"table{ending}"
    write(path, "excitation", '{"a": 1}', NAMES, ROWS)
    table = read(path)
    assert table.names == NAMES
    assert table.facts == {"excitation": '{"a": 1}'}
    found = table.read([NAMES[2], NAMES[0]])
    assert list(found) == [NAMES[2], NAMES[0]]
    np.testing.assert_array_equal(found[NAMES[2]], ROWS[:, 2])
    np.testing.assert_array_equal(found["t"], ROWS[:, 0])


def test_only_columns_that_are_read_must_hold_numbers(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("# mine\nt; q ; mode\n0; 1; auto\n\n1; x; auto\n")
    table = read_csv(path)
    assert table.names == ("t", "q", "mode")
    assert "semicolons" in table.notes[0].message
    np.testing.assert_array_equal(table.read(["t"])["t"], [0, 1])
    assert [table.line(row) for row in (-1, 0, 1, 2)] == [2, 3, 5, None]
    with pytest.raises(BadFile, match=r"table\.csv:5: column 2 \(q\) holds"):
        table.read(["q"])


def test_all_problems_are_in_one_error(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("t,q\n0,a\n1,2,3\n2,=1+1\n")
    with pytest.raises(BadFile, match="'a', not a number") as caught:
        read_csv(path).read(["t", "q"])
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("motion.txt", r"it is not a file of a motion. Known are \.csv, \.npz"),
        ("none.csv", "there is no such file"),
        ("folder.csv", "it is not a file. Name the file itself"),
        ("latin.csv", "it is not text in UTF-8"),
        ("gone.csv", "it cannot be read: No such file"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(tmp_path, name, words):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "latin.csv").write_bytes("t,für\n".encode("latin-1"))
    (tmp_path / "gone.csv").touch()
    path = tmp_path / name

    def read():
        with reading(path, "a motion", (".csv", ".npz")):
            if name == "gone.csv":
                path.unlink()
            path.read_text(encoding="utf-8")

    with pytest.raises(BadFile, match=words):
        read()


def test_rows_are_written_alike_with_and_without_facts(tmp_path):
    out = io.StringIO(newline="")
    write_rows(out, NAMES, ROWS)
    write_csv(tmp_path / "table.csv", "log", "{}", NAMES, ROWS)
    assert (tmp_path / "table.csv").read_text() == f"# qddot log {{}}\n{out.getvalue()}"
