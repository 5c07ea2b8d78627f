/* What holds joints and what they hit: forces between bounds, all joints at once. */
#include "arm.h"

#include <math.h>

#define SLOW 1e-4 /* [rad/s or m/s] what would leave a stop more slowly stays there */
#define SLACK 1e-13

/* Gauss and Jordan, of a symmetric positive definite matrix. */
void invert(int n, const double *M, double *inverse)
{
  double a[JOINTS][2 * JOINTS];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      a[i][j] = M[i * n + j];
      a[i][n + j] = i == j;
    }
  for (int k = 0; k < n; ++k) {
    const double pivot = 1.0 / a[k][k];
    for (int j = 0; j < 2 * n; ++j) a[k][j] *= pivot;
    for (int i = 0; i < n; ++i) {
      const double factor = a[i][k];
      if (i != k && factor != 0.0)
        for (int j = 0; j < 2 * n; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) inverse[i * n + j] = a[i][n + j];
}

/* Solve for the forces that hold: A force = -(b + A rest) among those with where == HELD. */
static void holding(int n, const double *A, const double *b, const int *where, double *force)
{
  int held[JOINTS], count = 0;
  double part[JOINTS * JOINTS] = {0}, inverse[JOINTS * JOINTS], right[JOINTS];
  for (int i = 0; i < n; ++i)
    if (where[i] == HELD) {
      force[i] = 0.0;
      held[count++] = i;
    }
  for (int r = 0; r < count; ++r) {
    right[r] = -b[held[r]];
    for (int j = 0; j < n; ++j) right[r] -= A[held[r] * n + j] * force[j];
    for (int c = 0; c < count; ++c) part[r * count + c] = A[held[r] * n + held[c]];
  }
  invert(count, part, inverse);
  for (int r = 0; r < count; ++r) {
    double sum = 0.0;
    for (int c = 0; c < count; ++c) sum += inverse[r * count + c] * right[c];
    force[held[r]] = sum;
  }
}

/* Find w = A force + b with w = 0 and low <= force <= high, or force = low and w >= 0, or
   force = high and w <= 0: exchange the first that is wrong until none is (K. Murty, 1974). */
void bounded_forces(int n, const double *A, const double *b, const double *low, const double *high,
                    double *force, int *where)
{
  double size = 0.0, rounds = 1.0;
  for (int i = 0; i < n; ++i) {
    where[i] = HELD;
    size = fmax(size, fabs(b[i]));
    rounds *= 3.0;
  }
  for (double round = 0.0; round <= rounds; round += 1.0) {
    int wrong = -1;
    for (int i = 0; i < n; ++i) force[i] = where[i] == AT_LOW ? low[i] : high[i];
    holding(n, A, b, where, force);
    for (int i = 0; i < n && wrong < 0; ++i) {
      double w = b[i];
      const double margin = SLACK * fabs(force[i]);
      for (int j = 0; j < n; ++j) w += A[i * n + j] * force[j];
      if (where[i] == HELD && force[i] < low[i] - margin) {
        where[i] = AT_LOW;
        wrong = i;
      } else if (where[i] == HELD && force[i] > high[i] + margin) {
        where[i] = AT_HIGH;
        wrong = i;
      } else if ((where[i] == AT_LOW && w < -SLACK * size) || (where[i] == AT_HIGH && w > SLACK * size)) {
        where[i] = HELD;
        wrong = i;
      }
    }
    if (wrong < 0) return;
  }
}

/* Let joints leave the stops that they hit, side: -1 lower, 1 upper, 0 none, by impulses of all stops
   that are touched: Newton's law of impact, each with at least the share e of its velocity. */
void after_impact(double restitution, const int *side, const double *M, double *qd)
{
  int touched[JOINTS], where[JOINTS], stays[JOINTS], n = 0, slowly = 1;
  double inverse[JOINTS * JOINTS], A[JOINTS * JOINTS] = {0}, before[JOINTS], bounce[JOINTS];
  double b[JOINTS] = {0}, low[JOINTS] = {0}, high[JOINTS] = {0}, impulse[JOINTS], more[JOINTS], leaving[JOINTS], change[JOINTS];
  double largest = 0.0;
  invert(JOINTS, M, inverse);
  for (int i = 0; i < JOINTS; ++i)
    if (side[i]) touched[n++] = i;
  for (int r = 0; r < n; ++r) {
    before[r] = -side[touched[r]] * qd[touched[r]];
    bounce[r] = -restitution * before[r] > SLOW ? -restitution * before[r] : 0.0;
    b[r] = before[r] - bounce[r];
    low[r] = 0.0;
    high[r] = INFINITY;
    stays[r] = 0;
    for (int c = 0; c < n; ++c)
      A[r * n + c] = side[touched[r]] * inverse[touched[r] * JOINTS + touched[c]] * side[touched[c]];
  }
  bounded_forces(n, A, b, low, high, impulse, where);
  for (int r = 0; r < n; ++r) {
    leaving[r] = before[r];
    for (int c = 0; c < n; ++c) leaving[r] += A[r * n + c] * impulse[c];
    if (where[r] == HELD) leaving[r] = bounce[r];
  }
  while (slowly) { /* what would be thrown off too slowly to matter stays */
    slowly = 0;
    for (int r = 0; r < n; ++r)
      if (leaving[r] > 0.0 && leaving[r] < SLOW) stays[r] = slowly = 1;
    if (!slowly) break;
    for (int r = 0; r < n; ++r) low[r] = stays[r] ? -INFINITY : 0.0;
    bounded_forces(n, A, leaving, low, high, more, where);
    for (int r = 0; r < n; ++r) b[r] = leaving[r];
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) b[r] += A[r * n + c] * more[c];
      impulse[r] += more[r];
    }
    for (int r = 0; r < n; ++r) leaving[r] = where[r] == HELD ? 0.0 : b[r];
  }
  for (int i = 0; i < JOINTS; ++i) {
    change[i] = 0.0;
    for (int c = 0; c < n; ++c) change[i] -= inverse[i * JOINTS + touched[c]] * side[touched[c]] * impulse[c];
    largest = fmax(largest, fabs(change[i]));
  }
  for (int i = 0; i < JOINTS; ++i)
    if (fabs(change[i]) >= 1e-14 * largest) qd[i] += change[i];
  for (int r = 0; r < n; ++r) qd[touched[r]] = -side[touched[r]] * leaving[r];
}
