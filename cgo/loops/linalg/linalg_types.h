/* The kernels of one instruction set: linalg_impl.h and solve_impl.h for each type. The including file defines VB, MR,
 * NV, PREFIX and LEVEL, the name of the table. */
#include <math.h>
#include <string.h>

#include "linalg.h"

#define INLINE static inline __attribute__((always_inline))
#define CAT_(a, b, c) a##_##b##_##c
#define CAT(a, b, c) CAT_(a, b, c)
#define LINALG_LD(m) (((m) + 15) / 16 * 16 + LINALG_PAD)
#define LEAST_OF(a, b) ((a) < (b) ? (a) : (b))
#define AHEAD 32 /* rows of a packed block that are asked for ahead: another processor may have made them */
#define SOLVE_TALL 48 /* unknowns that what is known is taken off at a time, if their factors are side by side */
#define LINALG_ALONE 2e6 /* operations that are not worth another thread */

#define T float
#define BITS int32_t
#define ABS 0x7fffffff
#define INF 0x7f800000
#define LEAST 0x1p-126f
#define ROOT sqrtf
#define NAME(x) CAT(PREFIX, f32, x)
#include "linalg_impl.h"
#include "solve_impl.h"
#undef T
#undef BITS
#undef ABS
#undef INF
#undef LEAST
#undef ROOT
#undef NAME

#define T double
#define BITS int64_t
#define ABS 0x7fffffffffffffff
#define INF 0x7ff0000000000000
#define LEAST 0x1p-1022
#define ROOT sqrt
#define NAME(x) CAT(PREFIX, f64, x)
#include "linalg_impl.h"
#include "solve_impl.h"

#define KERNEL(t) {CAT(PREFIX, t, lu), CAT(PREFIX, t, cholesky), CAT(PREFIX, t, solve)}
const halo_linalg_kernel LEVEL[2] = {KERNEL(f32), KERNEL(f64)};
