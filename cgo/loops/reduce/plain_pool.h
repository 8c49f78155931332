// plain_pool.h: reductions of windows by one op, and the table of all loops over windows. A part of plain_impl.h.

enum { POOL_BLOCK = 64 }; // places whose accumulators are kept together

// POOL_ROW defines the reduction of as many elements side by side as a vector has accumulators, and POOL_ROWS that of
// four times as many. Unrolled, loops over a vector's lanes were numbers; as one array, four vectors were in memory.
#define EACH_LANE(A) _Pragma("GCC unroll 1") for (int j = 0; j < VECTOR / (int)sizeof(A); j++)
#define POOL_ROW(NAME, T, A, LOAD, OP, STORE)                                                                          \
  static inline void NAME(const T *R x, A first, T *R out, const int64_t *R p, int64_t count, int64_t taps,            \
                          int64_t step) {                                                                              \
    A acc[VECTOR / sizeof(A)];                                                                                         \
    EACH_LANE(A) acc[j] = first;                                                                                       \
    for (int64_t t = 0; t < count; t++) {                                                                              \
      const T *q = x + p[t];                                                                                           \
      for (int64_t k = 0; k < taps; k++, q += step)                                                                    \
        EACH_LANE(A) acc[j] = OP(acc[j], LOAD(q[j]));                                                                  \
    }                                                                                                                  \
    EACH_LANE(A) out[j] = STORE(acc[j]);                                                                               \
  }
#define POOL_ROWS(NAME, T, A, LOAD, OP, STORE)                                                                         \
  static inline void NAME(const T *R x, A first, T *R out, const int64_t *R p, int64_t count, int64_t taps,            \
                          int64_t step) {                                                                              \
    enum { N = VECTOR / sizeof(A) };                                                                                   \
    A a[N], b[N], c[N], d[N];                                                                                          \
    EACH_LANE(A) a[j] = b[j] = c[j] = d[j] = first;                                                                    \
    for (int64_t t = 0; t < count; t++) {                                                                              \
      const T *q = x + p[t];                                                                                           \
      for (int64_t k = 0; k < taps; k++, q += step) {                                                                  \
        EACH_LANE(A) a[j] = OP(a[j], LOAD(q[j]));                                                                      \
        EACH_LANE(A) b[j] = OP(b[j], LOAD(q[j + N]));                                                                  \
        EACH_LANE(A) c[j] = OP(c[j], LOAD(q[j + 2 * N]));                                                              \
        EACH_LANE(A) d[j] = OP(d[j], LOAD(q[j + 3 * N]));                                                              \
      }                                                                                                                \
    }                                                                                                                  \
    EACH_LANE(A) out[j] = STORE(a[j]);                                                                                 \
    EACH_LANE(A) out[j + N] = STORE(b[j]);                                                                             \
    EACH_LANE(A) out[j + 2 * N] = STORE(c[j]);                                                                         \
    EACH_LANE(A) out[j + 3 * N] = STORE(d[j]);                                                                         \
  }

// POOL_TAP reduces a tap of m places that are MOVE elements apart. Compilers have vectors where that is a known number.
#define POOL_TAP(A, LOAD, OP, MOVE)                                                                                    \
  for (int64_t j = 0; j < m; j++) {                                                                                    \
    A v = LOAD(q[j * MOVE]);                                                                                           \
    acc[j] = OP(acc[j], v);                                                                                            \
  }

// POOL_APART defines the reduction of n places that are move elements apart.
#define POOL_APART(NAME, T, A, LOAD, OP, STORE)                                                                        \
  static void NAME(const T *R x, A first, T *R out, const int64_t *R p, int64_t count, int64_t taps, int64_t step,     \
                   int64_t n, int64_t move, int64_t out_stride) {                                                      \
    A acc[POOL_BLOCK];                                                                                                 \
    for (int64_t at = 0; at < n; at += POOL_BLOCK) {                                                                   \
      int64_t m = n - at < POOL_BLOCK ? n - at : POOL_BLOCK;                                                           \
      for (int j = 0; j < POOL_BLOCK; j++)                                                                             \
        acc[j] = first;                                                                                                \
      for (int64_t t = 0; t < count; t++)                                                                              \
        for (int64_t k = 0; k < taps; k++) {                                                                           \
          const T *R q = x + p[t] + k * step + at * move;                                                              \
          if (move == 2)                                                                                               \
            POOL_TAP(A, LOAD, OP, 2)                                                                                   \
          else                                                                                                         \
            POOL_TAP(A, LOAD, OP, move)                                                                                \
        }                                                                                                              \
      if (out_stride == 1)                                                                                             \
        for (int64_t j = 0; j < m; j++)                                                                                \
          out[at + j] = STORE(acc[j]);                                                                                 \
      else                                                                                                             \
        for (int64_t j = 0; j < m; j++)                                                                                \
          out[(at + j) * out_stride] = STORE(acc[j]);                                                                  \
    }                                                                                                                  \
  }

