"""Launches on a GPU: bound to arrays, in graphs, in other packages' streams, special numbers."""

from __future__ import annotations

import numpy as np
import pytest
from made import PANDA, UR5
from translated import assert_same

import qddot
from qddot.backends.cuda import CudaKernel
from qddot.backends.device_arrays import cupy_or_error
from qddot.errors import QddotError
from qddot.program.operations import OPERATIONS
from qddot.program.program import Port, Program, Step

try:
    cupy_or_error()
    WHY = ""
except QddotError:
    WHY = "there is no GPU; on a machine that has one, pip install 'qddot[cuda]'"
pytestmark = pytest.mark.skipif(bool(WHY), reason=WHY)


def given(program, count, seed=0):
    import cupy as cp

    rng = np.random.default_rng(seed)
    return [cp.asarray(rng.normal(size=(count, *port.shape))) for port in program.inputs]


@pytest.mark.parametrize("count", [1, 77, 1024])
def test_a_bound_call_reads_its_arrays_anew(count):
    kernel = qddot.to_cuda(PANDA).lowered("inverse_dynamics")
    arrays = given(kernel.program, count)
    bound = kernel.bind(*arrays)
    for _ in range(2):
        found = bound()
        assert found is bound.outputs
        wanted = kernel.program(*(x.get() for x in arrays))
        assert_same(found.get(), wanted, 1e-12)
        arrays[0] += 0.1
    one = kernel.bind(arrays[0], arrays[1][0], arrays[2])  # a row that all states share
    again = kernel.program(arrays[0].get(), arrays[1][0].get(), arrays[2].get())
    assert_same(one().get(), again, 1e-12)


def test_a_bound_call_writes_where_it_is_told_and_refuses_what_it_would_copy():
    import cupy as cp

    kernel = qddot.to_cuda(UR5).lowered("inverse_dynamics_derivatives")
    arrays = given(kernel.program, 40)
    out = [cp.full((40, 6, 6), cp.nan) for _ in range(2)]
    assert kernel.bind(*arrays, out=out)()[1] is out[1]
    assert_same(out[1].get(), kernel.program(*(x.get() for x in arrays))[1], 1e-11)
    wide = cp.zeros((40, 12))
    bad = [
        ([wide[:, ::2], *arrays[1:]], {}),
        ([arrays[0].astype("float32"), *arrays[1:]], {}),
        ([arrays[0][:1], *arrays[1:]], {}),
        ([x.get() for x in arrays], {}),
        (arrays, {"out": out[0]}),
        (arrays, {"out": [out[0].astype("float32"), out[1]]}),
    ]
    for args, more in bad:
        with pytest.raises(QddotError, match=r"bound|out must be"):
            kernel.bind(*args, **more)


def test_a_graph_of_cupy_captures_a_bound_call():
    import cupy as cp

    kernel = qddot.to_cuda(PANDA).lowered("forward_dynamics")
    arrays = given(kernel.program, 100)
    bound = kernel.bind(*arrays)
    bound()  # compiled before anything is captured
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        bound()
        graph = stream.end_capture()
    arrays[0][:] = arrays[0][::-1].copy()
    bound.outputs.fill(cp.nan)
    cp.cuda.Device().synchronize()
    graph.launch(stream)
    stream.synchronize()
    wanted = kernel.program(*(x.get() for x in arrays))
    assert_same(bound.outputs.get(), wanted, 1e-10)


def test_a_graph_of_pytorch_captures_a_call():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch has no GPU")
    functions, program = qddot.to_torch(PANDA), PANDA.program("inverse_dynamics")
    arrays = [torch.as_tensor(x.get(), device="cuda") for x in given(program, 100)]
    kernel = qddot.to_cuda(PANDA).lowered("inverse_dynamics")
    bound = kernel.bind(*arrays)
    functions.inverse_dynamics(*arrays), bound()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = functions.inverse_dynamics(*arrays)
        bound()
    arrays[0] += 0.5
    bound.outputs.fill_(torch.nan)
    graph.replay()
    torch.cuda.synchronize()
    wanted = program(*(x.cpu().numpy() for x in arrays))
    assert_same(found.cpu().numpy(), wanted, 1e-12)
    assert_same(bound.outputs.cpu().numpy(), wanted, 1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_operation_means_on_a_gpu_what_it_does_in_numpy(dtype):
    import cupy as cp

    small = 1e-300 if dtype == "float64" else 1e-30
    values = np.array([-np.inf, -2.5, -1, -small, -0.0, 0, small, 0.7, 1, 3, 1e5, np.inf, np.nan])
    grid = np.array(np.meshgrid(values, values, values)).reshape(3, -1).T.astype(dtype).copy()
    close = 1e-15 if dtype == "float64" else 5e-6
    for op in OPERATIONS.values():
        step = Step(op, tuple(range(op.arity)))
        program = Program("one", (Port("x", (3,)),), (), (step,), (Port("y", ()),), (3,))
        found = CudaKernel(program, np.dtype(dtype))(cp.asarray(grid)).get()
        with np.errstate(all="ignore"):
            wanted = np.asarray(op.apply(*(grid[:, i] for i in range(op.arity))), dtype)
        assert np.allclose(found, wanted, rtol=close, atol=0, equal_nan=True), op.name
        if op.name == "div":  # a quotient that is zero has its sign
            zero = wanted == 0
            assert (np.signbit(found) == np.signbit(wanted))[zero].all()
