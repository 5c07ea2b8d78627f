"""How many states per second does a GPU take, beside what its memory and its arithmetic allow?

    python benchmarks/gpu.py            a table in Markdown; needs a GPU and CuPy, and JAX for peers

Every kernel has two floors: the bytes that it must read and write, at the rate of a copy on the
same GPU, and its operations, at the rate of fused multiply-adds that a kernel of nothing else
reaches. Times are medians between events of the GPU; inputs are random and far larger than its
caches.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import cupy as cp
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))  # a checkout will do

import qddot
from qddot.program.program import Iteration, Program

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
TRAJECTORIES, STEPS = 1 << 18, 100
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
        rate = count / seconds(kernel.on_device, cp, given)
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


def batches() -> None:
    kernel = qddot.to_cuda(qddot.load("panda")).lowered("inverse_dynamics")
    print("\n| panda inverse_dynamics, float64 | per call | states per second |\n|--:|--:|--:|")
    for count in (1, 32, 1024, 32_768, 1 << 20, 1 << 24, 1 << 26):
        time = seconds(kernel.on_device, cp, arrays(kernel.program, count, np.dtype("float64")))
        print(f"| {count:,} states | {1e6 * time:.1f} µs | {count / time:.3g} |", flush=True)
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
        rate = TRAJECTORIES * STEPS / seconds(partial(run, device="cuda"))
        loop = next(made for made in robot._cache.values() if isinstance(made, Iteration))
        operations = len(loop)
        share = 100 * rate * operations / 2 / fused[dtype.name]
        print(f"| {name}, {method}, {dtype} | {rate:.3g} | {share:.0f} % |", flush=True)


def beside_jax() -> None:
    try:
        import jax
    except ImportError:
        print("\nJAX is not installed: no peer was measured.")
        return
    jax.config.update("jax_enable_x64", True)
    print("\n| panda | qddot, CuPy | qddot inside JAX | JAX's own operations | |")
    print("|---|--:|--:|--:|--:|")
    for quantity, dtype in product(("inverse_dynamics", "forward_dynamics"), DTYPES):
        kernel = qddot.to_cuda(robot_of("panda", dtype)).lowered(quantity)
        given = arrays(kernel.program, STATES, dtype)
        ours = STATES / seconds(kernel.on_device, cp, given) / 1e9
        # rows of states as ours, and columns, which JAX likes better
        theirs = [jax.dlpack.from_dlpack(x) for x in given]
        peer = max(
            STATES / seconds_of_jax(jax.jit(jax.vmap(native(kernel.program))), theirs),
            STATES / seconds_of_jax(jax.jit(native(kernel.program)), [x.T.copy() for x in theirs]),
        )
        peer /= 1e9
        inside = jax.jit(qddot.to_jax(robot_of("panda", dtype)).lowered(quantity))
        within = STATES / seconds_of_jax(inside, theirs) / 1e9
        print(
            f"| {quantity}, {dtype} | {ours:.2f} G | {within:.2f} G | {peer:.2f} G "
            f"| {ours / peer:.1f} × |",
            flush=True,
        )


def seconds_of_jax(function: Callable[..., Any], given: list[Any]) -> float:
    import jax

    times = []
    for _ in range(2 + 10):
        begin = time.perf_counter()
        jax.block_until_ready(function(*given))
        times.append(time.perf_counter() - begin)
    return float(np.median(times[2:]))


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
    batches()
    rollouts(fused)
    beside_jax()


if __name__ == "__main__":
    main()
