// angles.h: functions of one angle that may be many turns. The C library's have an error of about 2^-94 where it
// reduces the largest, which is much of a result near zero: such a one is found in long double.
#ifndef HALO_ANGLES_H
#define HALO_ANGLES_H

#include <math.h>

#define ANGLE_LEAST 0x1p-30 // of results that are good as they are

static inline double sine(double x) {
  const double y = sin(x);
  return fabs(x) > 1 && fabs(y) < ANGLE_LEAST ? (double)sinl(x) : y;
}

static inline double cosine(double x) {
  const double y = cos(x);
  return fabs(y) < ANGLE_LEAST ? (double)cosl(x) : y;
}

static inline double tangent(double x) {
  const double y = tan(x), size = fabs(y);
  return fabs(x) > 1 && (size < ANGLE_LEAST || size > 1 / ANGLE_LEAST) ? (double)tanl(x) : y;
}

#endif
