/* finite.h: whether arrays are free of infinities and NaN. */
#ifndef HALO_FINITE_H
#define HALO_FINITE_H

#include <stdint.h>

/* halo_all_finite says whether none of n f32 numbers is infinite or NaN. */
int halo_all_finite(const uint32_t *x, int64_t n);

#endif
