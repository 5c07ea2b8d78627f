"""Files of motions: what is saved comes back, what is broken is told."""

import io
import json
import os
import zipfile
from contextlib import suppress
from dataclasses import fields, replace

import numpy as np
import pytest
from faults import full_disk
from hypothesis import given
from hypothesis import strategies as st
from long import examples
from numpy.testing import assert_array_equal
from simulation.made_motion import made, random_motion

import qddot
from qddot.errors import BadArgument, BadFile, CannotWrite
from qddot.simulation.files import load
from qddot.simulation.trajectory import Trajectory

ENDINGS = (".csv", ".npz", ".parquet")
HOSTILE = (
    "a,b",
    'say "q"',
    "two\nlines",
    "\r",
    "=cmd|' /C calc'!A0",
    "\x1b[31m\x00",
    "",
    "q",
    "é 机",
)

names = st.lists(
    st.text(st.characters(codec="utf-8"), max_size=8), min_size=0, max_size=4, unique=True
)


def assert_same(a: Trajectory, b: Trajectory) -> None:
    """See that two motions are the same to the last bit; NaN is NaN."""
    for one, other in ((a, b), (a.energy, b.energy)):
        for field in fields(one):
            x, y = getattr(one, field.name), getattr(other, field.name)
            if isinstance(x, np.ndarray):
                assert y.shape == x.shape, field.name
                assert_array_equal(x, y)
                assert_array_equal(np.signbit(x) & ~np.isnan(x), np.signbit(y) & ~np.isnan(y))
            elif field.name == "wrenches" and isinstance(x, dict):
                assert list(x) == list(y)
                for frame in x:
                    assert_array_equal(x[frame], y[frame])
            elif field.name not in ("robot", "energy", "how"):
                assert x == y, field.name
    assert {k: v for k, v in a.how.items() if k != "robot"} == {
        k: v for k, v in b.how.items() if k != "robot"
    }


@pytest.mark.parametrize("ending", ENDINGS)
@examples(25)
@given(seed=st.integers(0, 2**32 - 1), joints=names, frames=names)
def test_what_is_saved_comes_back(tmp_path_factory, ending, seed, joints, frames):
    motion = random_motion(seed, tuple(joints), tuple(frames))
    path = tmp_path_factory.mktemp("motion") / f"run{ending}"
    motion.save(path)
    assert_same(motion, Trajectory.load(path))
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("ending", ENDINGS)
def test_hostile_names_come_back(tmp_path, ending):
    motion = random_motion(3, HOSTILE, HOSTILE)
    path = tmp_path / f"run{ending}"
    motion.save(path)
    assert_same(motion, load(path))


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_robot_is_a_name_in_the_file_and_comes_back_when_given(tmp_path, ending):
    motion, path = made("scara"), tmp_path / f"run{ending}"
    motion.save(path)
    alone = Trajectory.load(path)
    assert alone.robot is None
    assert alone.robot_name == "scara"
    assert "'scara'" in repr(alone)
    again = Trajectory.load(path, robot=motion.robot)
    assert_same(motion, again)
    assert again.how == motion.how
    assert_array_equal(again.tip_path("tool"), motion.tip_path("tool"))


@pytest.mark.parametrize("ending", ENDINGS)
def test_another_robot_does_not_fit(tmp_path, ending):
    path = tmp_path / f"run{ending}"
    made("two_link").save(path)
    with pytest.raises(BadArgument, match=r"joints j1, j2, but robot 'panda' has panda_joint1"):
        Trajectory.load(path, robot=qddot.load("panda"))
    made("rp").save(path)
    with pytest.raises(BadArgument, match="'j2' is in m in the file, but in rad in robot"):
        Trajectory.load(path, robot=qddot.load("two_link"))


def test_what_json_cannot_hold_is_told_in_words(tmp_path):
    how = {"step": np.float64(0.5), "torque": len, "gains": np.eye(2)}
    replace(made(), how=how).save(tmp_path / "run.npz")
    back = load(tmp_path / "run.npz").how
    assert back["step"] == 0.5
    assert back["gains"] == [[1, 0], [0, 1]]
    assert "len" in back["torque"]


def test_pandas_reads_what_is_written(tmp_path):
    pandas = pytest.importorskip("pandas")
    motion = made()
    motion.save(tmp_path / "run.parquet")
    motion.save(tmp_path / "run.csv")
    for table in (
        pandas.read_parquet(tmp_path / "run.parquet"),
        pandas.read_csv(tmp_path / "run.csv", skiprows=1),
    ):
        pandas.testing.assert_frame_equal(table, motion.to_pandas())


def test_a_table_that_pandas_wrote_can_be_read(tmp_path):
    motion = made("scara")
    table = motion.to_pandas()
    table.to_csv(tmp_path / "run.csv", index=False)
    table.to_parquet(tmp_path / "run.parquet")
    for name in ("run.csv", "run.parquet"):
        alone = load(tmp_path / name)
        assert alone.units == ("rad or m",) * 4
        assert_array_equal(alone.q, motion.q)
        assert load(tmp_path / name, robot=motion.robot).units == ("rad", "rad", "m", "rad")


