typedef @real@ real;

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)

#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#define INFINITY __int_as_float(0x7f800000)
#endif
#define INLINE static __device__ __forceinline__ __attribute__((unused))
#define BLOCK static __device__ __noinline__
#define KERNEL(blocks) extern "C" __global__ void __launch_bounds__(THREADS, blocks)
INLINE int low_bits(real x) { return @low_bits@; }

// Division without a branch, so that the compiler can move it: an estimate, made exact by fused
// steps. Where those leave the usual numbers (0, infinities, NaN), the estimate is the answer.
INLINE bool is_usual(real x) {
  return (unsigned)((@high_bits@ & @exponent@) - @least@) < (unsigned)(@exponent@ - @least@);
}
INLINE real reciprocal(real b) {
  real r;
  asm("@approximate@" : "=@register@"(r) : "@register@"(b));
  const real e = fma(-b, r, (real)1), better = fma(r, fma(e, e, e), r);
  return is_usual(better) ? better : r;
}
INLINE real quotient(real a, real b, real r) {
  const real q = a * r, better = fma(fma(-b, q, a), r, q);
  return is_usual(better) ? better : q;
}

// A warp has 32 states, one a thread; threads without one do the last again.
//
// Wide results lie first in memory that the warp shares, and leave it as one block of 32 rows: so
// memory is written in the order in which it lies, where threads would write far apart.
#define STATES(count, entries, parts) \
  const unsigned part = blockIdx.x % (parts), block = blockIdx.x / (parts); \
  extern __shared__ __align__(128) unsigned char shared[]; \
  real* const mirror = (real*)shared + (threadIdx.x >> 5) * (entries); \
  const int lane = threadIdx.x & 31; \
  const long long first = (block * (long long)(THREADS / 32) + (threadIdx.x >> 5)) * 32; \
  if (first >= (count)) return; \
  const int rows = (count) - first < 32 ? (int)((count) - first) : 32; \
  const int mine = lane < rows ? lane : rows - 1; \
  const long long state = first + mine; \
  (void)mirror, (void)state, (void)part;
#define PART(k) if (part == (k))
#define END_OF_STATES
#define ALL_HAVE_READ __syncwarp();
#define MIRROR(array, step, start, width, apart, at, i) mirror[(at) + mine * (apart) + (i)]
#define COPY_OUT(array, step, start, width, apart, at) \
  copy_out<width, apart>((array) + first * (step) + (start), step, mirror + (at), rows, lane);
#define CARRY_IN(array, step, width, at) \
  carry_in<width>(mirror + (at), array, step, first, rows, lane);
#define CARRIED(array, step, width, at, i) mirror[(at) + mine * (width) + (i)]

#if __CUDA_ARCH__ >= 900  // one thread can have a block of memory copied

INLINE bool copies_blocks(const void* array) { return ((unsigned long long)array & 15) == 0; }
INLINE void copy_block(real* to, const real* from, int entries, int lane) {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncwarp();
  if (lane == 0) {
    const unsigned place = (unsigned)__cvta_generic_to_shared(from);
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
      :: "l"(to), "r"(place), "r"(entries * (int)sizeof(real)) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}

#else

INLINE bool copies_blocks(const void*) { return false; }
INLINE void copy_block(real*, const real*, int, int) {}

#endif

// so many entries of 32 states: one block where rows lie side by side, else row by row
template <int width, int apart>
INLINE void copy_out(real* to, long long step, const real* from, int rows, int lane) {
  asm volatile("" : "+r"(rows));  // or all that follows is compiled twice, for 32 and for fewer
  __syncwarp();
  if (apart == width && step == width && rows == 32 && copies_blocks(to)) {
    copy_block(to, from, 32 * width, lane);
  } else if (width < 32) {
    #pragma unroll 1
    for (int e = lane; e < rows * width; e += 32)
      to[e / width * step + e % width] = from[e / width * apart + e % width];
  } else {
    #pragma unroll 4
    for (int row = 0; row < rows; ++row)
      #pragma unroll
      for (int k = 0; k < width; k += 32)
        if (k + 32 <= width || k + lane < width)
          to[row * step + k + lane] = from[row * apart + k + lane];
  }
  __syncwarp();
}

#if __CUDA_ARCH__ >= 800  // memory is copied into shared memory without passing registers
#define ALL_CARRIED_IN asm volatile("cp.async.wait_all;" ::: "memory"); __syncwarp();
INLINE void copy_16_bytes(void* to, const void* from) {
  const unsigned place = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(place), "l"(from) : "memory");
}
#else
#define ALL_CARRIED_IN __syncwarp();
INLINE void copy_16_bytes(void* to, const void* from) { *(int4*)to = *(const int4*)from; }
#endif

template <int width>
INLINE void carry_in(
  real* to, const real* from, long long step, long long first, int rows, int lane
) {
  if (step == width && rows == 32 && ((unsigned long long)from & 15) == 0) {
    constexpr int blocks = 32 * width * (int)sizeof(real) / 16;
    const char* const block = (const char*)(from + first * width);
    #pragma unroll
    for (int k = 0; k < blocks; k += 32)
      if (k + 32 <= blocks || k + lane < blocks)
        copy_16_bytes((char*)to + 16 * (k + lane), block + 16 * (k + lane));
  } else {
    #pragma unroll 1
    for (int e = lane; e < 32 * width; e += 32) {
      const int row = e / width < rows ? e / width : rows - 1;
      to[e] = from[(first + row) * step + e % width];
    }
  }
}

#else  // a processor, one state after the other

#include <cmath>
#include <cstring>
using std::fma; using std::sqrt; using std::exp; using std::log; using std::tanh; using std::fabs;
using std::atan2; using std::floor;
#define INLINE static inline
#define BLOCK static
#define KERNEL(blocks) extern "C" void
static inline real reciprocal(real) { return 0; }
static inline real quotient(real a, real b, real) { return a / b; }
static inline int low_bits(real x) { @integer@ i; std::memcpy(&i, &x, sizeof x); return (int)i; }
#define STATES(count, entries, parts) \
  for (long long state = 0; state < (count); ++state) {
#define PART(k)
#define END_OF_STATES }
#define ALL_HAVE_READ
#define MIRROR(array, step, start, width, apart, at, i) (array)[state * (step) + (start) + (i)]
#define COPY_OUT(array, step, start, width, apart, at)
#define CARRY_IN(array, step, width, at)
#define CARRIED(array, step, width, at, i) (array)[state * (step) + (i)]
#define ALL_CARRIED_IN

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
