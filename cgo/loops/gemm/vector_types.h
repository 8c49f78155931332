/* The kernels of one instruction set: vector_impl.h for each type. The including file defines VB, bytes of a vector,
 * PREFIX and LEVEL, the name of the table. */
#include <string.h>

#include "products.h"

#define INLINE static inline __attribute__((always_inline))
#define CAT_(a, b, c) a##_##b##_##c
#define CAT(a, b, c) CAT_(a, b, c)

#define T float
#define INTEGER int32_t
#define NAME(x) CAT(PREFIX, f32, x)
#include "vector_impl.h"
#undef T
#undef INTEGER
#undef NAME

#define T double
#define INTEGER int64_t
#define NAME(x) CAT(PREFIX, f64, x)
#include "vector_impl.h"

const halo_product_level LEVEL = {CAT(PREFIX, f32, record), CAT(PREFIX, f64, record)};
