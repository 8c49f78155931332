/* The kernels of one instruction set: packed_impl.h for each type. The including file defines VB, bytes of a vector,
 * ROWS, rows of a tile, PREFIX and LEVEL, the name of the table. A tile's sums, two vectors a row, fit registers. */
#include <string.h>

#include "packed.h"

#define INLINE static inline __attribute__((always_inline))
#define CAT_(a, b, c) a##_##b##_##c
#define CAT(a, b, c) CAT_(a, b, c)

#define T float
#define NAME(x) CAT(PREFIX, f32, x)
#include "packed_impl.h"
#undef T
#undef NAME

#define T double
#define NAME(x) CAT(PREFIX, f64, x)
#include "packed_impl.h"
#undef T
#undef NAME

#define KERNEL(type, bytes)                                                                         \
  {bytes, ROWS, 2 * VB / bytes, CAT(PREFIX, type, pack_rows), CAT(PREFIX, type, pack_columns), \
   CAT(PREFIX, type, tile)}

const halo_packed_kernel LEVEL[2] = {KERNEL(f32, 4), KERNEL(f64, 8)};
