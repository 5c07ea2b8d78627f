#if defined(@GUARD@_EIGEN)
/// A matrix of Eigen that lies row by row, as functions here take it; a column is one as well.
template <class T, int Rows, int Columns = 1>
using Matrix =
    Eigen::Matrix<T, Rows, Columns, Columns == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
#endif

namespace Detail {

/// How many entries an array has, and whether those of a row lie side by side.
template <class C, class = void>
struct Extent;

template <class T, std::size_t N>
struct Extent<std::array<T, N>> {
  static constexpr std::size_t value = N;
  static constexpr bool by_rows = true;
};

#if defined(__cpp_lib_span)
template <class T, std::size_t N>
struct Extent<std::span<T, N>> {
  static_assert(N != std::dynamic_extent, "say how many entries the span has: x.first<7>()");
  static constexpr std::size_t value = N;
  static constexpr bool by_rows = true;
};
#endif

#if defined(@GUARD@_EIGEN)
template <class M>
struct Extent<M, std::enable_if_t<std::is_base_of_v<Eigen::PlainObjectBase<M>, M>>> {
  static_assert(M::SizeAtCompileTime != Eigen::Dynamic, "take a matrix or map of fixed size");
  static constexpr std::size_t value = static_cast<std::size_t>(M::SizeAtCompileTime);
  static constexpr bool by_rows = M::IsRowMajor;
};

template <class M, int Options>
struct Extent<Eigen::Map<M, Options>> : Extent<std::remove_const_t<M>> {};
#endif

}  // namespace Detail

/**
 * A place for Rows x Columns numbers that lie one after the other, row by row: made of a pointer,
 * of std::array, of std::span (C++20) or of an Eigen matrix or map, whose size must be right.
 */
template <class T, std::size_t Rows, std::size_t Columns = 1>
class View {
 public:
  View(T* place) noexcept : first(place) {}

  template <class C, std::size_t Size = Detail::Extent<std::decay_t<C>>::value,
            class = std::enable_if_t<
                std::is_convertible_v<decltype(std::declval<C&>().data()), T*>>>
  View(C&& container) noexcept : first(container.data()) {
    static_assert(Size == Rows * Columns, "this array has another number of entries");
    static_assert(Rows == 1 || Columns == 1 || Detail::Extent<std::decay_t<C>>::by_rows,
                  "matrices lie row by row: take Eigen::Matrix<T, Rows, Columns, Eigen::RowMajor>");
  }

  T* data() const noexcept { return first; }

 private:
  T* first;
};

#if defined(@GUARD@_VECTORS)
/**
 * Several numbers that are computed at once, one per state: as many as a register holds, by the
 * target that the compiler is told (-march=native). Arithmetic works on each by itself.
 */
template <class S>
struct Lanes {
  static constexpr std::size_t bytes = @GUARD@_VECTORS;
  static constexpr std::size_t width = bytes / sizeof(S);
  using Scalar = S;
  typedef S Register __attribute__((vector_size(@GUARD@_VECTORS)));

  Register values;

  Lanes() = default;
  Lanes(S all) noexcept : values(all - Register{}) {}  // a difference keeps the sign of -0
  explicit Lanes(const Register& x) noexcept : values(x) {}

  S operator[](std::size_t i) const noexcept { return values[i]; }
// lanes are put one after the other, and gcc takes the first for a use of the others
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
  void put(std::size_t i, S x) noexcept { values[i] = x; }
#pragma GCC diagnostic pop

  friend Lanes operator+(Lanes a, Lanes b) noexcept { return Lanes(a.values + b.values); }
  friend Lanes operator-(Lanes a, Lanes b) noexcept { return Lanes(a.values - b.values); }
  friend Lanes operator*(Lanes a, Lanes b) noexcept { return Lanes(a.values * b.values); }
  friend Lanes operator/(Lanes a, Lanes b) noexcept { return Lanes(a.values / b.values); }
  friend Lanes operator-(Lanes a) noexcept { return Lanes(-a.values); }
};
#endif

