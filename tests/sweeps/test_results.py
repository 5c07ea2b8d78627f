"""What a sweep leaves: a table that is read as far as it is asked for, summaries, figures."""

import os
import tracemalloc
from unittest.mock import patch

import numpy as np
import pyarrow.dataset
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nearness import ROUND_OFF
from strategies import seeds

import qddot
from qddot.present.terminal.results import sweep_lines
from qddot.sweeps import summary
from qddot.sweeps.running import sweep

MEGABYTE = 1 << 20
SPREAD = 1e-9  # of a spread of 1 about a mean of a million, whose squares have lost twelve digits
PLACES = {"p05": 0.0, "median": 0.0, "p95": 0.0}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """A sweep of two controllers, with a grid and draws."""
    plan = {
        "robot": "two_link",
        "title": "loads",
        "duration": 0.2,
        "q0": [0.1, 0.2],
        "draws": 25,
        "unit": 20,
        "control": [
            {"law": law, "reference": {"kind": "setpoint", "target": [0.4, 0.3]}}
            for law in ("pd", "computed_torque")
        ],
        "vary": {
            "payload.tool": {"linspace": [0, 4, 3]},
            "q0": {"normal": [0, 0.1], "as": "offset"},
        },
        "keep": ["final", "energy", "error", "torque", "limits", "motion"],
    }
    return sweep(plan, tmp_path_factory.mktemp("sweep") / "runs", workers=0)


def test_a_sweep_says_what_it_is(found):
    assert (found.runs, found.units, found.done, found.progress) == (150, 8, 8, 1.0)
    assert found.complete
    assert not found.failed
    assert found.robot.model == qddot.load("two_link").model
    assert found.varied == ("control", "payload.tool", "q0.j1", "q0.j2")
    assert found.unit_of("torque.peak.j1") == "N·m"
    assert repr(found).startswith("<Sweep of 'two_link': 150 runs, complete, in ")
    assert found.grid == ("payload.tool",)
    again = qddot.load_sweep(found.folder)
    runs = again.column("run")
    assert runs.tolist() == list(range(150))


def test_only_what_is_asked_for_is_read(found):
    table = found.table(["run", "error.rms"], filter=[("payload.tool", ">", 3), ("run", "<", 60)])
    assert table.column_names == ["run", "error.rms"]
    assert table["run"].to_pylist() == list(range(50, 60))
    field = pyarrow.dataset.field
    same = found.table(["run"], filter=(field("payload.tool") > 3) & (field("run") < 60))
    assert same["run"].equals(table["run"])
    assert found.column("run", ("control", "==", "pd")).max() == 74


def test_reading_is_lazy(found, tmp_path):
    """Parts that a filter rules out by their statistics are not opened again for their data."""
    copy = tmp_path / "copy"
    sweep_files = {p.relative_to(found.folder): p.read_bytes() for p in found.folder.rglob("*.*")}
    for name, data in sweep_files.items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes(data)
    path = copy / "parts" / "part-00000007.parquet"
    damaged = bytearray(path.read_bytes())
    damaged[40:80] = bytes(40)  # of the pages of the first columns; its end is whole
    path.write_bytes(damaged)
    lazy = qddot.load_sweep(copy)
    assert lazy.table(["run"], filter=[("run", "<", 20)]).num_rows == 20
    assert lazy.table(["torque.rms.j2"]).num_rows == 150  # of other columns
    with pytest.raises(qddot.QddotError, match=r"part-\d{8}\.parquet of .* cannot be read"):
        lazy.table(["run"])


def test_batches_come_in_the_order_of_the_runs(found):
    runs = np.concatenate([batch["run"].to_numpy() for batch in found.batches(["run"])])
    assert runs.tolist() == list(range(150))


def test_motions_begin_where_runs_begin_and_end_where_they_end(found):
    t, q, qd = found.motion(33)
    assert (t[0], t[-1]) == (0.0, 0.2)
    assert q.shape == qd.shape == (len(t), 2)
    one = found.table(filter=[("run", "==", 33)]).to_pydict()
    assert q[0].tolist() == [one["q0.j1"][0], one["q0.j2"][0]]
    assert q[-1].tolist() == [one["final.q.j1"][0], one["final.q.j2"][0]]
    assert qd[-1, 1] == one["final.qd.j2"][0]


