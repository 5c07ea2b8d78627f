"""A Dask cluster computes the same bytes, and may go away."""

import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from hanging import wait_until

import qddot
from qddot import progress
from qddot.errors import CrewLost
from qddot.sweeps.running import sweep

distributed = pytest.importorskip("distributed", reason="Dask is not installed")

QUIET = {"dashboard_address": None, "silence_logs": 50}


@pytest.fixture(scope="module")
def cluster():
    """A scheduler and a worker with two threads, in this very process."""
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, **QUIET
    ) as made:
        yield made


def test_a_cluster_computes_the_same_bytes(swings, tmp_path, cluster, contents, capsys):
    with distributed.Client(cluster, set_as_default=False) as client:
        assert sweep(swings, tmp_path / "client", client=client).complete
        progress.inform("heard again")  # its workers are threads of this process, and kept quiet
        assert "heard again" in capsys.readouterr().err
        assert client.status == "running"  # it is the user's
    assert sweep(swings, tmp_path / "address", client=cluster.scheduler_address).complete
    assert sweep(swings, tmp_path / "processes", workers=2).complete
    assert sweep(swings, tmp_path / "alone", workers=0).complete
    alone = contents(tmp_path / "alone")
    for other in ("client", "address", "processes"):
        assert contents(tmp_path / other) == alone


def test_a_sweep_begun_here_goes_on_there(swings, tmp_path, cluster, goes_on):
    sweep(swings, tmp_path / "begun", workers=0)
    for part in list((tmp_path / "begun" / "parts").iterdir())[::2]:
        part.unlink()
    assert sweep(swings, tmp_path / "begun", client=cluster.scheduler_address).complete
    goes_on(swings, tmp_path / "begun")


def test_a_unit_that_raises_on_a_cluster_is_told(swings, tmp_path, cluster, monkeypatch):
    from qddot.sweeps.unit import Units

    whole = Units.part

    def part(self, unit):
        if unit == 4:
            raise ZeroDivisionError("no")
        return whole(self, unit)

    with monkeypatch.context() as patched:  # the worker is in this process
        patched.setattr(Units, "part", part)
        found = sweep(swings, tmp_path, client=cluster.scheduler_address)
    assert found.failed == {4: "ZeroDivisionError: no"}
    assert found.done == 9
    assert sweep(swings, tmp_path, workers=0).complete


def test_a_scheduler_that_does_not_answer_is_told(swings, tmp_path, monkeypatch):
    monkeypatch.setattr("qddot.sweeps.running.CONNECT", 0.5)
    with pytest.raises(qddot.QddotError, match="No Dask scheduler answers at 'tcp://127"):
        sweep(swings, tmp_path, client="tcp://127.0.0.1:9")


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (lambda: "0.0", r"Workers of the cluster have qddot 0\.0\n  Install qddot "),
        (lambda: {}["qddot"], "Workers of the cluster cannot use qddot: KeyError: 'qddot'"),
    ],
    ids=["another version", "none"],
)
def test_workers_without_this_qddot_are_refused(
    found, words, swings, tmp_path, cluster, monkeypatch
):
    monkeypatch.setattr("qddot.sweeps.running._version", found)
    with pytest.raises(qddot.QddotError, match=words):
        sweep(swings, tmp_path, client=cluster.scheduler_address)


class Threads(ThreadPoolExecutor):
    """Two threads, which begin when as many units are out as there may be."""

    def __init__(self, at_once):
        super().__init__(2)
        self.at_once, self.out, self.most = at_once, [], 0
        self.begun = threading.Event()

    def submit(self, part, unit):
        self.out.append(super().submit(lambda: self.begun.wait() and part(unit)))
        self.most = max(self.most, sum(not future.done() for future in self.out))
        if len(self.out) == self.at_once:
            self.begun.set()
        return self.out[-1]


def client_with(executor, status="running", threads=2):
    """Return what is asked of a client, with an executor in place of a cluster's."""
    return SimpleNamespace(
        get_executor=lambda pure: executor,
        nthreads=lambda: {"a worker": threads},
        run=lambda function: {"a worker": function()},
        status=status,
    )


