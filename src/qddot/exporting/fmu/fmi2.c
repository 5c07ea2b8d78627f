/* FMI 2.0: an arm for model exchange and for co-simulation. The types are those of the standard. */
#include "fmi.h"

typedef int Boolean;
typedef enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING } Status;
typedef struct {
  void (*logger)(void *, Text, Status, Text, Text, ...);
  void *(*allocate)(size_t, size_t);
  void (*release)(void *);
  void (*finished)(void *, Status);
  void *environment;
} Callbacks;
typedef struct {
  Boolean needed, terminate, nominals_changed, values_changed, next_defined;
  double next;
} EventInfo;
typedef struct {
  Arm arm;
  Callbacks call;
  char name[256];
} Instance;

static Status said(Component c, Text message)
{
  const Instance *self = c;
  if (self->call.logger) self->call.logger(self->call.environment, self->name, ERROR, "logStatusError", message);
  return ERROR;
}

EXPORT Text fmi2GetTypesPlatform(void) { return "default"; }
EXPORT Text fmi2GetVersion(void) { return "2.0"; }

EXPORT Status fmi2SetDebugLogging(Component c, Boolean on, size_t count, const Text categories[])
{
  (void)c, (void)on, (void)count, (void)categories;
  return OK;
}

EXPORT Component fmi2Instantiate(Text name, int kind, Text guid, Text resources, const Callbacks *call,
                                 Boolean visible, Boolean logging)
{
  (void)kind, (void)resources, (void)visible, (void)logging;
  if (!guid || strcmp(guid, MODEL_TOKEN)) {
    if (call && call->logger)
      call->logger(call->environment, name, ERROR, "logStatusError", "the GUID is not that of this model");
    return NULL;
  }
  Instance *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  arm_reset(&self->arm);
  if (call) self->call = *call;
  strncpy(self->name, name ? name : "", sizeof self->name - 1);
  return self;
}

EXPORT void fmi2FreeInstance(Component c) { free(c); }

EXPORT Status fmi2SetupExperiment(Component c, Boolean defined, double tolerance, double start,
                                  Boolean stop_defined, double stop)
{
  Arm *arm = &((Instance *)c)->arm;
  (void)stop_defined, (void)stop;
  arm->time = start;
  if (defined && tolerance > 0.0 && tolerance < arm->tolerance) arm->tolerance = tolerance;
  return OK;
}

EXPORT Status fmi2EnterInitializationMode(Component c) { return (void)c, OK; }

EXPORT Status fmi2ExitInitializationMode(Component c)
{
  return arm_start(&((Instance *)c)->arm) ? OK : said(c, "a joint starts beyond its stop");
}

EXPORT Status fmi2Terminate(Component c) { return (void)c, OK; }

EXPORT Status fmi2Reset(Component c)
{
  arm_reset(&((Instance *)c)->arm);
  return OK;
}

EXPORT Status fmi2GetReal(Component c, const Reference which[], size_t count, double value[])
{
  Instance *self = c;
  for (size_t k = 0; k < count; ++k)
    if (which[k] == STOPS || !arm_get(&self->arm, which[k], value + k)) return said(self, "no such Real");
  return OK;
}

EXPORT Status fmi2SetReal(Component c, const Reference which[], size_t count, const double value[])
{
  Instance *self = c;
  for (size_t k = 0; k < count; ++k)
    if (which[k] == STOPS || !arm_set(&self->arm, which[k], value[k]))
      return said(self, "this Real cannot be set, or not to this value");
  return OK;
}

EXPORT Status fmi2GetBoolean(Component c, const Reference which[], size_t count, Boolean value[])
{
  Instance *self = c;
  for (size_t k = 0; k < count; ++k) {
    if (which[k] != STOPS) return said(self, "no such Boolean");
    value[k] = self->arm.stops;
  }
  return OK;
}

EXPORT Status fmi2SetBoolean(Component c, const Reference which[], size_t count, const Boolean value[])
{
  Instance *self = c;
  for (size_t k = 0; k < count; ++k) {
    if (which[k] != STOPS) return said(self, "no such Boolean");
    arm_set(&self->arm, STOPS, value[k]);
  }
  return OK;
}

#define NONE(name, type)                                                                            \
  EXPORT Status name(Component c, const Reference which[], size_t count, type value[])              \
  {                                                                                                 \
    (void)which, (void)value;                                                                       \
    return count ? said(c, "this model has no such variables") : OK;                                \
  }
