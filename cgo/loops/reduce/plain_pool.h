// plain_pool.h: reductions of windows by one op, and the choice of a window's element. A part of plain_impl.h.

enum { POOL_BLOCK = 64 }; // places whose accumulators are kept together

// POOL defines the reduction: accumulators of type A take elements of type T in the order of memory.
#define POOL(NAME, T, A, LOAD, OP, STORE)                                                                              \
  static void NAME(const void *R px, const void *R init, void *R po, const int64_t *R p, int64_t count, int64_t taps,  \
                   int64_t step, int64_t n, int64_t move, int64_t out_stride) {                                        \
    const T *R x = px;                                                                                                 \
    T *R out = po;                                                                                                     \
    A first = LOAD(*(const T *)init), acc[POOL_BLOCK];                                                                 \
    for (int64_t at = 0; at < n; at += POOL_BLOCK) {                                                                   \
      int64_t m = n - at < POOL_BLOCK ? n - at : POOL_BLOCK;                                                           \
      for (int j = 0; j < POOL_BLOCK; j++)                                                                             \
        acc[j] = first;                                                                                                \
      for (int64_t t = 0; t < count; t++)                                                                              \
        for (int64_t k = 0; k < taps; k++) {                                                                           \
          const T *R q = x + p[t] + k * step + at * move;                                                              \
          if (m == POOL_BLOCK && move == 1)                                                                            \
            for (int j = 0; j < POOL_BLOCK; j++) {                                                                     \
              A v = LOAD(q[j]);                                                                                        \
              acc[j] = OP(acc[j], v);                                                                                  \
            }                                                                                                          \
          else                                                                                                         \
            for (int64_t j = 0; j < m; j++) {                                                                          \
              A v = LOAD(q[j * move]);                                                                                 \
              acc[j] = OP(acc[j], v);                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
      for (int64_t j = 0; j < m; j++)                                                                                  \
        out[(at + j) * out_stride] = STORE(acc[j]);                                                                    \
    }                                                                                                                  \
  }

POOL(pool_addf32, float, float, SAME, PLUS, SAME)
POOL(pool_addf64, double, double, SAME, PLUS, SAME)
POOL(pool_addbf16, uint16_t, float, bf16, PLUS, to_bf16)
POOL(pool_addf16, uint16_t, float, f16, PLUS, to_f16)
POOL(pool_mulf32, float, float, SAME, TIMES, SAME)
POOL(pool_mulf64, double, double, SAME, TIMES, SAME)
POOL(pool_add8, uint8_t, uint8_t, SAME, (uint8_t)PLUS, SAME)
POOL(pool_add16, uint16_t, uint16_t, SAME, (uint16_t)PLUS, SAME)
POOL(pool_add32, uint32_t, uint32_t, SAME, PLUS, SAME)
POOL(pool_add64, uint64_t, uint64_t, SAME, PLUS, SAME)
#define POOL_EXTREMES(TAG, T, LEAST, MOST, STORE)                                                                      \
  POOL(pool_min##TAG, T, T, LEAST, MIN, STORE)                                                                         \
  POOL(pool_max##TAG, T, T, MOST, MAX, STORE)
POOL_EXTREMES(s8, int8_t, SAME, SAME, SAME)
POOL_EXTREMES(s16, int16_t, SAME, SAME, SAME)
POOL_EXTREMES(s32, int32_t, SAME, SAME, SAME)
POOL_EXTREMES(s64, int64_t, SAME, SAME, SAME)
POOL_EXTREMES(u8, uint8_t, SAME, SAME, SAME)
POOL_EXTREMES(u16, uint16_t, SAME, SAME, SAME)
POOL_EXTREMES(u32, uint32_t, SAME, SAME, SAME)
POOL_EXTREMES(u64, uint64_t, SAME, SAME, SAME)
POOL_EXTREMES(f32, int32_t, least_key32, most_key32, unkey32)
POOL_EXTREMES(f64, int64_t, least_key64, most_key64, unkey64)
POOL_EXTREMES(bf16, int16_t, least_keyb16, most_keyb16, unkeyb16)
POOL_EXTREMES(f16, int16_t, least_keyh16, most_keyh16, unkeyh16)

#define POOLS(OP)                                                                                                      \
  {                                                                                                                    \
    [PLAIN_S8] = pool_##OP##s8, [PLAIN_S16] = pool_##OP##s16, [PLAIN_S32] = pool_##OP##s32,                            \
    [PLAIN_S64] = pool_##OP##s64, [PLAIN_U8] = pool_##OP##u8, [PLAIN_U16] = pool_##OP##u16,                            \
    [PLAIN_U32] = pool_##OP##u32, [PLAIN_U64] = pool_##OP##u64, [PLAIN_F32] = pool_##OP##f32,                          \
    [PLAIN_F64] = pool_##OP##f64, [PLAIN_BF16] = pool_##OP##bf16, [PLAIN_F16] = pool_##OP##f16                         \
  }

// CHOOSER defines the choice: an element stays chosen as long as it stands in the relation to the later ones.
#define CHOOSER(NAME, T, A, LOAD, RELATION)                                                                            \
  static void NAME(const void *R px, const int64_t *R p, int64_t count, int64_t taps, int64_t step, int64_t n,         \
                   int64_t move, int32_t *R chosen) {                                                                  \
    const T *R x = px;                                                                                                 \
    A best[CHOOSE_PLACES];                                                                                             \
    int32_t tap = 0;                                                                                                   \
    for (int64_t j = 0; j < n; j++)                                                                                    \
      best[j] = LOAD(x[p[0] + j * move]), chosen[j] = 0;                                                               \
    for (int64_t t = 0; t < count; t++)                                                                                \
      for (int64_t k = 0; k < taps; k++, tap++) {                                                                      \
        const T *R q = x + p[t] + k * step;                                                                            \
        if (move == 1)                                                                                                 \
          for (int64_t j = 0; j < n; j++) {                                                                            \
            A v = LOAD(q[j]);                                                                                          \
            int keep = best[j] RELATION v || tap == 0;                                                                 \
            best[j] = keep ? best[j] : v;                                                                              \
            chosen[j] = keep ? chosen[j] : tap;                                                                        \
          }                                                                                                            \
        else                                                                                                           \
          for (int64_t j = 0; j < n; j++) {                                                                            \
            A v = LOAD(q[j * move]);                                                                                   \
            int keep = best[j] RELATION v || tap == 0;                                                                 \
            best[j] = keep ? best[j] : v;                                                                              \
            chosen[j] = keep ? chosen[j] : tap;                                                                        \
          }                                                                                                            \
      }                                                                                                                \
  }
#define CHOOSERS(TAG, T, A, LOAD)                                                                                      \
  CHOOSER(choose_ge##TAG, T, A, LOAD, >=)                                                                              \
  CHOOSER(choose_gt##TAG, T, A, LOAD, >)                                                                               \
  CHOOSER(choose_le##TAG, T, A, LOAD, <=)                                                                              \
  CHOOSER(choose_lt##TAG, T, A, LOAD, <)
CHOOSERS(f32, float, float, SAME)
CHOOSERS(f64, double, double, SAME)
CHOOSERS(bf16, uint16_t, float, bf16)
CHOOSERS(f16, uint16_t, float, f16)
CHOOSERS(s32, int32_t, int32_t, SAME)

#define ADDER(NAME, T, LOAD, STORE)                                                                                    \
  static void NAME(void *po, const int64_t *at, const void *ps, int64_t n, int64_t stride) {                           \
    T *out = po;                                                                                                       \
    const T *s = ps;                                                                                                   \
    for (int64_t j = 0; j < n; j++)                                                                                    \
      out[at[j]] = STORE(LOAD(out[at[j]]) + LOAD(s[j * stride]));                                                      \
  }
ADDER(add_at_f32, float, SAME, SAME)
ADDER(add_at_f64, double, SAME, SAME)
ADDER(add_at_bf16, uint16_t, bf16, to_bf16)
ADDER(add_at_f16, uint16_t, f16, to_f16)

const halo_pool_table POOL_TABLE = {
    .pool = {[PLAIN_ADD] = {[PLAIN_S8] = pool_add8, [PLAIN_S16] = pool_add16, [PLAIN_S32] = pool_add32,
                            [PLAIN_S64] = pool_add64, [PLAIN_U8] = pool_add8, [PLAIN_F32] = pool_addf32,
                            [PLAIN_F64] = pool_addf64, [PLAIN_BF16] = pool_addbf16, [PLAIN_F16] = pool_addf16},
             [PLAIN_MULTIPLY] = {[PLAIN_F32] = pool_mulf32, [PLAIN_F64] = pool_mulf64},
             [PLAIN_MINIMUM] = POOLS(min),
             [PLAIN_MAXIMUM] = POOLS(max)},
    .choose = {[PLAIN_F32] = {choose_gef32, choose_gtf32, choose_lef32, choose_ltf32},
               [PLAIN_F64] = {choose_gef64, choose_gtf64, choose_lef64, choose_ltf64},
               [PLAIN_BF16] = {choose_gebf16, choose_gtbf16, choose_lebf16, choose_ltbf16},
               [PLAIN_F16] = {choose_gef16, choose_gtf16, choose_lef16, choose_ltf16},
               [PLAIN_S32] = {choose_ges32, choose_gts32, choose_les32, choose_lts32}},
    .add = {[PLAIN_F32] = add_at_f32, [PLAIN_F64] = add_at_f64, [PLAIN_BF16] = add_at_bf16, [PLAIN_F16] = add_at_f16},
};