def test_no_more_units_are_out_than_four_a_thread(swings, tmp_path):
    """So memory is bounded on both sides."""
    executor = Threads(at_once=8)
    assert sweep({**swings, "unit": 5}, tmp_path, client=client_with(executor)).complete
    assert len(executor.out) == 20
    assert executor.most == 8


class GivesBack(Executor):
    """An executor that takes the first unit back."""

    first = True

    def submit(self, part, unit):
        future = Future()
        if self.first:
            future.cancel()
            future.set_running_or_notify_cancel()
        else:
            future.set_result(part(unit))
        self.first = False
        return future


def test_a_unit_that_is_given_back_is_computed_again(swings, tmp_path, goes_on):
    assert sweep(swings, tmp_path / "runs", client=client_with(GivesBack())).complete
    goes_on(swings, tmp_path / "runs")


def test_a_scheduler_that_goes_away_is_told_and_finished_units_are_kept(swings, tmp_path):
    with pytest.raises(CrewLost, match=r"gone \(.* lost\)\.\n  All finished units are"):
        sweep(swings, tmp_path, client=client_with(GivesBack(), status="closed"))

    class Breaks(GivesBack):
        def submit(self, part, unit):
            if unit == 4:
                raise OSError("no way")
            self.first = False
            return super().submit(part, unit)

    with pytest.raises(CrewLost, match=r"scheduler is gone \(OSError: no way\)"):
        sweep(swings, tmp_path, client=client_with(Breaks(), threads=1))
    assert sweep(swings, tmp_path, workers=0).complete


def test_a_cluster_without_workers_is_told(swings, tmp_path, capsys):
    class Waits(GivesBack):
        def submit(self, part, unit):
            if not self.first:
                client.nthreads = lambda: {"a worker": 1}
            return super().submit(part, unit)

    client = client_with(Waits(), threads=0)
    assert sweep(swings, tmp_path, client=client).complete
    assert capsys.readouterr().err.count("the cluster has no workers; waiting for some") == 1


PLAN = """
robot = "pendulum"
q0 = [0.0]
duration = 2.0
draws = 4000
unit = 20
vary.q0.uniform = [-1, 1]
"""


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
def test_a_worker_and_then_the_scheduler_are_killed(tmp_path, command, goes_on):
    """A killed worker is replaced by its nanny; a killed scheduler ends the sweep with words."""
    plan, file, folder = (tmp_path / name for name in ("plan.toml", "scheduler.json", "sweep"))
    plan.write_text(PLAN)

    def parts():
        return len(list(folder.glob("parts/part-*")))

    with dask(tmp_path, file) as (scheduler, address):
        run = command(plan, "-o", folder, "--client", address)
        wait_until(lambda: parts() >= 3 or run.poll() is not None)
        with distributed.Client(address, set_as_default=False) as client:
            (worker,) = client.run(os.getpid).values()
        os.kill(worker, signal.SIGKILL)
        before = parts()
        wait_until(lambda: parts() >= before + 3 or run.poll() is not None)
        assert run.poll() is None
        scheduler.kill()
        _, err = run.communicate()
    assert run.returncode == 1
    assert "qddot: The Dask scheduler is gone" in err
    assert "Start a scheduler, then give the same command again: it goes on." in err
    assert len(err.splitlines()) <= 6
    assert 6 <= parts() < 200
    goes_on(plan, folder)


@contextmanager
def dask(folder, file):
    """Start a scheduler and a worker as people do; give the scheduler and its address."""
    log = open(folder / "dask.log", "w")  # noqa: SIM115  # closed below
    started = []

    def start(name, *words):
        module = f"distributed.cli.dask_{name}"
        words = [sys.executable, "-m", module, "--scheduler-file", file, *words, "--no-dashboard"]
        started.append(subprocess.Popen(list(map(str, words)), stdout=log, stderr=log))

    try:
        start("scheduler", "--host", "127.0.0.1", "--port", "0")
        wait_until(lambda: file.exists() and file.stat().st_size)
        start("worker", "--nthreads", "1", "--local-directory", folder)
        yield started[0], json.loads(file.read_text())["address"]
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            try:
                process.wait(timeout=600)
            except subprocess.TimeoutExpired:
                process.kill()
        log.close()
