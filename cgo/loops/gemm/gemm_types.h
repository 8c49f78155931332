/* The kernels of one instruction set: gemm_impl.h for each type of sum. The including file defines VB, MR32, MR64, NV,
 * PREFIX and LEVEL, the name of the table. */
#include <string.h>

#include "gemm.h"

#define INLINE static inline __attribute__((always_inline))
#define CAT_(a, b, c) a##_##b##_##c
#define CAT(a, b, c) CAT_(a, b, c)

#include "../run/half.h"

#define SAME(v) (v)
#define INTEGERS(X, S64) \
  X(GEMM_S8, int8_t, SAME) X(GEMM_U8, uint8_t, SAME) X(GEMM_S16, int16_t, SAME) X(GEMM_U16, uint16_t, SAME) \
  X(GEMM_S32, int32_t, SAME) S64

#define T float
#define OWN GEMM_F32
#define MR MR32
#define NAME(x) CAT(PREFIX, f32, x)
#define GEMM_LOADS LOAD(GEMM_F32, float, SAME) LOAD(GEMM_BF16, uint16_t, from_bf16) LOAD(GEMM_F16, _Float16, SAME)
#define GEMM_STORES STORE(GEMM_F32, float, SAME) STORE(GEMM_BF16, uint16_t, to_bf16) STORE(GEMM_F16, _Float16, SAME)
#include "gemm_impl.h"
#undef T
#undef OWN
#undef MR
#undef NAME
#undef GEMM_LOADS
#undef GEMM_STORES

#define T double
#define OWN GEMM_F64
#define MR MR64
#define NAME(x) CAT(PREFIX, f64, x)
#define GEMM_LOADS LOAD(GEMM_F64, double, SAME) LOAD(GEMM_F32, float, SAME)
#define GEMM_STORES STORE(GEMM_F64, double, SAME) STORE(GEMM_F32, float, SAME)
#include "gemm_impl.h"
#undef T
#undef OWN
#undef MR
#undef NAME
#undef GEMM_LOADS
#undef GEMM_STORES

#define T uint32_t
#define OWN GEMM_S32
#define MR MR64
#define NAME(x) CAT(PREFIX, i32, x)
#define GEMM_LOADS INTEGERS(LOAD, )
#define GEMM_STORES INTEGERS(STORE, )
#include "gemm_impl.h"
#undef T
#undef OWN
#undef NAME
#undef GEMM_LOADS
#undef GEMM_STORES

#define T uint64_t
#define OWN GEMM_S64
#define NAME(x) CAT(PREFIX, i64, x)
#define GEMM_LOADS INTEGERS(LOAD, LOAD(GEMM_S64, int64_t, SAME))
#define GEMM_STORES INTEGERS(STORE, STORE(GEMM_S64, int64_t, SAME))
#include "gemm_impl.h"

#define KERNEL(t) {CAT(PREFIX, t, tile), CAT(PREFIX, t, lanes)}
const halo_gemm_kernel LEVEL[GEMM_SUMS] = {KERNEL(f32), KERNEL(f64), KERNEL(i32), KERNEL(i64)};
