/* FMI 3.0: an arm for model exchange and for co-simulation. The types are those of the standard. */
#include "fmi.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL } Status;
typedef void (*Logger)(void *, Status, Text, Text);
typedef struct {
  Arm arm;
  Logger logger;
  void *environment;
} Instance;

static Status said(Component c, Text message)
{
  const Instance *self = c;
  if (self && self->logger) self->logger(self->environment, ERROR, "logStatusError", message);
  return ERROR;
}

static Component instantiated(Text token, void *environment, Logger logger)
{
  if (!token || strcmp(token, MODEL_TOKEN)) {
    if (logger) logger(environment, ERROR, "logStatusError", "the token is not that of this model");
    return NULL;
  }
  Instance *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  arm_reset(&self->arm);
  self->logger = logger;
  self->environment = environment;
  return self;
}

EXPORT Text fmi3GetVersion(void) { return "3.0"; }

EXPORT Status fmi3SetDebugLogging(Component c, bool on, size_t count, const Text categories[])
{
  (void)c, (void)on, (void)count, (void)categories;
  return OK;
}

EXPORT Component fmi3InstantiateModelExchange(Text name, Text token, Text resources, bool visible,
                                              bool logging, void *environment, Logger logger)
{
  (void)name, (void)resources, (void)visible, (void)logging;
  return instantiated(token, environment, logger);
}

EXPORT Component fmi3InstantiateCoSimulation(Text name, Text token, Text resources, bool visible,
                                             bool logging, bool events, bool early,
                                             const Reference intermediate[], size_t count,
                                             void *environment, Logger logger, void *update)
{
  (void)name, (void)resources, (void)visible, (void)logging, (void)events, (void)early;
  (void)intermediate, (void)count, (void)update;
  return instantiated(token, environment, logger);
}

EXPORT Component fmi3InstantiateScheduledExecution(Text name, Text token, Text resources, bool visible,
                                                   bool logging, void *environment, Logger logger,
                                                   void *update, void *lock, void *unlock)
{
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)update;
  (void)lock, (void)unlock;
  if (logger) logger(environment, ERROR, "logStatusError", "there is no scheduled execution");
  return NULL;
}

EXPORT void fmi3FreeInstance(Component c) { free(c); }

EXPORT Status fmi3EnterInitializationMode(Component c, bool defined, double tolerance, double start,
                                          bool stop_defined, double stop)
{
  Arm *arm = &((Instance *)c)->arm;
  (void)stop_defined, (void)stop;
  arm->time = start;
  if (defined && tolerance > 0.0 && tolerance < arm->tolerance) arm->tolerance = tolerance;
  return OK;
}

EXPORT Status fmi3ExitInitializationMode(Component c)
{
  return arm_start(&((Instance *)c)->arm) ? OK : said(c, "a joint starts beyond its stop");
}

EXPORT Status fmi3Reset(Component c)
{
  arm_reset(&((Instance *)c)->arm);
  return OK;
}

#define NOTHING(name)                                                                               \
  EXPORT Status name(Component c)                                                                   \
  {                                                                                                 \
    (void)c;                                                                                        \
    return OK;                                                                                      \
  }
NOTHING(fmi3EnterEventMode)
NOTHING(fmi3Terminate)
NOTHING(fmi3EnterConfigurationMode)
NOTHING(fmi3ExitConfigurationMode)
NOTHING(fmi3EvaluateDiscreteStates)
NOTHING(fmi3EnterContinuousTimeMode)
NOTHING(fmi3EnterStepMode)

EXPORT Status fmi3GetFloat64(Component c, const Reference which[], size_t count, double value[], size_t n)
{
  if (n != count) return said(c, "as many values as variables");
  for (size_t k = 0; k < count; ++k)
    if (which[k] == STOPS || !arm_get(&((Instance *)c)->arm, which[k], value + k))
      return said(c, "no such Float64");
  return OK;
}

EXPORT Status fmi3SetFloat64(Component c, const Reference which[], size_t count, const double value[],
                             size_t n)
{
  if (n != count) return said(c, "as many values as variables");
  for (size_t k = 0; k < count; ++k)
    if (which[k] == STOPS || !arm_set(&((Instance *)c)->arm, which[k], value[k]))
      return said(c, "this Float64 cannot be set, or not to this value");
  return OK;
}

EXPORT Status fmi3GetBoolean(Component c, const Reference which[], size_t count, bool value[], size_t n)
{
  for (size_t k = 0; k < count && k < n; ++k) {
    if (which[k] != STOPS) return said(c, "no such Boolean");
    value[k] = ((Instance *)c)->arm.stops != 0;
  }
  return OK;
}

EXPORT Status fmi3SetBoolean(Component c, const Reference which[], size_t count, const bool value[],
                             size_t n)
{
  for (size_t k = 0; k < count && k < n; ++k) {
    if (which[k] != STOPS) return said(c, "no such Boolean");
    arm_set(&((Instance *)c)->arm, STOPS, value[k]);
  }
  return OK;
}

