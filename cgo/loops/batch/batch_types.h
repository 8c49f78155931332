/* The kernels of one instruction set: lanes_impl.h, factor_impl.h and reflect_impl.h for each type. The including file
 * defines VB, bytes of a vector, PREFIX and LEVEL, the name of the table. */
#include <math.h>
#include <string.h>

#include "batch.h"

#define INLINE static inline __attribute__((always_inline))
#define CAT_(a, b, c) a##_##b##_##c
#define CAT(a, b, c) CAT_(a, b, c)

typedef int32_t words4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t words8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t words16 __attribute__((vector_size(64), aligned(4), may_alias));

#define T float
#define BITS int32_t
#define ABS 0x7fffffff
#define LEAST 0x1p-126f
#define ROOT sqrtf
#define NAME(x) CAT(PREFIX, f32, x)
#include "lanes_impl.h"
#include "factor_impl.h"
#include "reflect_impl.h"
#include "some_impl.h"
#undef T
#undef BITS
#undef ABS
#undef LEAST
#undef ROOT
#undef NAME

#define T double
#define BITS int64_t
#define ABS 0x7fffffffffffffff
#define LEAST 0x1p-1022
#define ROOT sqrt
#define NAME(x) CAT(PREFIX, f64, x)
#include "lanes_impl.h"
#include "factor_impl.h"
#include "reflect_impl.h"
#include "some_impl.h"

const halo_batch_kernel LEVEL[2] = {{CAT(PREFIX, f32, some), CAT(PREFIX, f32, LANES)},
                                    {CAT(PREFIX, f64, some), CAT(PREFIX, f64, LANES)}};
