// plain_scan.h: running reductions by one op. A part of plain_impl.h.

// RUNNING defines the loops. Accumulators are those of plain.h; step is 1 or -1, for rows that times their distance.
#define RUNNING(NAME, T, A, LOAD, OP, STORE)                                                                           \
  static void NAME##_line(const void *R px, void *R po, int64_t n, int64_t step, void *carry) {                        \
    const T *x = px;                                                                                                   \
    T *out = po;                                                                                                       \
    A a = *(A *)carry;                                                                                                 \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      A v = (A)LOAD(x[i * step]);                                                                                      \
      a = OP(a, v);                                                                                                    \
      out[i * step] = STORE(a);                                                                                        \
    }                                                                                                                  \
    *(A *)carry = a;                                                                                                   \
  }                                                                                                                    \
  RUNNING_ROWS(NAME, T, A, LOAD, OP, STORE)
#define RUNNING_ROWS(NAME, T, A, LOAD, OP, STORE)                                                                      \
  static void NAME##_rows(const void *R px, void *R po, int64_t n, int64_t step, int64_t m, void *R carry) {           \
    const T *R x = px;                                                                                                 \
    T *R out = po;                                                                                                     \
    A *R a = carry;                                                                                                    \
    for (int64_t i = 0; i < n; i++, x += step, out += step)                                                            \
      for (int64_t j = 0; j < m; j++) {                                                                                \
        A v = (A)LOAD(x[j]);                                                                                           \
        a[j] = OP(a[j], v);                                                                                            \
        out[j] = STORE(a[j]);                                                                                          \
      }                                                                                                                \
  }

// Sums of floats go by vectors: running sums inside one, by doubling distances, and what came before.
enum { WIDE_LANES = VECTOR / 8 };
typedef int64_t vmask __attribute__((vector_size(VECTOR)));
typedef float vhalf __attribute__((vector_size(VECTOR / 2), aligned(4), may_alias));
#if VECTOR == 64 // the builtin converts halves and puts them together
#include <immintrin.h>
#define WIDE_F32(p) ((vdouble)_mm512_cvtps_pd((__m256)(*(const vhalf *)(p))))
#else
#define WIDE_F32(p) __builtin_convertvector(*(const vhalf *)(p), vdouble)
#endif
#define WIDE_F64(p) (*(const vdouble *)(p))
#define NARROW_F32(p, v) (*(vhalf *)(p) = __builtin_convertvector(v, vhalf))
#define NARROW_F64(p, v) (*(vdouble *)(p) = (v))

#define RUNNING_SUM(NAME, T, WIDEN, NARROW)                                                                            \
  static void NAME##_line(const void *R px, void *R po, int64_t n, int64_t step, void *carry) {                        \
    const T *x = px;                                                                                                   \
    T *out = po;                                                                                                       \
    double a = *(double *)carry;                                                                                       \
    int64_t i = 0;                                                                                                     \
    vmask up[3], last;                                                                                                 \
    vdouble zero = {0}, before;                                                                                        \
    for (int l = 0; l < WIDE_LANES; l++)                                                                               \
      last[l] = WIDE_LANES - 1, before[l] = a;                                                                         \
    for (int k = 0; k < 3; k++)                                                                                        \
      for (int l = 0; l < WIDE_LANES; l++)                                                                             \
        up[k][l] = l >= 1 << k ? WIDE_LANES + l - (1 << k) : 0;                                                        \
    for (; step == 1 && i + WIDE_LANES <= n; i += WIDE_LANES) {                                                        \
      vdouble v = WIDEN(x + i);                                                                                        \
      for (int k = 0; 1 << k < WIDE_LANES; k++)                                                                        \
        v += __builtin_shuffle(zero, v, up[k]);                                                                        \
      NARROW(out + i, v + before);                                                                                     \
      before += __builtin_shuffle(v, last);                                                                            \
    }                                                                                                                  \
    a = before[0];                                                                                                     \
    for (; i < n; i++) {                                                                                               \
      a += (double)x[i * step];                                                                                        \
      out[i * step] = (T)a;                                                                                            \
    }                                                                                                                  \
    *(double *)carry = a;                                                                                              \
  }                                                                                                                    \
  RUNNING_ROWS(NAME, T, double, SAME, PLUS, (T))

