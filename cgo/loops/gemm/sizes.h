/* sizes.h: reckoning with sizes. */
#ifndef HALO_SIZES_H
#define HALO_SIZES_H

#include <stdint.h>

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* pieces is how many pieces of a size n makes, the last of which may be smaller. */
static inline int64_t pieces(int64_t n, int64_t size) { return (n + size - 1) / size; }

#endif
