@about@
#include "@stem@.h"

#include <math.h>
#include <stdio.h>

static void compare(
  const @T@ *found, const @T@ *right, int count, double *off, double *size)
{
  for (int i = 0; i < count; ++i) {
    const double a = (double)found[i], b = (double)right[i];
    const double apart = a == b || (a != a && b != b) ? 0.0 : fabs(a - b);
    if (apart > *off || apart != apart) *off = apart; /* and stay, once it is NaN */
    if (fabs(b) > *size && isfinite(b)) *size = fabs(b);
  }
}

static int verdict(const char *name, double off, double size, double tolerance)
{
  const int wrong = !(off <= tolerance * (size > 1e-3 ? size : 1e-3));
  printf("%-40s off by %.1e of %.3g: %s\n", name, off, size, wrong ? "WRONG" : "right");
  return wrong;
}

@checks@
int main(void)
{
  int wrong = 0;
@calls@
  printf(wrong ? "%d of the functions are wrong\n" : "all functions agree\n", wrong);
  return wrong != 0;
}
