/* The variables of an arm by their numbers, and how they change with one another. */
#include "arm.h"

#include <string.h>

int arm_get(const Arm *arm, unsigned which, double *value)
{
  if (which == TIME) *value = arm->time;
  else if (which < QD) *value = arm->q[which - Q];
  else if (which < QDD) *value = arm->qd[which - QD];
  else if (which < TAU) {
    double qdd[JOINTS];
    arm_accelerations(arm, qdd);
    *value = qdd[which - QDD];
  } else if (which < P) *value = arm->tau[which - TAU];
  else if (which < RESTITUTION) *value = arm->p[which - P];
  else if (which == RESTITUTION) *value = arm->restitution;
  else if (which == STOPS) *value = arm->stops;
  else if (which < VARIABLES) {
    double z[INDICATORS];
    arm_indicators(arm, z);
    *value = z[which - Z];
  } else return 0;
  return 1;
}

int arm_set(Arm *arm, unsigned which, double value)
{
  if (which == TIME) arm->time = value;
  else if (which < QD) arm->q[which - Q] = value;
  else if (which < QDD) arm->qd[which - QD] = value;
  else if (which < TAU) return 0;
  else if (which < P) arm->tau[which - TAU] = value;
  else if (which < RESTITUTION) {
    if (!(value >= model_least[which - P])) return 0;
    arm->p[which - P] = value;
  } else if (which == RESTITUTION) {
    if (!(value >= 0.0 && value <= 1.0)) return 0;
    arm->restitution = value;
  } else if (which == STOPS) arm->stops = value != 0.0;
  else return 0;
  return 1;
}

int arm_start(Arm *arm)
{
  for (int i = 0; i < JOINTS && arm->stops; ++i)
    if (arm->q[i] < model_lower[i] || arm->q[i] > model_upper[i]) return 0;
  arm_decide(arm, -1);
  return 1;
}

void arm_states(const Arm *arm, double x[2 * JOINTS])
{
  memcpy(x, arm->q, sizeof arm->q);
  memcpy(x + JOINTS, arm->qd, sizeof arm->qd);
}

void arm_set_states(Arm *arm, const double x[2 * JOINTS])
{
  memcpy(arm->q, x, sizeof arm->q);
  memcpy(arm->qd, x + JOINTS, sizeof arm->qd);
}

void arm_rates(const Arm *arm, double rate[2 * JOINTS])
{
  memcpy(rate, arm->qd, sizeof arm->qd);
  arm_accelerations(arm, rate + JOINTS);
}

int arm_directional(const Arm *arm, const unsigned *unknowns, size_t count, const unsigned *knowns,
                    size_t seeds, const double *seed, double *sensitivity)
{
  double along[VARIABLES], dqdd[JOINTS];
  memset(along, 0, sizeof along);
  for (size_t k = 0; k < seeds; ++k) {
    if (knowns[k] < Q || knowns[k] >= RESTITUTION || (knowns[k] >= QDD && knowns[k] < TAU)) return 0;
    along[knowns[k]] += seed[k];
  }
  arm_tangent(arm, along + Q, along + QD, along + TAU, along + P, dqdd);
  memcpy(along + QDD, dqdd, sizeof dqdd);
  for (size_t k = 0; k < count; ++k) {
    if (unknowns[k] < Q || unknowns[k] >= TAU) return 0;
    sensitivity[k] = along[unknowns[k]];
  }
  return 1;
}
