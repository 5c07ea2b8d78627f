/* How an arm moves: smooth pieces by Dormand and Prince's method, with what happens between them. */
#include "arm.h"

#include <math.h>
#include <string.h>

#define STILL 1e-12    /* [rad/s or m/s] a velocity that has crossed zero by less has not */
#define ROUNDING 1e-14 /* of a position: a stop passed by less has not been passed */
#define SAME 1e-9      /* [s] what happens within less happens at the same instant */
#define BARELY 1e-9    /* share by which a force is beyond its bound when it has just passed it */
#define TURNS 1000     /* events at one instant, after which it gives up */

void arm_reset(Arm *arm)
{
  memset(arm, 0, sizeof *arm);
  memcpy(arm->q, model_q, sizeof arm->q);
  memcpy(arm->qd, model_qd, sizeof arm->qd);
  memcpy(arm->p, model_parameters, sizeof arm->p);
  for (int i = 0; i < JOINTS; ++i) arm->freed[i] = 1.0;
  arm->step = 1e-3;
  arm->tolerance = 1e-10;
}

void arm_accelerations(const Arm *arm, double qdd[JOINTS])
{
  model_rate(arm->q, arm->qd, arm->tau, arm->direction, arm->freed, arm->p, qdd);
}

void arm_tangent(const Arm *arm, const double dq[JOINTS], const double dqd[JOINTS],
                 const double dtau[JOINTS], const double dp[PARAMETERS], double dqdd[JOINTS])
{
  model_tangent(arm->q, arm->qd, arm->tau, arm->direction, arm->freed, arm->p, dq, dqd, dtau, dp,
                dqdd);
}

static double lower(const Arm *arm, int i) { return arm->stops ? model_lower[i] : -INFINITY; }
static double upper(const Arm *arm, int i) { return arm->stops ? model_upper[i] : INFINITY; }

/* Give the least and the largest force that can hold a joint. */
static void bounds(const Arm *arm, const double *grip, int i, double *low, double *high)
{
  *low = arm->stop[i] > 0 ? -INFINITY : -grip[i];
  *high = arm->stop[i] < 0 ? INFINITY : grip[i];
}

static double width(double low, double high) { return isfinite(high - low) ? high - low : 1.0; }

void arm_indicators(const Arm *arm, double z[INDICATORS])
{
  double qdd[JOINTS], M[JOINTS * JOINTS], reaction[JOINTS], grip[JOINTS];
  int any = 0;
  for (int i = 0; i < JOINTS; ++i) any |= arm->freed[i] == 0.0;
  if (any)
    model_full(arm->q, arm->qd, arm->tau, arm->direction, arm->freed, arm->p, qdd, M, reaction, grip);
  for (int i = 0; i < JOINTS; ++i) {
    const double near = ROUNDING * (1.0 + fabs(arm->q[i]));
    z[3 * i] = z[3 * i + 1] = z[3 * i + 2] = 1.0;
    if (arm->freed[i] == 0.0) {
      double low, high;
      bounds(arm, grip, i, &low, &high);
      z[3 * i] = fmin(fmin(reaction[i] - low, high - reaction[i]) + 1e-12 * width(low, high), 1e9);
    } else {
      if (arm->direction[i] != 0.0) z[3 * i] = arm->direction[i] * arm->qd[i] + STILL;
      if (isfinite(lower(arm, i))) z[3 * i + 1] = arm->q[i] - lower(arm, i) + near;
      if (isfinite(upper(arm, i))) z[3 * i + 2] = upper(arm, i) - arm->q[i] + near;
    }
  }
}

void arm_decide(Arm *arm, int loose)
{
  double qdd[JOINTS], M[JOINTS * JOINTS], reaction[JOINTS], grip[JOINTS], inverse[JOINTS * JOINTS];
  double A[JOINTS * JOINTS], b[JOINTS], low[JOINTS], high[JOINTS], force[JOINTS];
  int rest[JOINTS], where[JOINTS], n = 0;
  model_grip(arm->p, grip);
  for (int i = 0; i < JOINTS; ++i) {
    const double qd = arm->qd[i];
    arm->freed[i] = 1.0;
    arm->direction[i] = grip[i] != 0.0 ? (qd > 0.0) - (qd < 0.0) : 0.0;
    arm->stop[i] = qd != 0.0 ? 0 : arm->q[i] >= upper(arm, i) ? 1 : arm->q[i] <= lower(arm, i) ? -1 : 0;
    if (qd == 0.0 && (grip[i] != 0.0 || arm->stop[i])) rest[n++] = i;
  }
  if (!n) return;
  model_full(arm->q, arm->qd, arm->tau, arm->direction, arm->freed, arm->p, qdd, M, reaction, grip);
  invert(JOINTS, M, inverse);
  for (int r = 0; r < n; ++r) {
    const double give = rest[r] == loose ? 1.0 - BARELY : 1.0;
    bounds(arm, grip, rest[r], &low[r], &high[r]);
    low[r] *= give;
    high[r] *= give;
    b[r] = qdd[rest[r]];
    for (int c = 0; c < n; ++c) A[r * n + c] = inverse[rest[r] * JOINTS + rest[c]];
  }
  bounded_forces(n, A, b, low, high, force, where);
  for (int r = 0; r < n; ++r) {
    const int i = rest[r]; /* a force at its low end opposes a motion upwards */
    arm->freed[i] = where[r] == HELD ? 0.0 : 1.0;
    arm->direction[i] = grip[i] != 0.0 ? -where[r] : 0.0;
    if (where[r] != HELD) arm->stop[i] = 0;
  }
}

