/* What both versions of FMI have alike: types, and functions that keep the state, which is plain data. */
#ifndef FMI_H
#define FMI_H

#include "arm.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef void *Component;
typedef unsigned Reference;
typedef const char *Text;

/* fmi: fmi2 or fmi3; State: how it spells it; again: how it spells the way back; Byte: its type */
#define STATE_FUNCTIONS(fmi, State, again, Byte)                                                    \
  EXPORT Status fmi##Get##State(Component c, void **state)                                          \
  {                                                                                                 \
    if (!*state) *state = malloc(sizeof(Arm));                                                      \
    if (!*state) return said(c, "no memory is left");                                               \
    memcpy(*state, &((Instance *)c)->arm, sizeof(Arm));                                             \
    return OK;                                                                                      \
  }                                                                                                 \
  EXPORT Status fmi##Set##State(Component c, void *state)                                           \
  {                                                                                                 \
    memcpy(&((Instance *)c)->arm, state, sizeof(Arm));                                              \
    return OK;                                                                                      \
  }                                                                                                 \
  EXPORT Status fmi##Free##State(Component c, void **state)                                         \
  {                                                                                                 \
    (void)c;                                                                                        \
    free(*state);                                                                                   \
    *state = NULL;                                                                                  \
    return OK;                                                                                      \
  }                                                                                                 \
  EXPORT Status fmi##Serialized##State##Size(Component c, void *state, size_t *size)                \
  {                                                                                                 \
    (void)c, (void)state;                                                                           \
    *size = sizeof(Arm);                                                                            \
    return OK;                                                                                      \
  }                                                                                                 \
  EXPORT Status fmi##Serialize##State(Component c, void *state, Byte bytes[], size_t size)          \
  {                                                                                                 \
    if (size < sizeof(Arm)) return said(c, "the place for the state is too small");                 \
    memcpy(bytes, state, sizeof(Arm));                                                              \
    return OK;                                                                                      \
  }                                                                                                 \
  EXPORT Status fmi##again##State(Component c, const Byte bytes[], size_t size, void **state)       \
  {                                                                                                 \
    if (size != sizeof(Arm)) return said(c, "this is not a state of this model");                   \
    if (!*state) *state = malloc(sizeof(Arm));                                                      \
    if (!*state) return said(c, "no memory is left");                                               \
    memcpy(*state, bytes, sizeof(Arm));                                                             \
    return OK;                                                                                      \
  }

#endif