#define NONE(kind, type)                                                                            \
  EXPORT Status fmi3Get##kind(Component c, const Reference which[], size_t count, type value[], size_t n) \
  {                                                                                                 \
    (void)which, (void)value, (void)n;                                                              \
    return count ? said(c, "this model has no such variables") : OK;                                \
  }                                                                                                 \
  EXPORT Status fmi3Set##kind(Component c, const Reference which[], size_t count, const type value[],\
                              size_t n)                                                             \
  {                                                                                                 \
    (void)which, (void)value, (void)n;                                                              \
    return count ? said(c, "this model has no such variables") : OK;                                \
  }
NONE(Float32, float)
NONE(Int8, int8_t)
NONE(UInt8, uint8_t)
NONE(Int16, int16_t)
NONE(UInt16, uint16_t)
NONE(Int32, int32_t)
NONE(UInt32, uint32_t)
NONE(Int64, int64_t)
NONE(UInt64, uint64_t)
NONE(String, Text)

/* what needs clocks, binaries, adjoints or dependencies that change: this model has none of it */
#define REFUSED(name)                                                                               \
  EXPORT Status name(Component c)                                                                   \
  {                                                                                                 \
    return said(c, #name ": this model has nothing of that kind");                                  \
  }
REFUSED(fmi3GetBinary)
REFUSED(fmi3SetBinary)
REFUSED(fmi3GetClock)
REFUSED(fmi3SetClock)
REFUSED(fmi3GetNumberOfVariableDependencies)
REFUSED(fmi3GetVariableDependencies)
REFUSED(fmi3GetAdjointDerivative)
REFUSED(fmi3GetIntervalDecimal)
REFUSED(fmi3GetIntervalFraction)
REFUSED(fmi3GetShiftDecimal)
REFUSED(fmi3GetShiftFraction)
REFUSED(fmi3SetIntervalDecimal)
REFUSED(fmi3SetIntervalFraction)
REFUSED(fmi3SetShiftDecimal)
REFUSED(fmi3SetShiftFraction)
REFUSED(fmi3GetOutputDerivatives)
REFUSED(fmi3ActivateModelPartition)

STATE_FUNCTIONS(fmi3, FMUState, Deserialize, uint8_t)

EXPORT Status fmi3GetDirectionalDerivative(Component c, const Reference unknowns[], size_t count,
                                           const Reference knowns[], size_t seeds, const double seed[],
                                           size_t m, double sensitivity[], size_t n)
{
  if (m != seeds || n != count) return said(c, "as many values as variables");
  return arm_directional(&((Instance *)c)->arm, unknowns, count, knowns, seeds, seed, sensitivity)
           ? OK
           : said(c, "no derivative of these variables by those");
}

EXPORT Status fmi3UpdateDiscreteStates(Component c, bool *needed, bool *terminate, bool *nominals,
                                       bool *values, bool *next_defined, double *next)
{
  *needed = *terminate = *nominals = *next_defined = false;
  *next = 0.0;
  *values = arm_event(&((Instance *)c)->arm) != 0;
  return OK;
}

/* model exchange */
EXPORT Status fmi3CompletedIntegratorStep(Component c, bool no_return, bool *event, bool *end)
{
  (void)c, (void)no_return;
  *event = *end = false;
  return OK;
}

EXPORT Status fmi3SetTime(Component c, double time)
{
  ((Instance *)c)->arm.time = time;
  return OK;
}

EXPORT Status fmi3SetContinuousStates(Component c, const double x[], size_t count)
{
  if (count != 2 * JOINTS) return said(c, "another number of states");
  arm_set_states(&((Instance *)c)->arm, x);
  return OK;
}

EXPORT Status fmi3GetContinuousStates(Component c, double x[], size_t count)
{
  if (count != 2 * JOINTS) return said(c, "another number of states");
  arm_states(&((Instance *)c)->arm, x);
  return OK;
}

EXPORT Status fmi3GetContinuousStateDerivatives(Component c, double rate[], size_t count)
{
  if (count != 2 * JOINTS) return said(c, "another number of states");
  arm_rates(&((Instance *)c)->arm, rate);
  return OK;
}

EXPORT Status fmi3GetEventIndicators(Component c, double z[], size_t count)
{
  if (count != INDICATORS) return said(c, "another number of event indicators");
  arm_indicators(&((Instance *)c)->arm, z);
  return OK;
}

EXPORT Status fmi3GetNominalsOfContinuousStates(Component c, double nominal[], size_t count)
{
  (void)c;
  for (size_t k = 0; k < count; ++k) nominal[k] = 1.0;
  return OK;
}

EXPORT Status fmi3GetNumberOfEventIndicators(Component c, size_t *count)
{
  (void)c;
  *count = INDICATORS;
  return OK;
}

EXPORT Status fmi3GetNumberOfContinuousStates(Component c, size_t *count)
{
  (void)c;
  *count = 2 * JOINTS;
  return OK;
}

/* co-simulation */
EXPORT Status fmi3DoStep(Component c, double time, double step, bool no_return, bool *event, bool *end,
                         bool *early, double *last)
{
  Arm *arm = &((Instance *)c)->arm;
  (void)no_return;
  *event = *end = *early = false;
  arm->time = time;
  const int done = arm_advance(arm, time + step);
  *last = arm->time;
  return done ? OK : said(c, "the motion runs away or chatters");
}
