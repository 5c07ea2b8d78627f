"""Machine code in this process, from LLVM assembly: no compiler needs to be installed."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from qddot.backends import disk_cache
from qddot.backends.threads import available_threads

LONG = 250_000  # characters of assembly: some 1,300 operations on eight lanes
NEXT_MODULE = "\n; next module\n"  # between modules that make one: the pieces of a long program


@dataclass(frozen=True)
class MachineCode:
    """Compiled functions; they live as long as this does."""

    # in an array, where the garbage collector does not look: it would end the engine of a cycle
    # before the finalizers of that cycle, which may still call its code
    box: np.ndarray

    def address(self, name: str) -> int:
        """Return where a function or a global of the module is."""
        return _address(self.box.item(), name)


def _address(engine: Any, name: str) -> int:
    return engine.get_function_address(name) or engine.get_global_value_address(name)


@cache
def target() -> tuple[str, str, str]:
    """Return the triple, the processor and its features."""
    binding = _binding()
    features = binding.get_host_cpu_features().flatten()
    return binding.get_default_triple(), binding.get_host_cpu_name(), features


@cache
def widest_lanes() -> int:
    """Return how many float64 fit into the widest vector register, or into two of 128 bits."""
    return 8 if "+avx512f" in target()[2] else 4


@cache
def vector_registers() -> int:
    """Return how many vectors of `widest_lanes` a processor has registers for."""
    return 32 if "+avx512f" in target()[2] else 16


def compile_module(text: str) -> MachineCode:
    """Return the machine code of a module: that which is in use, or what the disk has, or new.

    The pieces of a long program stand before it, as modules of their own. They are compiled in
    several threads, and the last module finds their addresses in its table `pieces`.

    The recorder has left nothing for LLVM's own optimisations to find, so only its code generator
    runs, at its first level: it compiles up to five times faster, and the code measures the same.

    A long program has so many constants that their addresses crowd the registers out. Addressing
    them relative to the code takes none, and measures up to 1.2 times faster; short programs are
    better off with their constants at hand. A processor that does not fuse multiply-adds itself
    calls the C library for them, which may be far away and cannot be addressed that way.
    """
    binding = _binding()
    near = "+fma" in target()[2]
    model = "small" if len(text) > LONG and near else "jitdefault"
    key = disk_cache.key(text, *target(), model, binding.llvm_version_info, _llvmlite_version())
    with _compiling:
        if (used := _in_use.get(key)) is not None:
            return used
        objects = _objects(text.split(NEXT_MODULE), key, model)
        # one block of memory for code and constants, so that one reaches the other
        nothing = binding.parse_assembly("")
        engine = binding.create_mcjit_compiler(nothing, _machine(model), use_lmm=True)
        for code in objects:
            engine.add_object_file(binding.ObjectFileRef.from_data(code))
        engine.finalize_object()
        if pieces := len(objects) - 1:
            table = engine.get_global_value_address("pieces")
            addresses = [_address(engine, f"piece{k}") for k in range(pieces)]
            (ctypes.c_uint64 * pieces).from_address(table)[:] = addresses
        box = np.empty((), dtype=object)
        box[()] = engine
        made = _in_use[key] = MachineCode(box)
    return made


def _objects(texts: list[str], key: str, model: str) -> list[bytes]:
    """Return the object files of modules: from the disk, or new."""
    names = [f"{key}{k or ''}" for k in range(len(texts))]
    objects = {name: code for name in names if (code := disk_cache.load(name))}
    missing = {n: text for n, text in zip(names, texts, strict=True) if n not in objects}
    threads = min(len(missing), available_threads())
    if threads > 1:
        with in_our_order(), ThreadPoolExecutor(threads) as pool:
            made = list(pool.map(lambda text: _emitted(text, model, True), missing.values()))
    elif missing:
        with in_our_order():
            made = [_emitted(text, model, False) for text in missing.values()]
    else:
        made = []
    for name, code in zip(missing, made, strict=True):
        objects[name] = code
        disk_cache.store(name, code)
    return [objects[name] for name in names]


def _emitted(text: str, model: str, beside_others: bool) -> bytes:
    """Return the object file of a module."""
    binding = _binding()
    module = binding.parse_assembly(text, binding.create_context())
    module.verify()
    emit = _emit_without_lock if beside_others else binding.TargetMachine.emit_object
    return emit(_machine(model), module)


def _emit_without_lock(machine: Any, module: Any) -> bytes:
    """Emit what shares nothing with others without the lock by which llvmlite has one at a time."""
    ffi = _binding().ffi
    with ffi.OutputString() as error:
        buffer = ffi.lib.LLVMPY_TargetMachineEmitToMemory._cfn(machine, module, 1, error)
        if not buffer:
            raise RuntimeError(str(error))
    try:
        size = ffi.lib.LLVMPY_GetBufferSize(buffer)
        return ctypes.string_at(ffi.lib.LLVMPY_GetBufferStart(buffer), size)
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)


@contextmanager
def in_our_order() -> Iterator[None]:
    """Have LLVM keep the order of operations, which `program.optimise` has chosen.

    Its own scheduler is made for short blocks: on thousands of operations in one block it runs out
    of registers. Keeping ours measures 1.3 times faster for a Panda's derivatives and 1.7 times
    for a chain of 64 joints. The switch is global to the process, so it is set back at once.
    """
    binding = _binding()
    binding.set_option("qddot", "-enable-misched=0")
    binding.set_option("qddot", "-pre-RA-sched=source")
    try:
        yield
    finally:
        binding.set_option("qddot", "-enable-misched=1")
        binding.set_option("qddot", "-pre-RA-sched=default")


_compiling = threading.RLock()  # one at a time, as llvmlite has it anyway
_in_use: WeakValueDictionary[str, MachineCode] = WeakValueDictionary()  # by its name on the disk


def _before_fork() -> None:
    """Wait until no thread compiles: a child would find locks that nobody in it lets go of."""
    _compiling.acquire()
    if lock := _llvmlite_lock():
        lock.__enter__()


def _after_fork() -> None:
    if lock := _llvmlite_lock():
        lock.__exit__(None, None, None)
    _compiling.release()


def _llvmlite_lock() -> Any:
    """Return the lock that every call into LLVM takes, where llvmlite has been used already."""
    ffi = sys.modules.get("llvmlite.binding.ffi")
    return getattr(getattr(ffi, "lib", None), "_lock", None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )


def _machine(model: str) -> Any:
    binding = _binding()
    triple, processor, features = target()
    return binding.Target.from_triple(triple).create_target_machine(
        cpu=processor, features=features, opt=1, jit=True, codemodel=model
    )


@cache
def _binding() -> Any:
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


@cache
def _llvmlite_version() -> str:
    import llvmlite

    return llvmlite.__version__
