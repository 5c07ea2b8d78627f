#ifndef @GUARD@_HPP
#define @GUARD@_HPP

#if __cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L)
#error "this header needs C++17: compile with -std=c++17 or newer"
#endif
@EXACT@
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#if __cplusplus >= 202002L && __has_include(<span>)
#include <span>
#endif
#if !defined(@GUARD@_WITHOUT_EIGEN) && __has_include(<Eigen/Core>)
#include <Eigen/Core>
#define @GUARD@_EIGEN
#endif

// how many bytes a register holds, where the compiler can compute with whole ones and rounds as T
// does, which an old 387 does not
#if defined(__GNUC__) && !defined(@GUARD@_WITHOUT_VECTORS) && __FLT_EVAL_METHOD__ == 0
#if defined(__AVX512F__)
#define @GUARD@_VECTORS 64
#define @GUARD@_LANES lanes_of_64_bytes
#elif defined(__AVX__)
#define @GUARD@_VECTORS 32
#define @GUARD@_LANES lanes_of_32_bytes
#else
#define @GUARD@_VECTORS 16
#define @GUARD@_LANES lanes_of_16_bytes
#endif
#else
#define @GUARD@_LANES one_by_one
#endif
