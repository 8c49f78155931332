/* The kernels of one instruction set: gemm_impl.h for each type of sum. The including file defines VB, MR32, MR64, NV,
 * PREFIX and LEVEL, the name of the table. */
#include <string.h>

#include "gemm.h"

#define INLINE static inline __attribute__((always_inline))
#define CAT_(a, b, c) a##_##b##_##c
#define CAT(a, b, c) CAT_(a, b, c)

#include "../run/half.h"

#define SAME(v) (v)
#define NONE(dst, from, n) 0
#define INTEGERS(X, S64) \
  X(GEMM_S8, int8_t, SAME, NONE) X(GEMM_U8, uint8_t, SAME, NONE) X(GEMM_S16, int16_t, SAME, NONE) \
  X(GEMM_U16, uint16_t, SAME, NONE) X(GEMM_S32, int32_t, SAME, NONE) S64

#include "widen.h"

/* widen makes whole vectors of f32 of f16, which compilers do number by number, and returns of how many. */
static int64_t CAT(PREFIX, f16, widen)(float *to, const _Float16 *from, int64_t n) {
  typedef CAT(PREFIX, f32, vector) anywhere __attribute__((aligned(4), may_alias));
  int64_t i = 0;
  for (; i + VB / 4 <= n; i += VB / 4) *(anywhere *)(to + i) = (anywhere)FROM_F16(from + i);
  return i;
}
#define WIDEN(to, from, n) CAT(PREFIX, f16, widen)(to, from, n)

#define T float
#define OWN GEMM_F32
#define MR MR32
#define NAME(x) CAT(PREFIX, f32, x)
#define GEMM_LOADS \
  LOAD(GEMM_F32, float, SAME, NONE) LOAD(GEMM_BF16, uint16_t, from_bf16, NONE) LOAD(GEMM_F16, _Float16, SAME, WIDEN)
#define GEMM_STORES \
  STORE(GEMM_F32, float, SAME, NONE) STORE(GEMM_BF16, uint16_t, to_bf16, NONE) STORE(GEMM_F16, _Float16, SAME, NONE)
#define NARROW
#include "gemm_impl.h"
#undef NARROW
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
#define GEMM_LOADS LOAD(GEMM_F64, double, SAME, NONE) LOAD(GEMM_F32, float, SAME, NONE)
#define GEMM_STORES STORE(GEMM_F64, double, SAME, NONE) STORE(GEMM_F32, float, SAME, NONE)
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
#define GEMM_LOADS INTEGERS(LOAD, LOAD(GEMM_S64, int64_t, SAME, NONE))
#define GEMM_STORES INTEGERS(STORE, STORE(GEMM_S64, int64_t, SAME, NONE))
#include "gemm_impl.h"

#define KERNEL(t) {CAT(PREFIX, t, tile), CAT(PREFIX, t, lanes)}
const halo_gemm_kernel LEVEL[GEMM_SUMS] = {KERNEL(f32), KERNEL(f64), KERNEL(i32), KERNEL(i64)};
