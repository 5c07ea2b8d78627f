"""A robot's functions, run by NumPy alone, or by CuPy on a GPU. This file is part of a bundle.

>>> import sys; sys.path.insert(0, "panda_bundle.zip")
>>> import panda_bundle as panda
>>> panda.inverse_dynamics(q, qd, qdd)          # arrays of NumPy, of shape (..., 7)
>>> panda.on_gpu("inverse_dynamics")(q, qd, qdd)     # arrays of CuPy
>>> panda.ABOUT["joints"]

$ python panda_bundle.zip                       # checks every function against recorded values
"""

import json
import pkgutil
from math import prod

import numpy as np

FORMAT = 1
OPERATIONS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "atan2": np.arctan2,
    "floor": np.floor,
    "abs": np.abs,
    "sign": np.sign,
    "min": np.minimum,
    "max": np.maximum,
    "less": lambda a, b: np.where(np.less(a, b), 1.0, 0.0),
    "less_equal": lambda a, b: np.where(np.less_equal(a, b), 1.0, 0.0),
    "select": lambda a, b, c: np.where(np.not_equal(a, 0), b, c),
}


class Function:
    """A straight-line program: for each entry of its results, what to compute and from what."""

    def __init__(self, name, data):
        self.name, self.words, self.cuda = name, data["words"], data["cuda"]
        program = data["program"]
        self.inputs = [(port, tuple(shape)) for port, shape in program["inputs"]]
        self.outputs = [(port, tuple(shape)) for port, shape in program["outputs"]]
        self.constants = [float.fromhex(c) for c in program["constants"]]
        self.steps = [(OPERATIONS[op], args) for op, *args in program["steps"]]
        self.results = program["results"]

    def __repr__(self):
        given = ", ".join(f"{port}{list(shape)}" for port, shape in self.inputs)
        return f"<{self.name}({given}): {self.words}>"

    def __call__(self, *arrays):
        """Return the results; leading axes of the arrays broadcast."""
        rows, batch = self.checked(np, arrays)
        values = []
        for x, (_, shape) in zip(rows, self.inputs, strict=True):
            flat = x.reshape(*x.shape[: x.ndim - len(shape)], prod(shape))
            values += [flat[..., i] for i in range(prod(shape))]
        values += self.constants
        with np.errstate(all="ignore"):  # NaN and infinities are data
            for operation, args in self.steps:
                values.append(operation(*(values[i] for i in args)))
        found, at = [], 0
        for _, shape in self.outputs:
            out = np.empty((*batch, prod(shape)))
            for i in range(prod(shape)):
                out[..., i] = values[self.results[at + i]]
            at += prod(shape)
            found.append(out.reshape(batch + shape))
        return found[0] if len(found) == 1 else tuple(found)

    def checked(self, xp, arrays):
        """Return the arrays as float64 and the batch that they make, or refuse them."""
        if len(arrays) != len(self.inputs):
            names = ", ".join(port for port, _ in self.inputs)
            raise ValueError(f"{self.name} takes {len(self.inputs)} arrays ({names})")
        rows = [xp.asarray(x, dtype=np.float64) for x in arrays]
        batches = []
        for x, (port, shape) in zip(rows, self.inputs, strict=True):
            lead = x.ndim - len(shape)
            if lead < 0 or x.shape[lead:] != shape:
                raise ValueError(f"{port} has shape {x.shape}; it must have shape (..., {shape})")
            batches.append(x.shape[:lead])
        return rows, np.broadcast_shapes(*batches)


class OnGpu:
    """A function as a CUDA kernel, compiled by CuPy when it is first called."""

    def __init__(self, function):
        import cupy

        self.cupy, self.of = cupy, function
        cuda = function.cuda
        module = cupy.RawModule(code=cuda["source"], options=("--std=c++17",))
        self.kernel = module.get_function(cuda["name"])
        self.threads, self.shared = cuda["threads"], cuda["shared"]
        self.parts = cuda.get("parts", 1)  # how many blocks have the same states
        self.kernel.max_dynamic_shared_size_bytes = self.shared

    def __call__(self, *arrays):
        xp = self.cupy
        rows, batch = self.of.checked(xp, arrays)
        count, arguments = prod(batch), []
        for x, (_, shape) in zip(rows, self.of.inputs, strict=True):
            if prod(shape):
                whole = xp.ascontiguousarray(xp.broadcast_to(x, batch + shape))
                arguments += [whole, np.int64(prod(shape))]
        outputs = [xp.empty(batch + shape) for _, shape in self.of.outputs]
        arguments += [x for x in outputs if x.size]
        if count:
            blocks = -(-count // self.threads) * self.parts
            given = (*arguments, np.int64(count))
            self.kernel((blocks,), (self.threads,), given, shared_mem=self.shared)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)


def on_gpu(name):
    """Return a function for arrays of CuPy."""
    return OnGpu(FUNCTIONS[name])


def check():
    """Compare every function with recorded values; return how many are wrong."""
    wrong = 0
    for name, function in FUNCTIONS.items():
        ways: list = [("NumPy", function)]
        try:
            ways.append(("CuPy", on_gpu(name)))
        except Exception as error:
            why = f"{type(error).__name__}: {error}".splitlines()[0]
            ways.append((f"CuPy was not tried ({why[:60]})", None))
        record = CONTENT["functions"][name]["record"]
        given = [
            np.array(x, dtype=float).reshape(len(x), *s)
            for x, (_, s) in zip(record["given"], function.inputs, strict=True)
        ]
        right = np.concatenate([np.array(x, dtype=float) for x in record["right"]], axis=1)
        for way, run in ways:
            if run is None:
                print(f"{name}: {way}")
                continue
            found = run(*(given if way == "NumPy" else map(run.cupy.asarray, given)))
            found = found if isinstance(found, tuple) else (found,)
            found = [x if way == "NumPy" else x.get() for x in found]
            count = len(right)
            rows = [x.reshape(count, x.size // count) for x in found]
            off, size = apart(np.concatenate(rows, axis=1), right)
            bad = not off <= 1e-10 * max(size, 1e-3)
            wrong += bad
            print(f"{name}: {way}, off by {off:.1e} of {size:.3g}: {'WRONG' if bad else 'right'}")
    return wrong


def apart(found, right):
    """Return how far two arrays are apart at most, and how large the right one is."""
    same = (found == right) | (np.isnan(found) & np.isnan(right))
    with np.errstate(all="ignore"):
        off = np.where(same, 0.0, np.abs(found - right)).max(initial=0)  # NaN if any is
    return off, np.abs(right[np.isfinite(right)]).max(initial=0)


def content(text):
    """Return what a bundle holds, if this file can play it."""
    data = json.loads(text)
    if data.get("format") != FORMAT:
        raise RuntimeError(
            f"This bundle has format {data.get('format')}, and its player knows {FORMAT}. "
            "Export it again, with one version of qddot."
        )
    return data


if __package__ and __package__.endswith("_bundle"):
    CONTENT = content(pkgutil.get_data(__package__, "content.json"))
    ABOUT = CONTENT["about"]
    FUNCTIONS = {name: Function(name, data) for name, data in CONTENT["functions"].items()}
    # what this file itself calls so stays what it is
    globals().update({name: f for name, f in FUNCTIONS.items() if name not in globals()})