def test_a_summary_has_the_figures_of_numpy(found):
    x = found.column("torque.peak.j1")
    spread = found.summary(["torque.peak.j1"])["torque.peak.j1"]
    expected = [x.mean(), x.std(), x.min(), x.max(), *np.quantile(x, [0.05, 0.5, 0.95])]
    names = ("mean", "std", "min", "max", "p05", "median", "p95")
    assert [getattr(spread, name) for name in names] == pytest.approx(expected, rel=ROUND_OFF)
    assert (spread.count, spread.missing) == (150, 0)


def test_a_summary_by_groups_has_the_figures_of_each(found):
    table = found.table(["control", "payload.tool", "error.rms"]).to_pydict()
    error, control = np.array(table["error.rms"]), np.array(table["control"])
    by_law = found.summary(["error.rms"], by="control")
    assert list(by_law.groups) == ["computed_torque", "pd"]
    for law in by_law.groups:
        assert by_law[law]["error.rms"].mean == pytest.approx(error[control == law].mean())
    by_load = found.summary(["error.rms"], by="payload.tool", filter=("control", "==", "pd"))
    assert list(by_load.groups) == [0.0, 2.0, 4.0]
    own = error[(control == "pd") & (np.array(table["payload.tool"]) == 2)]
    assert by_load[2.0]["error.rms"].std == pytest.approx(own.std(), rel=ROUND_OFF)
    assert by_load[2.0]["error.rms"].count == 25
    assert "payload.tool" in str(by_load).splitlines()[0]
    assert set(by_load.to_dict()) == {"0.0", "2.0", "4.0"}


@given(seed=seeds, far=st.sampled_from([0.0, 1e6]), pieces=st.integers(1, 6))
def test_pieces_have_the_figures_of_the_whole(seed, far, pieces):
    """Also far from zero, where a sum of squares less the square of a sum has no digits left."""
    rng = np.random.default_rng(seed)
    values = far + rng.normal(size=40)
    values[rng.integers(40, size=3)] = [np.nan, np.inf, -np.inf]
    found = summary.StreamedMoments()
    for piece in np.split(values, np.sort(rng.integers(0, 41, pieces - 1))):
        found.add(piece)
    spread, good = found.spread(PLACES), values[np.isfinite(values)]
    assert (spread.count, spread.missing) == (len(good), 40 - len(good))
    assert (spread.min, spread.max) == (good.min(), good.max())
    assert spread.mean == pytest.approx(good.mean(), rel=ROUND_OFF, abs=ROUND_OFF)
    assert spread.std == pytest.approx(good.std(), rel=SPREAD)


def test_without_a_finite_value_nothing_is_known():
    found = summary.StreamedMoments()
    found.add(np.array([np.nan, np.inf]))
    found.add(np.array([]))
    spread = found.spread(PLACES)
    assert (spread.count, spread.missing) == (0, 2)
    assert np.isnan([spread.mean, spread.std, spread.min, spread.max]).all()


def test_quantiles_of_very_many_runs_are_those_of_every_so_many(found):
    x = found.column("error.rms")
    with patch.object(summary, "MOST_VALUES", 40):
        spread = found.summary(["error.rms"])["error.rms"]
    assert spread.mean == pytest.approx(x.mean(), rel=ROUND_OFF)
    assert spread.median == pytest.approx(np.median(x[::4]), rel=ROUND_OFF)