RUNNING_SUM(run_addf32, float, WIDE_F32, NARROW_F32)
RUNNING_SUM(run_addf64, double, WIDE_F64, NARROW_F64)
RUNNING(run_addbf16, uint16_t, double, from_bf16, PLUS, bf16_of)
RUNNING(run_addf16, uint16_t, double, from_f16, PLUS, f16_of)
RUNNING(run_add8, uint8_t, uint8_t, SAME, (uint8_t)PLUS, SAME)
RUNNING(run_add16, uint16_t, uint16_t, SAME, (uint16_t)PLUS, SAME)
RUNNING(run_add32, uint32_t, uint32_t, SAME, PLUS, SAME)
RUNNING(run_add64, uint64_t, uint64_t, SAME, PLUS, SAME)
RUNNING(run_mulf32, float, double, SAME, TIMES, (float))
RUNNING(run_mulf64, double, double, SAME, TIMES, SAME)
RUNNING(run_mulbf16, uint16_t, double, from_bf16, TIMES, bf16_of)
RUNNING(run_mulf16, uint16_t, double, from_f16, TIMES, f16_of)
RUNNING(run_mul8, uint8_t, uint8_t, SAME, (uint8_t)MUL, SAME)
RUNNING(run_mul16, uint16_t, uint16_t, SAME, MUL16, SAME)
RUNNING(run_mul32, uint32_t, uint32_t, SAME, MUL, SAME)
RUNNING(run_mul64, uint64_t, uint64_t, SAME, MUL, SAME)
#define RUNNING_KEYS(TAG, T, KEYS)                                                                                     \
  RUNNING(run_min##TAG, T, T, least_key##KEYS, MIN, unkey_least##KEYS)                                                 \
  RUNNING(run_max##TAG, T, T, most_key##KEYS, MAX, unkey_most##KEYS)
#define RUNNING_EXTREMES(TAG, T)                                                                                       \
  RUNNING(run_min##TAG, T, T, SAME, MIN, SAME)                                                                         \
  RUNNING(run_max##TAG, T, T, SAME, MAX, SAME)
EXTREME_TYPES(RUNNING_EXTREMES, RUNNING_KEYS)

#define RUN(NAME) {NAME##_line, NAME##_rows}
#define RUN_NUMBERS(OP)                                                                                                \
  {                                                                                                                    \
    [PLAIN_S8] = RUN(run_##OP##8), [PLAIN_S16] = RUN(run_##OP##16), [PLAIN_S32] = RUN(run_##OP##32),                   \
    [PLAIN_S64] = RUN(run_##OP##64), [PLAIN_U8] = RUN(run_##OP##8), [PLAIN_F32] = RUN(run_##OP##f32),                  \
    [PLAIN_F64] = RUN(run_##OP##f64), [PLAIN_BF16] = RUN(run_##OP##bf16), [PLAIN_F16] = RUN(run_##OP##f16)             \
  }
#define RUNS(OP)                                                                                                       \
  {                                                                                                                    \
    [PLAIN_S8] = RUN(run_##OP##s8), [PLAIN_S16] = RUN(run_##OP##s16), [PLAIN_S32] = RUN(run_##OP##s32),                \
    [PLAIN_S64] = RUN(run_##OP##s64), [PLAIN_U8] = RUN(run_##OP##u8), [PLAIN_U16] = RUN(run_##OP##u16),                \
    [PLAIN_U32] = RUN(run_##OP##u32), [PLAIN_U64] = RUN(run_##OP##u64), [PLAIN_F32] = RUN(run_##OP##f32),              \
    [PLAIN_F64] = RUN(run_##OP##f64), [PLAIN_BF16] = RUN(run_##OP##bf16), [PLAIN_F16] = RUN(run_##OP##f16)             \
  }

const halo_running_table RUNNING_TABLE = {
    [PLAIN_ADD] = RUN_NUMBERS(add),
    [PLAIN_MULTIPLY] = RUN_NUMBERS(mul),
    [PLAIN_MINIMUM] = RUNS(min),
    [PLAIN_MAXIMUM] = RUNS(max),
};
