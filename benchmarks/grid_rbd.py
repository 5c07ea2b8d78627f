"""Build GRiD's inverse dynamics of a panda for `benchmarks/gpu.py`, which races it.

    python benchmarks/grid_rbd.py grid.so       needs `pip install grid-rbd`, and nvcc

GRiD (A2R-Lab) writes CUDA for one robot from its URDF, a block of threads for each state; this is
its own header and its own kernel, in float32.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import grid_codegen

import qddot

DRIVER = """#include "grid.cuh"
extern "C" int inverse_dynamics(
    float* out, const float* q_qd, const float* qdd, int count, int threads) {
  using namespace grid;
  static robotModel<float>* model = init_robotModel<float>();
  auto kernel = static_cast<void (*)(float*, const float*, const int, const float*, float*,
    const robotModel<float>*, const float, const int)>(&inverse_dynamics_kernel<float>);
  kernel<<<count, threads, INVERSE_DYNAMICS_DYNAMIC_SHARED_MEM_BYTES<float>()>>>(
    out, q_qd, 14, qdd, nullptr, model, -9.81f, count);
  return (int)cudaGetLastError();
}
"""
GENERATE = "from grid_codegen.cli import main; main()"


def main(target: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        qddot.load("panda").save(folder / "panda.urdf")
        asked = ("panda.urdf", "--algorithm-list", "inverse_dynamics", "--no-mujoco-kernels")
        subprocess.run([sys.executable, "-c", GENERATE, *asked], cwd=folder, check=True)
        (folder / "driver.cu").write_text(DRIVER)
        glass = Path(grid_codegen.__file__).parent / "_data" / "GLASS"
        flags = ("-std=c++17", "-O3", "-arch=sm_90", "-Xcompiler", "-fPIC", "-shared")
        command = ["nvcc", *flags, "-cudart", "shared", f"-I{glass}", "-o", target.resolve()]
        subprocess.run([*command, "driver.cu"], cwd=folder, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
