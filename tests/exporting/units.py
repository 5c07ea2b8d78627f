"""FMUs called as tools call them, through ctypes: the few functions that tests need."""

from __future__ import annotations

import ctypes
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

import qddot

LOGGER = ctypes.CFUNCTYPE(None)(lambda: None)


class Callbacks(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("log", "get", "free", "done", "environment")]


class Unit:
    """An FMU that is loaded, with its variables by name."""

    def __init__(self, path: Path, folder: Path, kind: str = "CoSimulation"):
        folder.mkdir()
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        self.root = ElementTree.parse(folder / "modelDescription.xml").getroot()
        self.version = int(self.root.attrib["fmiVersion"][0])
        rows = self.root.find("ModelVariables")
        self.numbers = {row.attrib["name"]: int(row.attrib["valueReference"]) for row in rows}
        (library,) = folder.glob("binaries/*/*.so")
        self.library = ctypes.CDLL(str(library))
        token = self.root.attrib["guid" if self.version == 2 else "instantiationToken"].encode()
        self.instance = ctypes.c_void_p(self._instance(kind, token))
        assert self.instance.value

    def _instance(self, kind, token):
        null = ctypes.c_void_p(None)
        if self.version == 2:
            make = self.library.fmi2Instantiate
            make.restype = ctypes.c_void_p
            self.callbacks = Callbacks()
            which = 1 if kind == "CoSimulation" else 0
            return make(b"it", which, token, b"", ctypes.byref(self.callbacks), 0, 0)
        make = self.library[f"fmi3Instantiate{kind}"]
        make.restype = ctypes.c_void_p
        given = (b"it", token, b"", False, False)
        if kind == "CoSimulation":
            return make(*given, False, False, null, ctypes.c_size_t(0), null, null, null)
        return make(*given, null, null)

    def call(self, name, *args):
        """Call a function that must succeed."""
        function = self.library[f"fmi{self.version}{name}"]
        status = function(self.instance, *args)
        assert status == 0, (name, status)

    def _references(self, names):
        return (ctypes.c_uint32 * len(names))(*(self.numbers[name] for name in names))

    def set(self, **named):
        self.set_all({name.replace("__", "."): value for name, value in named.items()})

    def set_all(self, values):
        for name, value in values.items():
            reference, one = self._references([name]), ctypes.c_size_t(1)
            if isinstance(value, bool):
                kind, holder = (
                    "Boolean",
                    (ctypes.c_int if self.version == 2 else ctypes.c_bool)(value),
                )
            else:
                kind, holder = "Real" if self.version == 2 else "Float64", ctypes.c_double(value)
            more = () if self.version == 2 else (one,)
            self.call(f"Set{kind}", reference, one, ctypes.byref(holder), *more)

    def get(self, *names):
        values, count = np.full(len(names), np.nan), ctypes.c_size_t(len(names))
        kind, more = ("Real", ()) if self.version == 2 else ("Float64", (count,))
        place = ctypes.c_void_p(values.ctypes.data)
        self.call(f"Get{kind}", self._references(names), count, place, *more)
        return values

    def start(self):
        zero = ctypes.c_double(0)
        if self.version == 2:
            self.call("SetupExperiment", 0, zero, zero, 0, zero)
            self.call("EnterInitializationMode")
        else:
            self.call("EnterInitializationMode", False, zero, zero, False, zero)
        self.call("ExitInitializationMode")

    def step(self, t, h):
        flags = [ctypes.c_bool() for _ in range(3)] + [ctypes.c_double()]
        more = () if self.version == 2 else map(ctypes.byref, flags)
        self.call("DoStep", ctypes.c_double(t), ctypes.c_double(h), False, *more)

    def derivative(self, unknowns, knowns, seed):
        seed, found = np.asarray(seed, dtype=float), np.full(len(unknowns), np.nan)
        sizes = ctypes.c_size_t(len(unknowns)), ctypes.c_size_t(len(knowns))
        places = [ctypes.c_void_p(x.ctypes.data) for x in (seed, found)]
        head = self._references(unknowns), sizes[0], self._references(knowns), sizes[1]
        more = places if self.version == 2 else (places[0], sizes[1], places[1], sizes[0])
        self.call("GetDirectionalDerivative", *head, *more)
        return found


def arm():
    """Three joints with friction and limits that they reach."""
    row = dict(
        a=1.0, mass=2.0, com=(-0.5, 0, 0), inertia=(0.1,) * 3, limits=dict(lower=-1.0, upper=1.0)
    )
    robot = qddot.from_dh([row] * 3, "standard", name="three")
    return robot.with_gravity((0, -9.81, 0)).with_friction(coulomb=0.5, viscous=0.1)


def random_arm(seed):
    """Return an arm with dry friction and limits, where it starts, its torques, and its stops."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    rows = []
    for _ in range(n):
        slides = rng.random() < 0.3
        kind = dict(type="prismatic", theta=0.3) if slides else dict(type="revolute", d=0.2)
        shape = dict(a=float(rng.uniform(0, 1)), alpha=float(rng.choice([0, 1.5, -1.5, 0.3])))
        weight = dict(mass=float(rng.uniform(0.5, 4)), com=tuple(rng.uniform(-0.4, 0.4, 3)))
        limits = dict(lower=-0.6, upper=0.6) if slides else dict(lower=-1.2, upper=1.5)
        rows.append(kind | shape | weight | dict(inertia=(0.2, 0.25, 0.3), limits=limits))
    robot = qddot.from_dh(rows, "standard", name="arm").with_friction(
        viscous=rng.uniform(0, 0.5, n).tolist(),
        coulomb=(rng.uniform(0, 4, n) * (rng.random(n) < 0.7)).tolist(),
        offset=(0.3 * rng.normal(size=n)).tolist(),
    )
    q, qd = rng.uniform(-0.5, 0.5, n), rng.normal(size=n) * (rng.random(n) < 0.6)
    return robot, q, qd, 4 * rng.normal(size=n), float(rng.choice([0.0, 0.3, 0.9]))