int arm_event(Arm *arm)
{
  double qdd[JOINTS], M[JOINTS * JOINTS], reaction[JOINTS], grip[JOINTS], worst = 0.0;
  int side[JOINTS], hit = 0, changed = 0, loose = -1;
  model_full(arm->q, arm->qd, arm->tau, arm->direction, arm->freed, arm->p, qdd, M, reaction, grip);
  for (int i = 0; i < JOINTS; ++i) {
    const double qd = arm->qd[i], near = ROUNDING * (1.0 + fabs(arm->q[i])) + SAME * fabs(qd);
    side[i] = 0;
    if (arm->freed[i] == 0.0) {
      double low, high, left;
      bounds(arm, grip, i, &low, &high);
      left = fmin(reaction[i] - low, high - reaction[i]) / width(low, high);
      if (left <= BARELY && (loose < 0 || left < worst)) {
        loose = i;
        worst = left;
      }
      side[i] = arm->stop[i];
      continue;
    }
    if (qd > 0.0 && upper(arm, i) - arm->q[i] <= near) side[i] = 1;
    if (qd < 0.0 && arm->q[i] - lower(arm, i) <= near) side[i] = -1;
    if (side[i]) {
      arm->q[i] = side[i] > 0 ? upper(arm, i) : lower(arm, i);
      hit = 1;
      continue;
    }
    if (arm->q[i] > upper(arm, i) || arm->q[i] < lower(arm, i)) { /* on its way back already */
      arm->q[i] = arm->q[i] > upper(arm, i) ? upper(arm, i) : lower(arm, i);
      changed = 1;
    }
    const double along = arm->direction[i] * qd, rate = arm->direction[i] * qdd[i];
    if (along < 0.0 || (rate < 0.0 && along <= -SAME * rate)) {
      changed |= qd != 0.0;
      arm->qd[i] = 0.0;
    }
  }
  if (hit) after_impact(arm->restitution, side, M, arm->qd);
  arm_decide(arm, loose);
  return changed || hit;
}

/* One step of the method of Dormand and Prince (1980) of order 5, with the accelerations at its two
   ends; gives how far it is off. */
