"""The words of CUDA source that every kernel begins with: numbers, functions, rows.

The same text compiles as C++ for a processor, one state after the other, so that the arithmetic of
a kernel can be checked where there is no GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from qddot.backends.sincos import DOUBLE, SINGLE
from qddot.backends.source import Dialect, FloatType

WARP = 32  # threads that go in step, one state each


@dataclass(frozen=True)
class Real(FloatType):
    """The type of number of a kernel."""

    single: bool = False  # float32
    cast: ClassVar[str] = "(real)"

    @property
    def dialect(self) -> Dialect:
        return Dialect(
            declare="const real ",
            number=self.literal,
            functions={
                "sin": "sine({0})",
                "cos": "cosine({0})",
                "sqrt": "sqrt({0})",
                "exp": "exp({0})",
                "log": "log({0})",
                "tanh": "tanh({0})",
                "atan2": "atan2({0}, {1})",
                "floor": "floor({0})",
                "abs": "fabs({0})",
                "sign": "({0} > 0 ? (real)1 : {0} < 0 ? (real)-1 : {0})",
                "min": "least({0}, {1})",
                "max": "most({0}, {1})",
                "less": "({0} < {1} ? (real)1 : (real)0)",
                "less_equal": "({0} <= {1} ? (real)1 : (real)0)",
                "select": "({0} != 0 ? {1} : {2})",
            },
            pair="real {sin}, {cos}; sine_and_cosine({x}, &{sin}, &{cos});",
        )


def prelude(real: Real) -> str:
    """Return what stands before the kernels of a file."""
    p = SINGLE if real.single else DOUBLE
    number = real.literal
    reduced = "\n".join(f"  y = fma(k, {number(-part)}, y);" for part in p.half_pi)
    parts = {
        "real": real.name,
        "low_bits": "__float_as_int(x)" if real.single else "__double2loint(x)",
        "integer": "int" if real.single else "long long",
        "inverse": number(1 / p.half_pi[0]),
        "magic": number(p.magic),
        "largest": number(p.largest),
        "reduced": reduced,
        "P": _polynomial("P", p.sine, number),
        "Q": _polynomial("Q", p.cosine, number),
    }
    text = PRELUDE
    for name, value in parts.items():
        text = text.replace(f"@{name}@", value)
    return text


def _polynomial(name: str, coefficients: tuple[float, ...], number: Callable[[float], str]) -> str:
    first, *rest = coefficients
    lines = [f"  real {name} = {number(first)};"]
    lines += [f"  {name} = fma({name}, z, {number(a)});" for a in rest]
    return "\n".join(lines)


PRELUDE = """typedef @real@ real;

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)

#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#define INFINITY __int_as_float(0x7f800000)
#endif
#define INLINE static __device__ __forceinline__ __attribute__((unused))
#define KERNEL(blocks) extern "C" __global__ void __launch_bounds__(THREADS, blocks)
INLINE int low_bits(real x) { return @low_bits@; }

// A warp has 32 states, one a thread; threads without one do the last again.
//
// Wide results lie first in memory that the warp shares, and leave it as one block of 32 rows: so
// memory is written in the order in which it lies, where threads would write far apart.
#define STATES(count, entries) \\
  extern __shared__ __align__(128) unsigned char shared[]; \\
  real* const mirror = (real*)shared + (threadIdx.x >> 5) * (entries); \\
  const int lane = threadIdx.x & 31; \\
  const long long first = (blockIdx.x * (long long)(THREADS / 32) + (threadIdx.x >> 5)) * 32; \\
  if (first >= (count)) return; \\
  const int rows = (count) - first < 32 ? (int)((count) - first) : 32; \\
  const int mine = lane < rows ? lane : rows - 1; \\
  const long long state = first + mine; \\
  (void)mirror, (void)state;
#define END_OF_STATES
#define ALL_HAVE_READ __syncwarp();
#define MIRROR(array, step, from, width, at, k) mirror[(at) + mine * (width) + (k)]
#define COPY_OUT(array, step, from, width, at) \\
  BEFORE_COPY \\
  if (AS_ONE_BLOCK(array, step, from, width)) { \\
    if (lane == 0) copy_block((array) + first * (width), mirror + (at), 32 * (width)); \\
  } else { \\
    for (int e = lane; e < rows * (width); e += 32) \\
      (array)[(first + e / (width)) * (step) + (from) + e % (width)] = mirror[(at) + e]; \\
  } \\
  __syncwarp();

#if __CUDA_ARCH__ >= 900  // one thread can have a block of memory copied

#define AS_ONE_BLOCK(array, step, from, width) \\
  ((from) == 0 && (step) == (width) && rows == 32 && ((unsigned long long)(array) & 15) == 0)
#define BEFORE_COPY \\
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); \\
  __syncwarp();
INLINE void copy_block(real* to, const real* from, int entries) {
  const unsigned place = (unsigned)__cvta_generic_to_shared(from);
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
    :: "l"(to), "r"(place), "r"(entries * (int)sizeof(real)) : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

#else

#define AS_ONE_BLOCK(array, step, from, width) false
#define BEFORE_COPY __syncwarp();
INLINE void copy_block(real*, const real*, int) {}

#endif

#else  // a processor, one state after the other

#include <cmath>
#include <cstring>
using std::fma; using std::sqrt; using std::exp; using std::log; using std::tanh; using std::fabs;
using std::atan2; using std::floor;
#define INLINE static inline
#define KERNEL(blocks) extern "C" void
static inline int low_bits(real x) { @integer@ i; std::memcpy(&i, &x, sizeof x); return (int)i; }
#define STATES(count, entries) for (long long state = 0; state < (count); ++state) {
#define END_OF_STATES }
#define ALL_HAVE_READ
#define MIRROR(array, step, from, width, at, k) (array)[state * (step) + (from) + (k)]
#define COPY_OUT(array, step, from, width, at)

#endif

// by reduction with pi/2 in three parts and two polynomials; NaN where an angle means nothing
INLINE void sine_and_cosine(real x, real* s, real* c) {
  const real shifted = fma(x, @inverse@, @magic@);
  const real k = shifted - @magic@;
  real y = x;
@reduced@
  y = fabs(x) <= @largest@ ? y : (real)NAN;
  const real z = y * y;
@P@
@Q@
  const real sine = fma(y * z, P, y);
  const real cosine = fma(z, fma(z, Q, (real)-0.5), (real)1);
  const int quadrant = low_bits(shifted);
  const real a = quadrant & 1 ? cosine : sine, b = quadrant & 1 ? sine : cosine;
  *s = quadrant & 2 ? -a : a;
  *c = (quadrant + 1) & 2 ? -b : b;
}
INLINE real sine(real x) { real s, c; sine_and_cosine(x, &s, &c); return s; }
INLINE real cosine(real x) { real s, c; sine_and_cosine(x, &s, &c); return c; }
// NaN stays NaN
INLINE real least(real a, real b) { return a < b || a != a ? a : b; }
INLINE real most(real a, real b) { return a > b || a != a ? a : b; }
"""