def test_spreadsheets_may_put_a_byte_order_mark_in_front(tmp_path):
    made().save(tmp_path / "run.csv")
    text = (tmp_path / "run.csv").read_bytes()
    (tmp_path / "bom.csv").write_bytes(b"\xef\xbb\xbf" + text)
    assert_same(load(tmp_path / "run.csv"), load(tmp_path / "bom.csv"))


# files that are not right


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.7, 0.97, 0.999])
def test_a_file_that_was_cut_is_refused(tmp_path, ending, share):
    path = tmp_path / f"run{ending}"
    made().save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(BadFile, match=f"run{ending}"):
        load(path)


@pytest.mark.parametrize("ending", ENDINGS)
@examples(40)
@given(data=st.data())
def test_whatever_is_in_a_file_the_error_is_ours(tmp_path_factory, ending, data):
    path = tmp_path_factory.mktemp("garbage") / f"run{ending}"
    if data.draw(st.booleans()):
        path.write_bytes(data.draw(st.binary(max_size=200)))
    else:
        made(rows=3).save(path)
        whole = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 5))):
            whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
        path.write_bytes(bytes(whole))
    with suppress(BadFile):  # a digit may have become another one, which nobody can see
        load(path)


def test_unknown_endings_missing_files_and_folders(tmp_path):
    with pytest.raises(BadFile, match=r"Known are \.parquet, \.csv, \.npz"):
        load(tmp_path / "run.mat")
    with pytest.raises(BadFile, match="there is no such file"):
        load(tmp_path / "run.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(BadFile, match="not a file"):
        load(tmp_path / "folder.csv")
    with pytest.raises(BadArgument, match=r"as \.parquet, \.csv or \.npz, not as 'run\.mat'"):
        made().save(tmp_path / "run.mat")


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_cannot_be_written_leaves_nothing_behind(tmp_path, ending):
    with pytest.raises(BadArgument, match=r"cannot be written.*\n.*folder that exists"):
        made().save(tmp_path / "nowhere" / f"run{ending}")
    (tmp_path / f"folder{ending}").mkdir()
    with pytest.raises(BadArgument, match="it is a directory"):
        made().save(tmp_path / f"folder{ending}")
    with pytest.raises(BadArgument, match="cannot be written"):
        made().save(f"{tmp_path}/\0{ending}")
    assert os.listdir(tmp_path) == [f"folder{ending}"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_old_file_survives_a_failed_write(tmp_path, ending, monkeypatch):
    path = tmp_path / f"run{ending}"
    made().save(path)
    before = path.read_bytes()
    monkeypatch.setattr(os, "replace", full_disk)
    with pytest.raises(CannotWrite, match="No space left on device"):
        made(rows=5).save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]


def test_names_that_no_file_can_hold_and_names_twice_are_refused(tmp_path):
    with pytest.raises(BadArgument, match="not a name that a file can hold"):
        replace(made(), joint_names=("\ud800", "b")).save(tmp_path / "run.csv")
    with pytest.raises(BadArgument, match="Two joints are named 'a'"):
        replace(made(), joint_names=("a", "a")).save(tmp_path / "run.npz")
    with pytest.raises(BadArgument, match=r"qd has shape \(3, 2\); it must have shape \(41, 2\)"):
        replace(made(), qd=np.zeros((3, 2))).save(tmp_path / "run.npz")


def lines_of(tmp_path) -> list[str]:
    made(rows=4).save(tmp_path / "run.csv")
    return (tmp_path / "run.csv").read_text().splitlines(keepends=True)


def test_a_csv_says_where_it_is_wrong(tmp_path):
    first, header, *rows = lines_of(tmp_path)
    path = tmp_path / "bad.csv"

    def told(*lines: str, joined: str = "") -> str:
        path.write_text(joined.join(lines))
        with pytest.raises(BadFile) as caught:
            load(path)
        return str(caught.value)

    cells = rows[1].split(",")
    for text in ("1_000", "abc", "１", " 1", "0x10", "1e", "+nan"):
        row = ",".join([cells[0], text, *cells[2:]])
        said = told(first, header, rows[0], row, *rows[2:])
        assert "bad.csv:4" in said
        assert "column 2 (q.j1)" in said
        assert "not a number" in said
    said = told(first, header, rows[0], ",".join(["", *cells[1:]]), *rows[2:])
    assert "column 1 (t) holds nothing" in said
    assert "bad.csv:4: this line has 2 entries" in told(first, header, rows[0], "1,2\n", *rows[2:])
    assert "4 rows, but 3 are there" in told(first, header, *rows[:3])
    assert "lacks the columns q.j2" in told(first, header.replace("q.j2", "q.j9", 1), *rows)
    assert "separated by semicolons" in told(header.replace(",", ";"), *rows)
    assert "has no rows" in told(header)
    assert "it is empty" in told("")
    assert "metadata is damaged" in told("# qddot trajectory {oops\n", header, *rows)
    assert "delete the first line" in told("# qddot trajectory [1]\n", header, *rows)
    assert "changed by a spreadsheet" in told('"# qddot trajectory {""a""}"\n', header, *rows)
    assert "format 99" in told('# qddot trajectory {"format": 99}\n', header, *rows)
    assert "the time in row 2" in told(header, rows[1], rows[0])
    twice = header.replace("q.j2", "q.j1", 1)
    assert "more than once" in told(twice.replace("j2", "j1"), *rows)
    path.write_bytes(b"\xff\xfe\x00t")
    with pytest.raises(BadFile, match="not text in UTF-8"):
        load(path)


def test_a_last_line_without_an_end_may_have_lost_digits(tmp_path):
    text = "".join(lines_of(tmp_path))
    (tmp_path / "cut.csv").write_text(text[:-1])
    with pytest.raises(BadFile, match="last line has no end"):
        load(tmp_path / "cut.csv")


def test_comments_and_blank_lines_do_not_matter(tmp_path):
    first, header, *rows = lines_of(tmp_path)
    (tmp_path / "more.csv").write_text("".join(["# mine\n", first, "\n", header, *rows, "\n"]))
    assert_same(load(tmp_path / "run.csv"), load(tmp_path / "more.csv"))


def test_pickles_are_never_read(tmp_path):
    path = tmp_path / "run.npz"
    np.savez(path, allow_pickle=True, metadata=np.array([print], dtype=object))
    with pytest.raises(BadFile, match="holds Python objects, which are never read"):
        load(path)
    np.array([print], dtype=object).dump(path)
    with pytest.raises(BadFile, match=r"not an \.npz file"):
        load(path)


def npy(shape: tuple[int, ...], content: bytes = b"") -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        stream, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    return stream.getvalue() + content


def test_an_array_that_claims_to_be_huge_is_refused(tmp_path):
    path = tmp_path / "run.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("metadata.npy", npy((10**13,)))
    with pytest.raises(BadFile, match="damaged"):
        load(path)


def test_a_file_that_unpacks_to_far_more_is_refused(tmp_path):
    path = tmp_path / "run.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.npy", npy((2**24,), bytes(8 * 2**24)))
    with pytest.raises(BadFile, match="would unpack to 128 MiB, far beyond its own size"):
        load(path)