namespace Detail {

template <class T>
struct Kind {
  using Scalar = T;
  static constexpr bool lanes = false;
};

/// What pi/2 is taken off by, and the polynomials of sine and cosine on what is left.
template <class S>
struct Circle;

@CIRCLES@

/// A number of the source, which float may not be able to hold.
template <class S>
constexpr S number(double x) noexcept {
  constexpr double most = static_cast<double>(std::numeric_limits<S>::max());
  return x > most    ? std::numeric_limits<S>::infinity()
         : x < -most ? -std::numeric_limits<S>::infinity()
                     : static_cast<S>(x);
}

template <class T, class S, std::size_t N>
inline T polynomial(const T& z, const S (&coefficients)[N]) noexcept {
  T sum = coefficients[0];
  for (std::size_t i = 1; i < N; ++i) sum = sum * z + coefficients[i];
  return sum;
}

template <class S>
inline S choose(bool first, S a, S b) noexcept {
  return first ? a : b;
}
template <class S>
inline bool below(S a, S b) noexcept {
  return a < b;
}
template <class S>
inline bool below_or_equal(S a, S b) noexcept {
  return a <= b;
}
template <class S>
inline bool differs(S a, S b) noexcept {
  return a != b;
}
template <class S, class Function>
inline S each(Function function, S a) noexcept {
  return function(a);
}
template <class S, class Function>
inline S each(Function function, S a, S b) noexcept {
  return function(a, b);
}

/// Both at once: k is the nearest multiple of pi/2, y is what is left of x.
template <class S>
inline void sincos(S x, S& s, S& c) noexcept {
  using P = Circle<S>;
  if (!(std::fabs(x) < P::near)) {
    s = std::sin(x);
    c = std::cos(x);
    return;
  }
  const int k = static_cast<int>(x * P::turns + (x < S(0) ? S(-0.5) : S(0.5)));
  const S m = static_cast<S>(k);
  S y = x;
  for (const S part : P::half_pi) y = y - m * part;
  const S z = y * y;
  const S sine = y + y * z * polynomial(z, P::sine);
  const S cosine = S(1) + z * (z * polynomial(z, P::cosine) - S(0.5));
  const S first = k & 1 ? cosine : sine;
  const S second = k & 1 ? sine : cosine;
  s = k & 2 ? -first : first;
  c = (k + 1) & 2 ? -second : second;
}

#if defined(@GUARD@_VECTORS)
template <class S>
struct Kind<Lanes<S>> {
  using Scalar = S;
  static constexpr bool lanes = true;
};

template <class S>
using Register = typename Lanes<S>::Register;
template <class S>
using Mask = decltype(Register<S>{} < Register<S>{});

template <class S>
inline Mask<S> below(const Lanes<S>& a, const Lanes<S>& b) noexcept {
  return a.values < b.values;
}
template <class S>
inline Mask<S> below_or_equal(const Lanes<S>& a, const Lanes<S>& b) noexcept {
  return a.values <= b.values;
}
template <class S>
inline Mask<S> differs(const Lanes<S>& a, const Lanes<S>& b) noexcept {
  return a.values != b.values;
}
template <class M, class S>
inline Lanes<S> choose(const M& first, const Lanes<S>& a, const Lanes<S>& b) noexcept {
  return Lanes<S>(first ? a.values : b.values);
}
template <class S, class Function>
inline Lanes<S> each(Function function, const Lanes<S>& a) noexcept {
  Lanes<S> result;
  for (std::size_t i = 0; i < Lanes<S>::width; ++i) result.put(i, function(a[i]));
  return result;
}
template <class S, class Function>
inline Lanes<S> each(Function function, const Lanes<S>& a, const Lanes<S>& b) noexcept {
  Lanes<S> result;
  for (std::size_t i = 0; i < Lanes<S>::width; ++i) result.put(i, function(a[i], b[i]));
  return result;
}

template <class S>
inline void sincos(const Lanes<S>& x, Lanes<S>& s, Lanes<S>& c) noexcept {
  using P = Circle<S>;
  bool near = true;
  for (std::size_t i = 0; i < Lanes<S>::width; ++i) near = near && std::fabs(x[i]) < P::near;
  if (!near) {
    for (std::size_t i = 0; i < Lanes<S>::width; ++i) {
      S sine, cosine;
      sincos(x[i], sine, cosine);
      s.put(i, sine);
      c.put(i, cosine);
    }
    return;
  }
  // adding it rounds to a whole number, which then stands in the low bits
  const Lanes<S> moved = x * P::turns + P::magic;
  const Lanes<S> m = moved - P::magic;
  Mask<S> k;
  static_assert(sizeof k == sizeof moved.values);
  std::memcpy(&k, &moved.values, sizeof k);
  Lanes<S> y = x;
  for (const S part : P::half_pi) y = y - m * part;
  const Lanes<S> z = y * y;
  const Lanes<S> sine = y + y * z * polynomial(z, P::sine);
  const Lanes<S> cosine = S(1) + z * (z * polynomial(z, P::cosine) - S(0.5));
  const Mask<S> odd = (k & 1) != 0;
  const Lanes<S> first = choose(odd, cosine, sine);
  const Lanes<S> second = choose(odd, sine, cosine);
  s = choose((k & 2) != 0, -first, first);
  c = choose(((k + 1) & 2) != 0, -second, second);
}

/// Read so many rows into lanes, the last one again where there are no more.
template <std::size_t Size, class S>
inline void load(const S* rows, std::size_t left, Lanes<S>* values) noexcept {
  for (std::size_t lane = 0; lane < Lanes<S>::width; ++lane) {
    const S* row = rows + (lane < left ? lane : left - 1) * Size;
    for (std::size_t i = 0; i < Size; ++i) values[i].put(lane, row[i]);
  }
}

template <std::size_t Size, class S>
inline void store(const Lanes<S>* values, std::size_t left, S* rows) noexcept {
  for (std::size_t lane = 0; lane < Lanes<S>::width && lane < left; ++lane)
    for (std::size_t i = 0; i < Size; ++i) rows[lane * Size + i] = values[i][lane];
}
#endif

template <class T>
struct Given {  // an argument that is converted, not deduced
  using Type = T;
};
template <class T>
using As = typename Given<T>::Type;

template <class T>
inline T sine(As<T> x) noexcept {
  T s, c;
  sincos(x, s, c);
  return s;
}
template <class T>
inline T cosine(As<T> x) noexcept {
  T s, c;
  sincos(x, s, c);
  return c;
}
@LIBRARY@
template <class T>
inline T sign(As<T> x) noexcept {
  using S = typename Kind<T>::Scalar;
  return choose(below(T(S(0)), x), T(S(1)), choose(below(x, T(S(0))), T(S(-1)), x));
}
template <class T>
inline T least(As<T> a, As<T> b) noexcept {  // NaN if either is
  return choose(below(a, b), a, choose(differs(a, a), a, b));
}
template <class T>
inline T largest(As<T> a, As<T> b) noexcept {  // NaN if either is
  return choose(below(b, a), a, choose(differs(a, a), a, b));
}
template <class T>
inline T less(As<T> a, As<T> b) noexcept {
  using S = typename Kind<T>::Scalar;
  return choose(below(a, b), T(S(1)), T(S(0)));
}
template <class T>
inline T less_equal(As<T> a, As<T> b) noexcept {
  using S = typename Kind<T>::Scalar;
  return choose(below_or_equal(a, b), T(S(1)), T(S(0)));
}
template <class T>
inline T select(As<T> a, As<T> b, As<T> c) noexcept {
  using S = typename Kind<T>::Scalar;
  return choose(differs(a, T(S(0))), b, c);
}

}  // namespace Detail
