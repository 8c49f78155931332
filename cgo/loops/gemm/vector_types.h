/* The kernels of one instruction set: vector_impl.h for each type of matrices. The including file defines VB, bytes of
 * a vector, PREFIX and LEVEL, the name of the table. */
#include <string.h>

#include "products.h"

#define INLINE static inline __attribute__((always_inline))
#define CAT_(a, b, c) a##_##b##_##c
#define CAT(a, b, c) CAT_(a, b, c)
#include "widen.h"

typedef int32_t CAT(PREFIX, s32, vector) __attribute__((vector_size(VB)));

/* FROM_S8 and FROM_U8 are as many bytes as integers. */
#ifndef FROM_S8
#define BYTES(name, E)                                                                                                 \
  INLINE CAT(PREFIX, s32, vector) CAT(PREFIX, name, vector)(const E *m) {                                              \
    CAT(PREFIX, s32, vector) v;                                                                                        \
    for (int i = 0; i < VB / 4; i++) v[i] = m[i];                                                                      \
    return v;                                                                                                          \
  }
BYTES(s8, int8_t)
BYTES(u8, uint8_t)
#define FROM_S8 CAT(PREFIX, s8, vector)
#define FROM_U8 CAT(PREFIX, u8, vector)
#endif

#define AS_IS(m) (*(const vec *)(m))
#define UPPER(m) CAT(PREFIX, bf16, vector)(m)
#define UPPER_ONE(e) (((union { uint32_t bits; float f; }){(uint32_t)(e) << 16}).f)
#define WHOLE_S8(m) __builtin_convertvector(FROM_S8(m), vec)
#define WHOLE_U8(m) __builtin_convertvector(FROM_U8(m), vec)

#define T float
#define INTEGER int32_t
#define E float
#define NAME(x) CAT(PREFIX, f32, x)
#define WIDEN AS_IS
#define ONE(e) ((T)(e))
#include "vector_impl.h"

#define T double
#define INTEGER int64_t
#define E double
#define NAME(x) CAT(PREFIX, f64, x)
#define WIDEN AS_IS
#define ONE(e) ((T)(e))
#include "vector_impl.h"

#define T float
#define INTEGER int32_t
#define E uint16_t
#define NAME(x) CAT(PREFIX, bf16, x)
#define WIDEN UPPER
#define ONE UPPER_ONE
#include "vector_impl.h"

#define T float
#define INTEGER int32_t
#define E int8_t
#define NAME(x) CAT(PREFIX, s8, x)
#define WIDEN WHOLE_S8
#define ONE(e) ((T)(e))
#include "vector_impl.h"

#define T float
#define INTEGER int32_t
#define E uint8_t
#define NAME(x) CAT(PREFIX, u8, x)
#define WIDEN WHOLE_U8
#define ONE(e) ((T)(e))
#include "vector_impl.h"

const halo_vector_level LEVEL = {[GEMM_F32] = CAT(PREFIX, f32, record), [GEMM_F64] = CAT(PREFIX, f64, record),
                                 [GEMM_BF16] = CAT(PREFIX, bf16, record), [GEMM_S8] = CAT(PREFIX, s8, record),
                                 [GEMM_U8] = CAT(PREFIX, u8, record)};