static double stepped(const Arm *from, const double first[JOINTS], double h, Arm *to,
                      double last[JOINTS])
{
  static const double a[7][6] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  static const double e[7] = {71.0 / 57600,      0, -71.0 / 16695, 71.0 / 1920,
                              -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
  double v[7][JOINTS], w[7][JOINTS], off = 0.0;
  *to = *from;
  memcpy(v[0], from->qd, sizeof v[0]);
  memcpy(w[0], first, sizeof w[0]);
  for (int s = 1; s < 7; ++s) {
    for (int i = 0; i < JOINTS; ++i) {
      double x = 0.0, y = 0.0;
      for (int k = 0; k < s; ++k) {
        x += a[s][k] * v[k][i];
        y += a[s][k] * w[k][i];
      }
      to->q[i] = from->q[i] + h * x;
      to->qd[i] = from->qd[i] + h * y;
      v[s][i] = to->qd[i];
    }
    arm_accelerations(to, w[s]);
  }
  for (int i = 0; i < JOINTS; ++i) {
    double x = 0.0, y = 0.0;
    for (int k = 0; k < 7; ++k) {
      x += e[k] * v[k][i];
      y += e[k] * w[k][i];
    }
    off = fmax(off, fabs(h * x) / (1.0 + fabs(to->q[i])));
    off = fmax(off, fabs(h * y) / (1.0 + fabs(to->qd[i])));
    if (!isfinite(x + y)) off = INFINITY;
    if (from->freed[i] == 0.0) to->qd[i] = 0.0;
  }
  memcpy(last, w[6], sizeof w[6]);
  to->time = from->time + h;
  return off;
}

/* Where within a step, as a share of it, what is positive at both ends is negative and least, by the
   cubic through its values a, b and rates da, db there; 1 if nowhere. */
static double dip(double a, double da, double b, double db, double h)
{
  const double m = h * da, k = h * db, c = 6.0 * (a - b);
  if (!(m < 0.0 && k > 0.0)) return 1.0;
  const double A = c + 3.0 * (m + k), B = -c - 4.0 * m - 2.0 * k; /* A s^2 + B s + m is its rate */
  const double s = 2.0 * m / (-B - sqrt(fmax(B * B - 4.0 * A * m, 0.0)));
  const double r = 1.0 - s;
  const double value = (1.0 + 2.0 * s) * r * r * a + s * r * r * m + s * s * (3.0 - 2.0 * s) * b - s * s * r * k;
  return s > 0.0 && s < 1.0 && value < 0.0 ? fmax(s, 0.01) : 1.0;
}

/* The share of a step after which something has happened that both its ends hide. */
static double hidden(const Arm *from, const double first[JOINTS], const Arm *to,
                     const double last[JOINTS], double h)
{
  double share = 1.0;
  for (int i = 0; i < JOINTS; ++i) {
    const double d = from->direction[i], low = lower(from, i), high = upper(from, i);
    if (from->freed[i] == 0.0) continue;
    if (d != 0.0) share = fmin(share, dip(d * from->qd[i], d * first[i], d * to->qd[i], d * last[i], h));
    if (isfinite(low)) share = fmin(share, dip(from->q[i] - low, from->qd[i], to->q[i] - low, to->qd[i], h));
    if (isfinite(high)) share = fmin(share, dip(high - from->q[i], -from->qd[i], high - to->q[i], -to->qd[i], h));
  }
  return share;
}

static double least(const Arm *arm)
{
  double z[INDICATORS], found = INFINITY;
  arm_indicators(arm, z);
  for (int k = 0; k < INDICATORS; ++k) found = fmin(found, z[k]);
  return found;
}

/* Find the shortest step after which an indicator is negative: between two steps, by the secant
   whose far end counts less and less (Illinois). */
static void crossing(const Arm *from, const double first[JOINTS], double h, Arm *to)
{
  double near = 0.0, far = h, above = least(from), below = least(to);
  for (int k = 0, last = 0; k < 100 && far - near > 1e-15 * (1.0 + from->time) && below < -1e-15; ++k) {
    Arm between;
    double share = above / (above - below), value, last_rate[JOINTS];
    share = k % 3 == 2 ? 0.5 : fmin(fmax(share, 0.01), 0.99);
    const double middle = near + share * (far - near);
    stepped(from, first, middle, &between, last_rate);
    value = least(&between);
    if (value < 0.0) {
      far = middle;
      below = value;
      *to = between;
      above *= last == -1 ? 0.5 : 1.0;
      last = -1;
    } else {
      near = middle;
      above = value;
      below *= last == 1 ? 0.5 : 1.0;
      last = 1;
    }
  }
}

int arm_advance(Arm *arm, double until)
{
  double qdd[JOINTS], last[JOINTS], turn = arm->time;
  int turns = 0;
  arm_decide(arm, -1); /* torques or parameters may have changed */
  while (arm->time < until) {
    Arm next;
    const double left = until - arm->time;
    double h = fmin(arm->step, left), off, share;
    arm_accelerations(arm, qdd);
    while ((off = stepped(arm, qdd, h, &next, last)) > arm->tolerance) {
      h *= fmax(0.1, 0.9 * pow(arm->tolerance / off, 0.2));
      if (!(h > 1e-14 * (1.0 + fabs(arm->time)))) return 0;
    }
    next.step = h * fmin(5.0, 0.9 * pow(arm->tolerance / fmax(off, 1e-300), 0.2));
    if (h == left) {
      next.step = fmax(next.step, arm->step);
      next.time = until;
    }
    if (least(&next) >= 0.0 && (share = hidden(arm, qdd, &next, last, h)) < 1.0) {
      const double step = next.step;
      h *= share;
      stepped(arm, qdd, h, &next, last);
      next.step = step;
    }
    if (least(&next) < 0.0) {
      const double step = next.step;
      crossing(arm, qdd, h, &next);
      *arm = next;
      arm->step = step;
      arm_event(arm);
      turns = arm->time - turn < SAME ? turns + 1 : 0;
      turn = arm->time;
      if (turns > TURNS) return 0;
    } else {
      *arm = next;
    }
  }
  return 1;
}