def test_an_npz_of_something_else_is_told(tmp_path):
    path = tmp_path / "run.npz"
    np.savez(path, a=np.zeros(3))
    with pytest.raises(BadFile, match="no metadata"):
        load(path)
    made(rows=4).save(path)
    parts = dict(np.load(path))
    np.savez(path, **{k: v for k, v in parts.items() if k != "tau"})
    with pytest.raises(BadFile, match="lacks tau"):
        load(path)
    np.savez(path, **parts | {"tau": np.zeros((3, 2))})
    with pytest.raises(BadFile, match=r"tau is float64 of shape \(3, 2\)"):
        load(path)
    np.savez(path, **parts | {"tau": np.full((4, 2), "x")})
    with pytest.raises(BadFile, match="tau is <U1"):
        load(path)


def test_a_parquet_of_something_else_is_told(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "run.parquet"
    parquet.write_table(pa.table({"a": [1, 2]}), path)
    with pytest.raises(BadFile, match="lacks the columns t"):
        load(path)
    made(rows=4).save(path)
    table = parquet.read_table(path)
    parquet.write_table(table.set_column(0, "t", pa.array(["a", "b", "c", "d"])), path)
    with pytest.raises(BadFile, match="column 't' holds string, not numbers"):
        load(path)


def test_metadata_that_does_not_fit_is_refused(tmp_path):
    first, header, *rows = lines_of(tmp_path)
    good = json.loads(first.removeprefix("# qddot trajectory "))
    path = tmp_path / "bad.csv"
    for change in (
        {"joints": "j1"},
        {"joints": ["j1", 2]},
        {"units": ["rad"]},
        {"units": ["rad", "kg"]},
        {"events": [[0.0, "a"]]},
        {"events": [["x", "a", "b", "c"]]},
        {"states": -1},
        {"rows": 1.5},
        {"finished": "yes"},
        {"how": []},
        {"status": None},
    ):
        line = json.dumps(good | change)
        path.write_text("".join([f"# qddot trajectory {line}\n", header, *rows]))
        with pytest.raises(BadFile, match="metadata is damaged"):
            load(path)
    deep = "[" * 100_000
    path.write_text("".join([f"# qddot trajectory {deep}\n", header, *rows]))
    with pytest.raises(BadFile, match="metadata is damaged"):
        load(path)
