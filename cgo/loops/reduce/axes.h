// axes.h: places of arrays with strides, in elements.
#ifndef HALO_AXES_H
#define HALO_AXES_H

#include <stdint.h>

typedef struct {
  int64_t n, stride;
} halo_axis;

// halo_place is the position of place i of the axes, the last axis fastest.
static inline int64_t halo_place(const halo_axis *axes, int64_t count, int64_t i) {
  int64_t at = 0;
  for (int64_t d = count - 1; d >= 0 && i > 0; d--) {
    at += i % axes[d].n * axes[d].stride;
    i /= axes[d].n;
  }
  return at;
}

static inline int64_t halo_places(const halo_axis *axes, int64_t count) {
  int64_t n = 1;
  for (int64_t d = 0; d < count; d++)
    n *= axes[d].n;
  return n;
}

#endif
