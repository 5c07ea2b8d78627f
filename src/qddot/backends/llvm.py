"""Machine code in this process, from LLVM assembly: no compiler needs to be installed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from qddot.backends import disk_cache


@dataclass(frozen=True)
class MachineCode:
    """Compiled functions; they live as long as this does."""

    engine: Any

    def address(self, name: str) -> int:
        """Return where a function or a global of the module is."""
        return self.engine.get_function_address(name) or self.engine.get_global_value_address(name)


@cache
def target() -> tuple[str, str, str]:
    """Return the triple, the processor and its features."""
    binding = _binding()
    features = binding.get_host_cpu_features().flatten()
    return binding.get_default_triple(), binding.get_host_cpu_name(), features


@cache
def widest_lanes() -> int:
    """Return how many float64 fit into the widest vector register."""
    features = target()[2]
    return 8 if "+avx512f" in features else 4 if "+avx" in features else 2


def compile_module(text: str) -> MachineCode:
    """Return the machine code of a module, from the disk if it was compiled before.

    The recorder has left nothing for LLVM's own optimisations to find, so only its code generator
    runs: that halves the time to compile and measures the same.
    """
    binding = _binding()
    key = disk_cache.key(text, *target(), binding.llvm_version_info, _llvmlite_version())
    code = disk_cache.load(key)
    if code is None:
        module = binding.parse_assembly(text)
        module.verify()
        code = _machine().emit_object(module)
        disk_cache.store(key, code)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _machine())
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return MachineCode(engine)


def _machine() -> Any:
    binding = _binding()
    triple, processor, features = target()
    return binding.Target.from_triple(triple).create_target_machine(
        cpu=processor, features=features, opt=2, jit=True, codemodel="jitdefault"
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
