"""CUDA kernels: their arithmetic checked on the CPU, as C++; on a GPU where there is one."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from functools import partial

import numpy as np
import pytest
from long import long, one_in
from made import PANDA, STILL, UR5
from nearness import DIVIDED
from translated import ROBOTS, assert_same, assert_same_signs

import qddot
from qddot.backends import cuda, cuda_prelude
from qddot.backends.cuda_prelude import Real
from qddot.backends.cuda_source import iteration_kernel, kernel, source
from qddot.backends.device_arrays import cupy_or_error, kind_of
from qddot.errors import QddotError
from qddot.program.blocks import record_block
from qddot.program.operations import OPERATIONS
from qddot.program.program import Port, Program, Step
from qddot.simulation.acting import Forces, law_of
from qddot.simulation.equation import System
from qddot.simulation.steps import METHODS, iteration

QUANTITIES = (
    *("inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix"),
    *("inverse_dynamics_derivatives", "regressor", "friction_torque", "kinetic_energy"),
)
# relative to the largest entry; a division by a badly conditioned M costs a few digits
CLOSE = {"float64": DIVIDED, "float32": 2e-3}

try:
    cupy_or_error()
    WHY = ""
except QddotError:
    WHY = "there is no GPU; on a machine that has one, pip install 'qddot[cuda]'"
on_gpu = pytest.mark.skipif(bool(WHY), reason=WHY)
with_gcc = pytest.mark.skipif(not shutil.which("g++"), reason="g++ is not installed")
with_nvcc = pytest.mark.skipif(not shutil.which("nvcc"), reason="nvcc is not installed")


def compiled_here(text, folder):
    """Return CUDA source compiled as C++: one state after the other."""
    (folder / "kernels.cpp").write_text(text)
    flags = ["-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    command = ["g++", *flags, "-o", str(folder / "kernels.so"), str(folder / "kernels.cpp")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:3000]
    return ctypes.CDLL(str(folder / "kernels.so"))


def run_here(function, program, arrays, count, dtype):
    """Return what a kernel compiled as C++ gives."""
    outputs = [np.full((count, *port.shape), np.nan, dtype) for port in program.outputs]
    arguments = []
    for port, x in zip(program.inputs, arrays, strict=True):
        if port.size:
            step = port.size if x.ndim > len(port.shape) else 0
            arguments += [ctypes.c_void_p(x.ctypes.data), ctypes.c_longlong(step)]
    arguments += [ctypes.c_void_p(x.ctypes.data) for x in outputs if x.size]
    function(*arguments, ctypes.c_longlong(count))
    return outputs


def inputs_of(program, count, dtype, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(count, *port.shape)).astype(dtype) for port in program.inputs]


def assert_close(found, wanted, dtype):
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    for a, b in zip(found, wanted, strict=True):
        assert_same(a, b, CLOSE[dtype])


@with_gcc
@pytest.mark.parametrize("dtype", CLOSE)
@pytest.mark.parametrize("name", ROBOTS)
def test_the_arithmetic_of_a_kernel_is_that_of_its_program(name, dtype, tmp_path):
    robot, real = qddot.load(name), Real(dtype == "float32")
    programs = {quantity: robot.program(quantity) for quantity in QUANTITIES}
    library = compiled_here(
        source([kernel(program, quantity, real) for quantity, program in programs.items()], real),
        tmp_path,
    )
    for quantity, program in programs.items():
        arrays = inputs_of(program, 37, dtype)
        found = run_here(library[quantity], program, arrays, 37, dtype)
        assert_close(found, program(*(x.astype(float) for x in arrays)), dtype)


@with_gcc
def test_every_operation_means_what_it_does_in_numpy(tmp_path):
    values = np.array([-np.inf, -2.5, -1.0, -1e-300, -0.0, 0.0, 0.7, 1.0, 3.0, 1e5, np.inf, np.nan])
    grid = np.array(np.meshgrid(values, values, values)).reshape(3, -1).T.copy()
    programs = {
        op: Program(
            "one",
            (Port("x", (3,)),),
            (),
            (Step(op, tuple(range(op.arity))),),
            (Port("y", ()),),
            (3,),
        )
        for op in OPERATIONS.values()
    }
    kernels = [kernel(program, f"one{k}", Real()) for k, program in enumerate(programs.values())]
    library = compiled_here(source(kernels, Real()), tmp_path)
    for k, (op, program) in enumerate(programs.items()):
        (found,) = run_here(library[f"one{k}"], program, [grid], len(grid), "float64")
        with np.errstate(all="ignore"):
            wanted = op.apply(*(grid[:, i] for i in range(op.arity)))
        assert np.allclose(found, wanted, rtol=1e-15, atol=1e-300, equal_nan=True), op.name
        assert_same_signs(op.name, found, wanted)


@with_gcc
@pytest.mark.parametrize("dtype", CLOSE)
def test_a_long_program_calls_its_blocks(dtype, tmp_path, monkeypatch):
    monkeypatch.setattr(cuda_prelude, "LONG", 5)
    real = Real(dtype == "float32")
    step = record_block(lambda x: np.sin(x) * x[::-1] + 0.5, "step", x=(3,))
    twice = record_block(lambda x: step(step(x)) - x, "twice", x=(3,))  # a block that calls one
    programs = {
        "four": qddot.record(lambda x: twice(twice(x)), x=(3,)),
        "one": qddot.record(lambda x, y: step(x) * y[0], x=(3,), y=(2,)),
    }
    kernels = [kernel(program, name, real) for name, program in programs.items()]
    text = source(kernels, real)
    library = compiled_here(text, tmp_path)
    for (name, program), whole in zip(programs.items(), kernels, strict=True):
        assert whole.functions
        assert all(function in text for function in whole.functions)
        arrays = inputs_of(program, 5, dtype)
        found = run_here(library[name], program, arrays, 5, dtype)
        assert_close(found, program(*(x.astype(float) for x in arrays)), dtype)


@with_gcc
def test_one_row_may_serve_all_states(tmp_path):
    program = PANDA.program("inverse_dynamics")
    library = compiled_here(source([kernel(program, "run", Real())], Real()), tmp_path)
    q, qd, qdd = inputs_of(program, 5, "float64")
    found = run_here(library["run"], program, [q, qd[0].copy(), qdd], 5, "float64")
    assert_close(found, program(q, np.broadcast_to(qd[0], (5, 7)), qdd), "float64")


@with_gcc
@pytest.mark.parametrize("method", one_in(3, METHODS))
def test_a_rollout_in_one_kernel_is_the_rollout(method, tmp_path):
    robot, count, rows, every, h = UR5, 9, 4, 5, 1e-3
    gain = qddot.record(lambda q, qd, k: -k * q - 2 * qd, q=(6,), qd=(6,), k=(6,))
    law = law_of(gain, robot.n)
    system = System(robot.model, Forces(law, True, smoothing=0.01), (f"{robot.joint_names[-1]}.m",))
    loop = iteration(system, method, short=True)
    library = compiled_here(source([iteration_kernel(loop, "run", Real())], Real()), tmp_path)
    rng = np.random.default_rng(3)
    q0, qd0 = rng.normal(size=(2, count, 6))
    torques, k, masses = rng.normal(size=(count, 20, 6)), rng.uniform(5, 9, 6), np.full(count, 0.3)
    wanted = qddot.rollout(
        *(robot, q0, qd0),
        steps=rows * every,
        step=h,
        every=every * h,
        method=method,
        torque=gain,
        torques=torques,
        inputs={"k": k},
        parameters={f"{robot.joint_names[-1]}.m": masses},
    )
    constants = np.column_stack([masses, np.tile(k, (count, 1))])
    state = np.ascontiguousarray(loop.start(q0, qd0, np.zeros((count, 0)), constants))
    kept = [np.full((count, rows, 6), np.nan) for _ in range(2)]
    address, long = (lambda x: ctypes.c_void_p(x.ctypes.data)), ctypes.c_longlong
    library["run"](
        *(address(state), address(constants), long(7)),
        *(address(torques), long(20 * 6), long(6)),
        *(address(x) for x in kept),
        *(long(rows), long(every), long(0), ctypes.c_double(h), long(count)),
    )
    assert_close(kept, (wanted.q[:, 1:], wanted.qd[:, 1:]), "float64")


def test_no_name_from_a_file_stands_in_the_source():
    hostile = 'q"); system("rm'
    program = qddot.record(lambda x: 2 * x, x=(2,))
    renamed = Program(hostile, *(getattr(program, f) for f in FIELDS))
    assert "system" not in cuda.CudaKernel(renamed, np.dtype("float64")).source


FIELDS = ("inputs", "constants", "steps", "outputs", "results")


@with_gcc
def test_numbers_beyond_single_precision_are_infinite(tmp_path):
    program = qddot.record(lambda x: np.minimum(np.maximum(x, -1e300), 1e300), x=(2,))
    text = source([kernel(program, "run", Real(True))], Real(True))
    assert "-(real)INFINITY" in text
    given = np.array([[1, -3e38]], "float32")
    (found,) = run_here(compiled_here(text, tmp_path)["run"], program, [given], 1, "float32")
    assert np.array_equal(found, given)


@pytest.mark.parametrize("name", ["ur5", *long("panda_hand", "baxter")])
def test_a_block_takes_no_more_memory_than_gpus_have(name):
    robot = qddot.load(name)
    for quantity in (*QUANTITIES, "forward_dynamics_derivatives"):
        assert kernel(robot.program(quantity), "run", Real()).shared(Real()) <= 64 << 10


def test_arrays_of_the_cpu_are_refused_with_the_remedy():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    here = jax.device_put(np.zeros(3), jax.devices("cpu")[0])
    with pytest.raises(QddotError, match=r"qddot.to_jax\(robot\)"):
        kind_of([here])
    with pytest.raises(QddotError, match=r"qddot.to_jax\(robot\)"):
        jax.jit(lambda x: kind_of([x]))(here)


@with_nvcc
@pytest.mark.parametrize(
    ("name", "architecture", "dtype"),
    [
        ("rp", "sm_90", "float64"),
        *long(("panda", "sm_80", "float32"), ("panda", "sm_90", "float64")),
    ],
)
def test_nvcc_takes_the_source_without_a_word(name, architecture, dtype, tmp_path):
    robot, real = qddot.load(name), Real(dtype == "float32")
    kernels = [kernel(robot.program(quantity), quantity, real) for quantity in QUANTITIES]
    kernels.append(
        iteration_kernel(
            iteration(System(robot.model, Forces(smoothing=0.01)), "rk4"), "roll", real
        )
    )
    (tmp_path / "k.cu").write_text(source(kernels, real))
    command = ["nvcc", f"-arch={architecture}", "-cubin", "-o", tmp_path / "k", tmp_path / "k.cu"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:3000]
    lines = [line for line in done.stderr.splitlines() if "never referenced" not in line]
    assert not [line for line in lines if "error" in line or ": warning" in line], done.stderr[
        :3000
    ]


def test_without_a_gpu_the_remedy_is_named():
    if not WHY:
        pytest.skip("there is a GPU here")
    with pytest.raises(QddotError) as error:
        qddot.to_cuda(PANDA).gravity_torque(np.zeros(7))
    assert "pip install 'qddot[cuda]'" in str(error.value) or "no NVIDIA GPU" in str(error.value)


def test_a_robot_with_symbols_is_refused():
    with pytest.raises(QddotError, match="symbols without a value"):
        qddot.to_cuda(qddot.load("two_link_symbolic"))


@on_gpu
@pytest.mark.parametrize("dtype", CLOSE)
@pytest.mark.parametrize("name", ROBOTS)
def test_a_gpu_gives_what_the_program_gives(name, dtype):
    import cupy as cp

    robot = qddot.load(name).with_options(dtype=dtype)
    for quantity in QUANTITIES:
        for count in (1, 31, 64, 1000):
            run = qddot.to_cuda(robot).lowered(quantity)
            arrays = inputs_of(run.program, count, dtype, count)
            found = run.on_device(cp, [cp.asarray(x) for x in arrays])
            wanted = run.program(*(x.astype(float) for x in arrays))
            assert_close([x.get() for x in found], wanted, dtype)


@on_gpu
def test_arrays_of_other_packages_come_and_go_without_a_copy():
    import cupy as cp

    robot = PANDA
    gpu, program = qddot.to_cuda(robot), robot.program("inverse_dynamics")
    arrays = inputs_of(program, 100, "float64")
    wanted = program(*arrays)
    assert isinstance(gpu.inverse_dynamics(*arrays), np.ndarray)
    assert_close([gpu.inverse_dynamics(*arrays)], wanted, "float64")
    given = [cp.asarray(x) for x in arrays]
    assert_close([gpu.inverse_dynamics(*given).get()], wanted, "float64")
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    found = gpu.inverse_dynamics(*(torch.from_dlpack(x) for x in given))
    assert isinstance(found, torch.Tensor)
    assert found.is_cuda
    assert_close([found.cpu().numpy()], wanted, "float64")
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    jax.config.update("jax_enable_x64", True)
    found = gpu.inverse_dynamics(*(jax.dlpack.from_dlpack(x) for x in given))
    assert isinstance(found, jax.Array)
    assert_close([np.asarray(found)], wanted, "float64")
    with pytest.raises(QddotError, match="together"):
        gpu.inverse_dynamics(given[0], torch.from_dlpack(given[1]), given[2])
    with pytest.raises(QddotError, match=r"must have shape \(..., 7\)"):
        gpu.inverse_dynamics(given[0][:, :6], given[1], given[2])


@on_gpu
def test_arrays_of_the_host_are_carried_in_pieces_that_fit(monkeypatch):
    monkeypatch.setattr(cuda, "SHARE", 1e-9)  # next to nothing
    robot = UR5
    program = robot.program("mass_matrix")
    (q,) = inputs_of(program, 5000, "float64")
    assert_close([qddot.to_cuda(robot).mass_matrix(q)], program(q), "float64")
    assert qddot.to_cuda(robot).mass_matrix(q[:0]).shape == (0, 6, 6)
    assert qddot.to_cuda(robot).mass_matrix(q[0]).shape == (6, 6)


@on_gpu
@pytest.mark.parametrize("method", METHODS)
def test_rollouts_on_a_gpu_are_those_of_the_program(method):
    import cupy as cp

    robot = PANDA
    q0 = np.random.default_rng(0).normal(size=(40, 7))
    run = qddot.rollout(robot, q0, steps=20, step=1e-3, every=5e-3, method=method, device="cuda")
    loop = iteration(System(robot.model, Forces(smoothing=0.01)), method)
    state = loop.start(q0, np.zeros((40, 7)), np.zeros((40, 0)), np.zeros((40, 0)))
    nothing = np.zeros((40, 0))
    for step in range(20):
        for stage in loop.stages:
            for _ in range(stage.repeats):
                state = stage.program(
                    state, nothing, nothing, np.full(40, step * 1e-3), np.full(40, 1e-3)
                )
    assert_close([run.q[:, -1], run.qd[:, -1]], loop.kept(state, nothing), "float64")
    there = qddot.rollout(
        robot, cp.asarray(q0), steps=20, step=1e-3, every=5e-3, method=method, device="cuda"
    )
    assert isinstance(there.q, cp.ndarray)
    assert np.array_equal(there.q.get(), run.q)


@on_gpu
def test_torques_may_lie_on_the_gpu_and_batches_be_empty():
    import cupy as cp

    robot = qddot.load("rp")
    rng = np.random.default_rng(0)
    q0, torques = rng.normal(size=(5, 2)), rng.normal(size=(5, 10, 2))
    run = partial(qddot.rollout, robot, steps=10, step=1e-3, device="cuda")
    wanted = run(q0, torques=torques).q
    for there in (cp.asarray(torques), cp.asarray(torques.swapaxes(1, 2).copy()).swapaxes(1, 2)):
        assert np.array_equal(run(cp.asarray(q0), torques=there).q.get(), wanted)
    assert run(q0[:0]).q.shape == (0, 11, 2)
    assert run(cp.asarray(q0[:0])).q.shape == (0, 11, 2)


@on_gpu
def test_a_robot_without_joints_is_no_special_case():
    gpu, q = qddot.to_cuda(STILL), np.zeros((5, 0))
    assert np.array_equal(gpu.pose(q, "tip"), STILL.pose(q, "tip"))
    assert gpu.mass_matrix(q).shape == (5, 0, 0)


@on_gpu
def test_a_kernel_tells_what_it_takes():
    taken = qddot.to_cuda(PANDA).lowered("mass_matrix").resources()
    assert 16 <= taken.registers <= 255
    assert 0 < taken.occupancy <= 1
