"""Robots among processes: methods that travel, and forks while something is being compiled."""

import os
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from llvmlite.binding import TargetMachine

import qddot
from qddot.backends import llvm

ARM = qddot.load("two_link")


def test_every_method_of_a_robot_can_be_pickled():
    robot = ARM.with_options(threads=1)
    names = [name for name in dir(robot) if not name.startswith("_")]
    methods = [name for name in names if callable(getattr(robot, name))]
    assert {"mass_matrix", "inverse_dynamics", "jacobian", "with_payload"} <= set(methods)
    for name in methods:
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(getattr(robot, name), protocol))
            assert again.__name__ == name
    again = pickle.loads(pickle.dumps(robot.mass_matrix))
    np.testing.assert_array_equal(again(np.array([0.1, 0.2])), robot.mass_matrix([0.1, 0.2]))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_pool_of_processes_maps_a_method(method):
    if method not in __import__("multiprocessing").get_all_start_methods():
        pytest.skip(f"There is no {method} on this system.")
    q = np.random.default_rng(0).normal(size=(4, 2))
    with ProcessPoolExecutor(1, mp_context=get_context(method)) as pool:
        found = list(pool.map(ARM.mass_matrix, q))
    np.testing.assert_array_equal(found, ARM.mass_matrix(q))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="There is no fork on this system.")
def test_a_fork_waits_until_nothing_is_being_compiled(monkeypatch, tmp_path):
    """Else the child finds a lock that nobody in it lets go of, and hangs when it compiles."""
    monkeypatch.setenv("QDDOT_CACHE_DIR", str(tmp_path))
    text = "define i64 @answer() {\n  ret i64 %d\n}\n"
    inside, go, trying, forked = (threading.Event() for _ in range(4))
    emit = TargetMachine.emit_object

    def slowly(machine, module):
        inside.set()
        assert go.wait()
        return emit(machine, module)

    monkeypatch.setattr(TargetMachine, "emit_object", slowly)
    compiling = threading.Thread(target=llvm.compile_module, args=(text % 1,))
    compiling.start()
    assert inside.wait()
    child = 0

    def fork():
        nonlocal child
        child = os.fork()
        if child == 0:
            go.set()
            llvm.compile_module(text % 2)
            os._exit(7)
        forked.set()

    forking = threading.Thread(target=fork)
    os.register_at_fork(before=trying.set)  # the last one registered is the first one called
    forking.start()
    trying.wait()
    forked.wait(0.2)  # it may have happened too early by then
    go.set()
    compiling.join()
    forking.join()
    try:
        _, status = os.waitpid(child, 0)
    except BaseException:  # the limit of the test: the child hangs
        os.kill(child, 9)
        raise
    assert os.waitstatus_to_exitcode(status) == 7


@pytest.mark.parametrize("call", [
    lambda q: ARM.mass_matrix(q),
    lambda q: ARM.inverse_dynamics(q, q, np.zeros(2)),
    lambda q: ARM.pose(q, "tool"),
    lambda q: ARM.jacobian(q, "tool"),
    lambda q: qddot.rollout(ARM, q, steps=2, step=0.01),
    lambda q: qddot.simulate(ARM, q, duration=0.1),
])  # fmt: skip
def test_masked_entries_are_refused(call):
    q = np.ma.masked_array([0.1, 0.2], mask=[False, True])
    with pytest.raises(qddot.QddotError, match="has masked entries"):
        call(q)
    call(np.ma.masked_array([0.1, 0.2]))
