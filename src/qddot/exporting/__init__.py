"""Programs for other machines: C for a controller board, CUDA source, MATLAB, bundles.

functions     which programs are written, under which names; laws with their reference as inputs
c_prelude     what C source begins with: sine and cosine, smallest and largest
c_files       a header, a source, a check of itself, a CMake file; and kernels for CUDA
matlab_files  a function per file for MATLAB, Simulink and GNU Octave
matlab_check  what compares these with recorded values
closed_forms  quantities of robots with symbols as formulas
bundle        programs and what they need to be run by NumPy or CuPy alone
player        what runs a bundle; it is copied into it
exported      what users ask for, checked, and written
"""

from typing import TYPE_CHECKING

from qddot.deprecation import moved_modules
from qddot.on_demand import on_demand

if TYPE_CHECKING:
    from qddot.exporting.exported import Exported as Exported, export as export
    from qddot.exporting.bundle import load_bundle as load_bundle
    from qddot.backends.javascript import javascript as javascript

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "qddot.exporting.exported": "Exported export",
        "qddot.exporting.bundle": "load_bundle",
        "qddot.backends.javascript": "javascript",
    },
)
moved_modules(__name__, export="exported")