// is_even reports whether places are as far apart as the first two.
static inline int is_even(const int64_t *R p, int64_t count) {
  for (int64_t t = 2; t < count; t++)
    if (p[t] - p[t - 1] != p[1] - p[0])
      return 0;
  return count > 1;
}

// POOL defines the reduction: accumulators of type A take elements of type T in the order of memory. The last elements
// of a width are a block over the one before where there is one.
#define POOL(NAME, T, A, LOAD, OP, STORE)                                                                              \
  POOL_ROW(NAME##_1, T, A, LOAD, OP, STORE)                                                                            \
  POOL_ROWS(NAME##_4, T, A, LOAD, OP, STORE)                                                                           \
  POOL_APART(NAME##_apart, T, A, LOAD, OP, STORE)                                                                      \
  static void NAME(const void *R px, const void *R init, void *R po, const int64_t *R p, int64_t count, int64_t taps,  \
                   int64_t step, int64_t n, int64_t move, int64_t out_stride, int64_t width) {                         \
    enum { LANES = VECTOR / sizeof(A) };                                                                               \
    const T *R x = px;                                                                                                 \
    T *R out = po;                                                                                                     \
    A first = LOAD(*(const T *)init);                                                                                  \
    if (taps == 1 && is_even(p, count))                                                                                \
      taps = count, count = 1, step = p[1] - p[0];                                                                     \
    if (width == 1) {                                                                                                  \
      NAME##_apart(x, first, out, p, count, taps, step, n, move, out_stride);                                          \
      return;                                                                                                          \
    }                                                                                                                  \
    for (int64_t i = 0; i < n; i++, x += move, out += out_stride) {                                                    \
      int64_t j = 0;                                                                                                   \
      if (width < LANES) {                                                                                             \
        NAME##_apart(x, first, out, p, count, taps, step, width, 1, 1);                                                \
        continue;                                                                                                      \
      }                                                                                                                \
      for (; j + 4 * LANES <= width; j += 4 * LANES)                                                                   \
        NAME##_4(x + j, first, out + j, p, count, taps, step);                                                         \
      for (; j < width; j += LANES) {                                                                                  \
        int64_t at = j + LANES <= width ? j : width - LANES;                                                           \
        NAME##_1(x + at, first, out + at, p, count, taps, step);                                                       \
      }                                                                                                                \
    }                                                                                                                  \
  }

POOL(pool_addf32, float, float, SAME, PLUS, SAME)
POOL(pool_addf64, double, double, SAME, PLUS, SAME)
POOL(pool_addbf16, uint16_t, float, from_bf16, PLUS, bf16_of)
POOL(pool_addf16, uint16_t, float, from_f16, PLUS, f16_of)
POOL(pool_mulf32, float, float, SAME, TIMES, SAME)
POOL(pool_mulf64, double, double, SAME, TIMES, SAME)
POOL(pool_add8, uint8_t, uint8_t, SAME, (uint8_t)PLUS, SAME)
POOL(pool_add16, uint16_t, uint16_t, SAME, (uint16_t)PLUS, SAME)
POOL(pool_add32, uint32_t, uint32_t, SAME, PLUS, SAME)
POOL(pool_add64, uint64_t, uint64_t, SAME, PLUS, SAME)
#define POOL_KEYS(TAG, T, KEYS)                                                                                        \
  POOL(pool_min##TAG, T, T, least_key##KEYS, MIN, unkey_least##KEYS)                                                   \
  POOL(pool_max##TAG, T, T, most_key##KEYS, MAX, unkey_most##KEYS)
#define POOL_EXTREMES(TAG, T)                                                                                          \
  POOL(pool_min##TAG, T, T, SAME, MIN, SAME)                                                                           \
  POOL(pool_max##TAG, T, T, SAME, MAX, SAME)
EXTREME_TYPES(POOL_EXTREMES, POOL_KEYS)

#define POOLS(OP)                                                                                                      \
  {                                                                                                                    \
    [PLAIN_S8] = pool_##OP##s8, [PLAIN_S16] = pool_##OP##s16, [PLAIN_S32] = pool_##OP##s32,                            \
    [PLAIN_S64] = pool_##OP##s64, [PLAIN_U8] = pool_##OP##u8, [PLAIN_U16] = pool_##OP##u16,                            \
    [PLAIN_U32] = pool_##OP##u32, [PLAIN_U64] = pool_##OP##u64, [PLAIN_F32] = pool_##OP##f32,                          \
    [PLAIN_F64] = pool_##OP##f64, [PLAIN_BF16] = pool_##OP##bf16, [PLAIN_F16] = pool_##OP##f16                         \
  }

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
    .side = {[PLAIN_F32] = {side_gef32, side_gtf32, side_lef32, side_ltf32},
             [PLAIN_F64] = {side_gef64, side_gtf64, side_lef64, side_ltf64},
             [PLAIN_BF16] = {side_gebf16, side_gtbf16, side_lebf16, side_ltbf16}},
    .add = {[PLAIN_F32] = add_at_f32, [PLAIN_F64] = add_at_f64, [PLAIN_BF16] = add_at_bf16, [PLAIN_F16] = add_at_f16},
};
