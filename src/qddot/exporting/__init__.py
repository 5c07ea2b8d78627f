"""Programs for other machines: C for a board, C++, CUDA source, MATLAB, FMUs.

functions     which programs are written, under which names; laws with their reference as inputs
c_prelude     what C source begins with: sine and cosine, smallest and largest
c_files       a header, a source, a check of itself, a CMake file; and kernels for CUDA
cpp_support   what a C++ header begins with: places for arrays, lanes, sine and cosine
cpp_files     a C++ header with its check, a CMake package
matlab_files  a function per file for MATLAB, Simulink and GNU Octave, with their check
fmu_model     the motion of a robot with parameters, as an FMU computes it
fmu_description  its variables, with names and units, for FMI 2.0 and 3.0
fmu_files     FMUs: descriptions, sources (fmu/) and libraries
templates/    what is the same in all files of a language
closed_forms  quantities of robots with symbols as formulas
exported      what users ask for, checked, and written
"""

from typing import TYPE_CHECKING

from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.exporting.exported import Exported as Exported, export as export
    from qddot.backends.javascript import javascript as javascript

__getattr__, __dir__ = on_demand(
    __name__,
    {"qddot.exporting.exported": "Exported export", "qddot.backends.javascript": "javascript"},
)
