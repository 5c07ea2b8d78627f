"""How many states per second does a GPU take, beside what its memory and its arithmetic allow?

    python benchmarks/gpu.py [grid.so]      tables in Markdown; needs a GPU and CuPy
                                            JAX, PyTorch and GRiD are raced where they are there

Every kernel has two floors: the bytes that it must read and write, at the rate of a copy on the
same GPU, and its operations, at the rate of fused multiply-adds that a kernel of nothing else
reaches. Kernels are timed between events of the GPU, medians of bound calls, on random inputs far
larger than its caches; calls from Python by the clock, many in a row before one waits.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import cupy as cp
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))  # a checkout will do

import qddot
from qddot.program.program import Program
from qddot.simulation.acting import Forces
from qddot.simulation.equation import System
from qddot.simulation.steps import iteration

STATES = 1 << 22
WIDE = 1 << 20  # states, where a result is wide
REPEATS, WARM_UP = 30, 5
QUANTITIES = (
    *("inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_derivatives"),
    *("forward_dynamics_derivatives", "regressor"),
)
ROBOTS = ("panda", "ur5")
METHODS = ("rk4", "semi_implicit_euler", "midpoint")
DTYPES = (np.dtype("float64"), np.dtype("float32"))
COUNTS = (1, 32, 256, 1024, 32_768, 1 << 22)
SOLVED = ("ur5", "puma560", "stanford", "scara")  # inverse kinematics in closed form
TRAJECTORIES, STEPS = 1 << 18, 1000
FUSED = """extern "C" __global__ void fused(T* out, int steps) {
  T a[8]; const T x = (T)1.000001, y = (T)1e-7;
  for (int k = 0; k < 8; ++k) a[k] = (T)(threadIdx.x + k);
  for (int i = 0; i < steps; ++i)
    #pragma unroll
    for (int k = 0; k < 8; ++k) a[k] = a[k] * x + y;
  T sum = 0; for (int k = 0; k < 8; ++k) sum += a[k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}"""


def seconds(run: Callable[..., Any], *arguments: Any) -> float:
    """Return the median time of a launch."""
    for _ in range(WARM_UP):
        run(*arguments)
    times = []
    for _ in range(REPEATS):
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        begin.record()
        run(*arguments)
        end.record()
        end.synchronize()
        times.append(1e-3 * cp.cuda.get_elapsed_time(begin, end))
    return float(np.median(times))


def copy_rate() -> float:
    """Return how many bytes a second a copy reads and writes."""
    source = cp.random.random(1 << 28)
    target = cp.empty_like(source)
    return 2 * source.nbytes / seconds(cp.copyto, target, source)


def fused_rate(dtype: np.dtype) -> float:
    """Return how many fused multiply-adds there are a second."""
    name = "float" if dtype == np.float32 else "double"
    function = cp.RawKernel(FUSED.replace("T", name), "fused")
    blocks, threads, steps = 132 * 16, 256, 4096
    out = cp.empty(blocks * threads, dtype)
    time = seconds(function, (blocks,), (threads,), (out, np.int32(steps)))
    return blocks * threads * steps * 8 / time


def robot_of(name: str, dtype: np.dtype) -> qddot.Robot:
    return qddot.load(name).with_options(dtype=dtype.name)


def arrays(program: Program, count: int, dtype: np.dtype) -> list[cp.ndarray]:
    rng = cp.random.default_rng(0)
    return [rng.standard_normal((count, *p.shape)).astype(dtype) for p in program.inputs]


def bytes_of(program: Program, dtype: np.dtype) -> int:
    return dtype.itemsize * sum(p.size for p in (*program.inputs, *program.outputs))


def kernels(copy: float, fused: dict[str, float]) -> None:
    print("| kernel | states per second | of a copy | of the floor | registers | occupancy |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, quantity, dtype in product(ROBOTS, QUANTITIES, DTYPES):
        kernel = qddot.to_cuda(robot_of(name, dtype)).lowered(quantity)
        program = kernel.program
        count = WIDE if sum(p.size for p in program.outputs) > 150 else STATES
        given = arrays(program, count, dtype)
        check(kernel, program, given, dtype)
        rate = count / seconds(kernel.bind(*given))
        size = bytes_of(program, dtype)
        floor = max(size / copy, len(program) / 2 / fused[dtype.name])
        r = kernel.resources()
        print(
            f"| {name} {quantity}, {dtype} | {rate / 1e9:.2f} G | {100 * rate * size / copy:.0f} % "
            f"| {100 * floor * rate:.0f} % | {r.registers}, {r.local} B spilled "
            f"| {100 * r.occupancy:.0f} % |",
            flush=True,
        )
        del given
        cp.get_default_memory_pool().free_all_blocks()


def check(kernel: Any, program: Program, given: list[cp.ndarray], dtype: np.dtype) -> None:
    """Stop if a kernel gives anything but what its program gives."""
    outputs = kernel.on_device(cp, given)
    some = slice(-1000, None)
    wanted = program(*(x[some].get().astype(float) for x in given))
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    close = 1e-10 if dtype == np.float64 else 1e-3
    for found, right in zip(outputs, wanted, strict=True):
        assert not bool(cp.isnan(found).any())
        assert np.abs(found[some].get() - right).max() <= close * np.abs(right).max()


def per_call(call: Callable[[], Any], wait: Callable[[Any], Any], many: int = 200) -> float:
    """Return how long one of many calls in a row takes [s], by the clock; the least of five."""
    times = []
    for _ in range(5):
        wait(call())
        begin = time.perf_counter()
        for _ in range(many):
            last = call()
        wait(last)
        times.append((time.perf_counter() - begin) / many)
    return min(times)


def waits_for_gpu(_: Any) -> None:
    cp.cuda.Device().synchronize()


def contenders(quantity: str, dtype: np.dtype, given: list[cp.ndarray]) -> dict[str, Any]:
    """Return by name what is called, and what waits for it, on the same arrays."""
    robot = robot_of("panda", dtype)
    gpu = qddot.to_cuda(robot)
    kernel = gpu.lowered(quantity)
    bound, plain = kernel.bind(*given), getattr(gpu, quantity)
    found = {
        "in a graph": (graph_of(bound), waits_for_gpu),
        "bound": (bound, waits_for_gpu),
        "gpu.lowered(...)": (lambda: kernel(*given), waits_for_gpu),
        "gpu." + quantity: (lambda: plain(*given), waits_for_gpu),
    }
    try:
        import torch

        inside = getattr(qddot.to_torch(robot), quantity)
        tensors = [torch.from_dlpack(x) for x in given]
        found["in PyTorch"] = (lambda: inside(*tensors), waits_for_gpu)
    except ImportError:
        pass
    try:
        import jax

        jax.config.update("jax_enable_x64", True)
        arrays = [jax.dlpack.from_dlpack(x) for x in given]
        ours = jax.jit(getattr(qddot.to_jax(robot), quantity))
        found["in JAX"] = (lambda: ours(*arrays), jax.block_until_ready)
    except ImportError:
        pass
    if len(sys.argv) > 1:
        try:
            found["GRiD"] = (grid_call(sys.argv[1], quantity, given), waits_for_gpu)
        except (OSError, AssertionError) as error:
            print(f"GRiD was not raced: {error}", file=sys.stderr)
    return {name: pair for name, pair in found.items() if pair[0] is not None}


def graph_of(bound: Callable[[], Any], calls: int = 1) -> Callable[[], Any]:
    """Return the launch of a CUDA graph that has captured a call."""
    stream = cp.cuda.Stream(non_blocking=True)
    bound()
    with stream:
        stream.begin_capture()
        for _ in range(calls):
            bound()
        graph = stream.end_capture()
    return partial(graph.launch, stream)


def grid_call(library: str, quantity: str, given: list[cp.ndarray]) -> Callable[[], Any] | None:
    """Return GRiD's kernel, built by `benchmarks/grid_rbd.py`, with the best of its block sizes."""
    if given[0].dtype != np.float32 or quantity != "inverse_dynamics":
        return None
    run = ctypes.CDLL(library).inverse_dynamics
    run.argtypes = (*[ctypes.c_void_p] * 3, *[ctypes.c_int] * 2)
    q_qd, qdd = cp.concatenate(given[:2], axis=1), given[2]
    count, out = len(qdd), cp.empty_like(qdd)
    addresses = (out.data.ptr, q_qd.data.ptr, qdd.data.ptr)

    def call(threads: int) -> Any:
        failed = run(*addresses, count, threads)
        assert not failed, f"GRiD: CUDA error {failed}"
        keep = q_qd  # noqa: F841, as long as this function lives
        return out

    frictionless = robot_of("panda", given[0].dtype).without("friction")
    wanted = qddot.to_cuda(frictionless).inverse_dynamics(*given)
    off = float(cp.abs(call(32) - wanted).max() / cp.abs(wanted).max())
    assert off < 1e-3, f"GRiD differs by {off:.1e}"
    times = {t: per_call(partial(call, t), waits_for_gpu, 20) for t in (32, 64, 128)}
    return partial(call, min(times, key=lambda t: times[t]))


def batches() -> None:
    for quantity, dtype in product(("inverse_dynamics", "forward_dynamics"), DTYPES):
        begun = False
        for count in COUNTS:
            program = robot_of("panda", dtype).program(quantity)
            given = arrays(program, count, dtype)
            raced = contenders(quantity, dtype, given)
            if not begun:
                print(f"\n| panda {quantity}, {dtype} | {' | '.join(raced)} |")
                print(f"|--:|{'--:|' * len(raced)}", flush=True)
                begun = True
            many = 200 if count < 1 << 20 else 20
            times = [per_call(call, wait, many) for call, wait in raced.values()]
            cells = [
                f"{1e6 * t:.1f} µs" if count < 1 << 20 else f"{count / t / 1e9:.2f} G"
                for t in times
            ]
            print(f"| {count:,} | {' | '.join(cells)} |", flush=True)
            del given, raced
            cp.get_default_memory_pool().free_all_blocks()


def rollouts(fused: dict[str, float]) -> None:
    print(f"\n{TRAJECTORIES:,} trajectories, {STEPS} steps of 1 ms, the last state kept\n")
    print("| rollout | steps per second | of the floor |\n|---|--:|--:|")
    for name, method, dtype in product(ROBOTS, METHODS, DTYPES):
        robot = robot_of(name, dtype)
        q0 = cp.random.default_rng(1).standard_normal((TRAJECTORIES, robot.n)).astype(dtype)
        run = partial(
            qddot.rollout, robot, q0, steps=STEPS, step=1e-3, every=STEPS * 1e-3, method=method
        )
        time_of_one = per_call(partial(run, device="cuda"), waits_for_gpu, 1)
        rate = TRAJECTORIES * STEPS / time_of_one
        operations = len(iteration(System(robot.model, Forces(), ()), method))
        share = 100 * rate * operations / 2 / fused[dtype.name]
        print(f"| {name}, {method}, {dtype} | {rate:.3g} | {share:.0f} % |", flush=True)


def closed_forms() -> None:
    """Time all branches of the inverse kinematics, on poses of random joint positions."""
    print("\n| inverse_kinematics_all, float64 | poses per second | branches | registers |")
    print("|---|--:|--:|--:|")
    for name in SOLVED:
        robot = qddot.load(name)
        gpu, tip = qddot.to_cuda(robot), robot.tip
        q = cp.random.default_rng(2).uniform(-3, 3, (WIDE, robot.n))
        X = gpu.pose(q, tip)
        kernel = gpu.lowered("inverse_kinematics_all", frame=tip)
        branches = kernel(X)
        branches = branches[0] if isinstance(branches, tuple) else branches
        closest = cp.abs(cp.exp(1j * branches) - cp.exp(1j * q)[:, None]).max(axis=-1)
        lost = int((~(cp.nanmin(closest, axis=1) < 1e-6)).sum())  # next to singular poses
        rate = WIDE / seconds(kernel.bind(X))
        r = kernel.resources()
        print(
            f"| {name} | {rate / 1e6:.0f} M | {branches.shape[1]}, {lost} of {WIDE:,} not found "
            f"| {r.registers}, {r.local} B spilled |",
            flush=True,
        )


def jax_alone() -> None:
    """Race the same program as JAX's own operations; XLA compiles some sizes for minutes."""
    try:
        import jax
    except ImportError:
        print("\nJAX is not installed: it was not raced.")
        return
    jax.config.update("jax_enable_x64", True)
    print("\n| panda inverse_dynamics | JAX's own operations | compiled in |\n|---|--:|--:|")
    asked = [(count, dtype) for dtype, count in product(DTYPES, COUNTS)]
    with ThreadPoolExecutor(len(asked)) as pool:  # XLA takes one core for each
        made = list(pool.map(jax_call, asked))
    for (count, dtype), (call, took) in zip(asked, made, strict=True):
        t = per_call(call, jax.block_until_ready, 20)
        rate = f"{1e6 * t:.1f} µs" if count < 1 << 20 else f"{count / t / 1e9:.2f} G"
        print(f"| {count:,}, {dtype} | {rate} | {took:.0f} s |", flush=True)


def jax_call(asked: tuple[int, np.dtype]) -> tuple[Callable[[], Any], float]:
    """Return a compiled call of JAX's own operations, and how long XLA took [s]."""
    import jax

    count, dtype = asked
    program = robot_of("panda", dtype).program("inverse_dynamics")
    # columns, which JAX likes better than rows
    given = [jax.numpy.asarray(x.T.get()) for x in arrays(program, count, dtype)]
    begin = time.perf_counter()
    call = partial(jax.jit(native(program)).lower(*given).compile(), *given)
    return call, time.perf_counter() - begin


def native(program: Program) -> Callable[..., Any]:
    """Return a program as JAX's own operations, as JAX would have it from a user."""
    import jax.numpy as jnp

    own = {"neg": "negative", "sub": "subtract", "mul": "multiply", "div": "divide"}

    def function(*given: Any) -> Any:
        values = [entry for x in given for entry in x]  # one array, or one column, an entry
        values += [jnp.asarray(c, values[0].dtype) for c in program.constants]
        for step in program.steps:
            f = getattr(jnp, own.get(step.op.name, step.op.name))
            values.append(f(*(values[i] for i in step.args)))
        return jnp.stack([values[i] for i in program.results])

    return function


def main() -> None:
    asked = "name,driver_version,clocks.sm,clocks.mem,clocks.max.sm"
    said = subprocess.run(
        ["nvidia-smi", f"--query-gpu={asked}", "--format=csv,noheader"],
        capture_output=True,
        text=True,
    ).stdout
    copy = copy_rate()
    fused = {name: fused_rate(np.dtype(name)) for name in ("float64", "float32")}
    print(f"{said.strip()} (idle clocks); CuPy {cp.__version__}, NumPy {np.__version__}")
    print(f"copy: {copy / 1e9:.0f} GB/s read and written; fused multiply-adds per second: ", end="")
    print(", ".join(f"{name} {rate / 1e12:.1f} T" for name, rate in fused.items()) + "\n")
    kernels(copy, fused)
    rollouts(fused)
    closed_forms()
    batches()
    jax_alone()


if __name__ == "__main__":
    main()
