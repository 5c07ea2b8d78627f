/* An arm in motion: its state, what acts on it, and which joints are held. Plain data: it may be copied. */
#ifndef ARM_H
#define ARM_H

#include <stddef.h>

#include "model.h"

enum { HELD = 0, AT_LOW = -1, AT_HIGH = 1, INDICATORS = 3 * JOINTS };

typedef struct {
  double time;
  double q[JOINTS], qd[JOINTS], tau[JOINTS]; /* positions, velocities, torques of the motors */
  double p[PARAMETERS];                      /* payload, friction, gravity, as model.h has them */
  double restitution;                        /* of the stops, 0 to 1 */
  int stops;                                 /* whether joints are stopped at their limits */
  double direction[JOINTS];                  /* in which dry friction acts: -1, 1, or 0 for none */
  double freed[JOINTS];                      /* 0 of joints that are held, 1 of others */
  int stop[JOINTS];                          /* -1 rests on its lower stop, 1 on its upper one, 0 neither */
  double step;                               /* [s] that the integrator would take next */
  double tolerance;                          /* of a step [rad or m, and per second] */
} Arm;

void arm_reset(Arm *arm);

/* Give the accelerations with the joints held as they are. */
void arm_accelerations(const Arm *arm, double qdd[JOINTS]);

/* Give, per joint, what is positive until it sticks or slips, reaches its lower or its upper stop. */
void arm_indicators(const Arm *arm, double z[INDICATORS]);

/* Find which joints are held at this instant, and which way the others rub. loose: the joint that
   has just given way, or -1. */
void arm_decide(Arm *arm, int loose);

/* Do what indicators at zero mean: joints stand still, hit stops, give way. 1 if states changed. */
int arm_event(Arm *arm);

/* Go on to a time, over events; 0 if that failed. */
int arm_advance(Arm *arm, double until);

/* Give the derivative of the accelerations along rates of q, qd, tau and p. */
void arm_tangent(const Arm *arm, const double dq[JOINTS], const double dqd[JOINTS],
                 const double dtau[JOINTS], const double dp[PARAMETERS], double dqdd[JOINTS]);

/* The variables by their numbers, one after the other, as the description of the model has them. */
enum {
  TIME = 0,
  Q = 1,
  QD = Q + JOINTS,
  QDD = QD + JOINTS,
  TAU = QDD + JOINTS,
  P = TAU + JOINTS,
  RESTITUTION = P + PARAMETERS,
  STOPS,
  Z,
  VARIABLES = Z + INDICATORS
};
int arm_start(Arm *arm); /* begin where the arm is; 0 if a joint is beyond its stop */
int arm_get(const Arm *arm, unsigned which, double *value);
int arm_set(Arm *arm, unsigned which, double value); /* 0 where there is no such variable */
void arm_states(const Arm *arm, double x[2 * JOINTS]); /* q, then qd */
void arm_set_states(Arm *arm, const double x[2 * JOINTS]);
void arm_rates(const Arm *arm, double rate[2 * JOINTS]);
int arm_directional(const Arm *arm, const unsigned *unknowns, size_t count, const unsigned *knowns,
                    size_t seeds, const double *seed, double *sensitivity);

/* contact.c: forces between bounds, see there */
void invert(int n, const double *M, double *inverse);
void bounded_forces(int n, const double *A, const double *b, const double *low, const double *high,
                    double *force, int *where);
void after_impact(double restitution, const int *side, const double *M, double *qd);

#endif
