//go:build linux

// The functions that programs call.
#include "call.h"

#include <math.h>

#include "../pipeline/angles.h"
#include "ops.h"

static double logistic(double v) {
  double e = exp(-fabs(v));
  return v >= 0 ? 1 / (1 + e) : e / (1 + e);
}

static double rsqrt(double v) { return 1 / sqrt(v); }

#define WRAP(name, f)                                                                                                  \
  static double call_##name(double x, double y) {                                                                      \
    (void)y;                                                                                                           \
    return f(x);                                                                                                       \
  }
HALO_CALLS1(WRAP)

#define ROW1(name, f) {#name, call_##name},
#define ROW2(f) {#f, f},
const halo_call halo_calls[] = {HALO_CALLS1(ROW1) HALO_CALLS2(ROW2)};
const int halo_calls_count = sizeof halo_calls / sizeof *halo_calls;
const char *halo_call_name(int i) { return halo_calls[i].name; }