NONE(fmi2GetInteger, int)
NONE(fmi2SetInteger, const int)
NONE(fmi2GetString, Text)
NONE(fmi2SetString, const Text)

STATE_FUNCTIONS(fmi2, FMUstate, DeSerialize, char)

EXPORT Status fmi2GetDirectionalDerivative(Component c, const Reference unknowns[], size_t count,
                                           const Reference knowns[], size_t seeds,
                                           const double seed[], double sensitivity[])
{
  Instance *self = c;
  return arm_directional(&self->arm, unknowns, count, knowns, seeds, seed, sensitivity)
           ? OK
           : said(self, "no derivative of these variables by those");
}

/* model exchange */
EXPORT Status fmi2EnterEventMode(Component c) { return (void)c, OK; }
EXPORT Status fmi2EnterContinuousTimeMode(Component c) { return (void)c, OK; }

EXPORT Status fmi2NewDiscreteStates(Component c, EventInfo *info)
{
  memset(info, 0, sizeof *info);
  info->values_changed = arm_event(&((Instance *)c)->arm);
  return OK;
}

EXPORT Status fmi2CompletedIntegratorStep(Component c, Boolean no_return, Boolean *event, Boolean *end)
{
  (void)c, (void)no_return;
  *event = *end = 0;
  return OK;
}

EXPORT Status fmi2SetTime(Component c, double time)
{
  ((Instance *)c)->arm.time = time;
  return OK;
}

EXPORT Status fmi2SetContinuousStates(Component c, const double x[], size_t count)
{
  if (count != 2 * JOINTS) return said(c, "another number of states");
  arm_set_states(&((Instance *)c)->arm, x);
  return OK;
}

EXPORT Status fmi2GetContinuousStates(Component c, double x[], size_t count)
{
  if (count != 2 * JOINTS) return said(c, "another number of states");
  arm_states(&((Instance *)c)->arm, x);
  return OK;
}

EXPORT Status fmi2GetDerivatives(Component c, double rate[], size_t count)
{
  if (count != 2 * JOINTS) return said(c, "another number of states");
  arm_rates(&((Instance *)c)->arm, rate);
  return OK;
}

EXPORT Status fmi2GetEventIndicators(Component c, double z[], size_t count)
{
  if (count != INDICATORS) return said(c, "another number of event indicators");
  arm_indicators(&((Instance *)c)->arm, z);
  return OK;
}

EXPORT Status fmi2GetNominalsOfContinuousStates(Component c, double nominal[], size_t count)
{
  (void)c;
  for (size_t k = 0; k < count; ++k) nominal[k] = 1.0;
  return OK;
}

/* co-simulation */
EXPORT Status fmi2DoStep(Component c, double time, double step, Boolean no_return)
{
  Instance *self = c;
  (void)no_return;
  self->arm.time = time;
  return arm_advance(&self->arm, time + step) ? OK : said(self, "the motion runs away or chatters");
}

EXPORT Status fmi2CancelStep(Component c) { return said(c, "steps cannot be cancelled"); }

EXPORT Status fmi2SetRealInputDerivatives(Component c, const Reference which[], size_t count,
                                          const int order[], const double value[])
{
  (void)which, (void)order, (void)value;
  return count ? said(c, "inputs are held between communication points") : OK;
}

EXPORT Status fmi2GetRealOutputDerivatives(Component c, const Reference which[], size_t count,
                                           const int order[], double value[])
{
  (void)which, (void)order, (void)value;
  return count ? said(c, "ask for the variables qd and qdd instead") : OK;
}

EXPORT Status fmi2GetRealStatus(Component c, int kind, double *value)
{
  if (kind != 2) return DISCARD; /* fmi2LastSuccessfulTime */
  *value = ((Instance *)c)->arm.time;
  return OK;
}

#define STATUS(name, type)                                                                          \
  EXPORT Status name(Component c, int kind, type *value)                                            \
  {                                                                                                 \
    (void)c, (void)kind, (void)value;                                                               \
    return DISCARD;                                                                                 \
  }
STATUS(fmi2GetStatus, Status)
STATUS(fmi2GetIntegerStatus, int)
STATUS(fmi2GetBooleanStatus, Boolean)
STATUS(fmi2GetStringStatus, Text)
