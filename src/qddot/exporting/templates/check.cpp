@about@
#include "@stem@.hpp"

#include <cstdio>

namespace {

namespace robot = qddot::@stem@;
namespace Detail = qddot::@stem@::Detail;

template <class T>
void fill(T* place, const double* numbers, int count)
{
  for (int i = 0; i < count; ++i) place[i] = Detail::number<T>(numbers[i]);
}

template <class T, class R>
void compare(const T* found, const R* right, int count, double* off, double* size)
{
  for (int i = 0; i < count; ++i) {
    const double a = static_cast<double>(found[i]);
    const double b = static_cast<double>(Detail::number<T>(static_cast<double>(right[i])));
    const double apart = a == b || (a != a && b != b) ? 0.0 : std::fabs(a - b);
    if (apart > *off || apart != apart) *off = apart;  // and stay, once it is NaN
    if (std::fabs(b) > *size && std::isfinite(b)) *size = std::fabs(b);
  }
}

template <class T>
int verdict(const char* name, double off, double size, double tolerance)
{
  const bool single = sizeof(T) == sizeof(float);
  const bool wrong = !(off <= (single ? 1e-3 : tolerance) * (size > 1e-3 ? size : 1e-3));
  std::printf("%-40s %-6s off by %.1e of %.3g: %s\n", name, single ? "float" : "double", off,
              size, wrong ? "WRONG" : "right");
  return wrong;
}

@checks@
}  // namespace

int main()
{
  int wrong = 0;
@calls@
  std::printf(wrong ? "%d checks failed\n" : "all functions agree\n", wrong);
  return wrong != 0;
}