def test_what_is_not_finite_is_counted_and_nothing_else(tmp_path):
    plan = {"robot": "pendulum", "duration": 0.1, "q0": [0.3], "vary": {"q0": {"grid": [0.1, 0.2]}}}
    control = {"law": "pd", "gains": {"kp": 1, "kd": 1}}
    never = sweep(plan | {"control": control}, tmp_path, workers=0)
    spread = never.summary(["error.settled"])["error.settled"]
    assert (spread.count, spread.missing) == (0, 2)
    assert np.isnan(spread.mean)
    lines = sweep_lines(never, 1.0)
    assert "error.settled: never settled in 2 of 2 runs" in lines
    assert not any("nan" in line for line in lines)


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (lambda s: s.table(["eror.rms"]), "no column 'eror.rms'. Did you mean 'error.rms'?"),
        (lambda s: s.table("run"), "give a list of names"),
        (lambda s: s.table(filter=[("payload.tol", ">", 1)]), "Did you mean 'payload.tool'?"),
        (lambda s: s.table(filter="run > 3"), "give comparisons like"),
        (lambda s: s.summary(by="contrl"), "Did you mean 'control'?"),
        (lambda s: s.summary(["control"]), "control holds no numbers"),
        (lambda s: s.plot("control"), "control holds no numbers that could be drawn"),
        (lambda s: s.plot("error.rms", by="q0.j1"), "at most 14 can be told apart"),
        (lambda s: s.plot("error.rms", filter=("run", "<", 0)), "there is nothing to draw"),
        (lambda s: s.motion(1000), "There is no run 1000"),
        (lambda s: qddot.load_sweep(s.folder / "parts"), "holds no sweep"),
    ],
)
def test_mistakes_are_told_with_the_nearest_right_one(found, use, words):
    with pytest.raises(qddot.QddotError) as caught:
        use(found)
    assert words in str(caught.value)


def test_figures_are_drawn_of_spreads_axes_and_clouds(found, tmp_path):
    pictures = {
        "spread": found.plot("error.rms", by="control"),
        "axis": found.plot("error.rms", "payload.tool", by="control"),
        "cloud": found.plot("error.rms", "q0.j1", path=tmp_path / "cloud.svg"),
    }
    axes = {name: drawn.axes[0] for name, drawn in pictures.items()}
    assert axes["spread"].get_xlabel() == "error.rms [rad]"
    assert axes["spread"].get_ylabel() == "share of runs [%]"
    lines = axes["axis"].get_lines()
    assert [line.get_xdata().tolist() for line in lines] == [[0, 2, 4]] * 2
    x = found.column("error.rms", [("control", "==", "pd"), ("payload.tool", "==", 2.0)])
    assert lines[1].get_ydata()[1] == pytest.approx(np.median(x))
    assert len(axes["cloud"].collections[0].get_offsets()) == 150
    assert "<svg" in (tmp_path / "cloud.svg").read_text()


def test_a_notebook_shows_it_and_names_are_never_markup(found, tmp_path):
    html = found._repr_html_()
    assert "150 runs" in html
    assert "error.rms" in html
    plan = {
        "robot": "pendulum",
        "duration": 0.1,
        "control": [{"name": name, "law": "pd"} for name in ("<b>bold</b>", "$x$")],
        "vary": {"q0": {"grid": [0.1, 0.2]}},
    }
    hostile = sweep(plan, tmp_path, workers=0)
    assert set(hostile.column("control")) == {"<b>bold</b>", "$x$"}
    shown = hostile.summary(["error.rms"], by="control")._repr_html_()
    assert "<b>bold</b>" not in shown
    drawn = hostile.plot("error.rms", by="control")
    assert [text.get_text() for text in drawn.legends[0].get_texts()] == ["$x$", "<b>bold</b>"]


def test_parts_hold_no_time_and_no_place(found):
    """What would make two computations of one unit differ."""
    path = found.parts[0]
    about = pyarrow.parquet.read_metadata(path).metadata
    assert set(about) == {b"qddot.sweep", b"qddot.unit", b"ARROW:schema"}
    text = path.read_bytes()
    assert str(found.folder).encode() not in text
    assert os.uname().nodename.encode() not in text


def test_memory_is_bounded_by_the_parts_in_flight(tmp_path):
    """Ten times the units take no more memory, of Python's and of Arrow's, counted in bytes."""
    plan = dict(robot="pendulum", q0=[0.0], duration=1.0, step=0.01, unit=500, keep=["motion"])
    plan |= dict(motion_every=0.02, vary={"q0": {"uniform": [-1, 1]}})
    sweep(plan | {"draws": 500}, tmp_path / "first", workers=0)  # what is made once is made
    peaks = []
    for units in (2, 20):
        tracemalloc.start()
        found = sweep(plan | {"draws": 500 * units}, tmp_path / str(units), workers=0)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert pyarrow.total_allocated_bytes() < found.parts[0].stat().st_size
    part = found.parts[0].stat().st_size
    assert 18 * part > 5 * MEGABYTE
    assert peaks[1] - peaks[0] < 2 * part
