// plain_impl.h: the loops of plain.h for one instruction set. The file that includes it defines PLAIN_TABLE, the name
// of the table, and VECTOR, the bytes of a vector.
#include <math.h>

#include "running.h"
#define INLINE static inline
#include "../run/half.h"

#define R __restrict

#define SAME(v) (v)

// Bits of narrow floats from a double, rounded once.
static inline uint16_t bf16_of(double v) {
  const float f = (float)v;
  uint32_t u = bits_of_float(f);
  if (v == v && fabs(v) < INFINITY && (double)f != v) { // to odd first
    if (fabs((double)f) > fabs(v))
      u--;
    u |= 1;
  }
  return to_bf16(float_of_bits(u));
}
static inline uint16_t f16_of(double v) {
  uint64_t b;
  memcpy(&b, &v, 8);
  uint64_t sign = b >> 63 << 15, abs = b & ~(1ULL << 63), base = 0, mag = 0;
  if (abs > 0x7FFULL << 52)
    return (uint16_t)(sign | 0x7E00);
  int e = (int)(abs >> 52) - 1023, shift = 42;
  uint64_t m = (abs & ((1ULL << 52) - 1)) | 1ULL << 52;
  if (e > 15)
    return (uint16_t)(sign | 0x7C00);
  if (e >= -14)
    base = (uint64_t)(e + 14) << 10;
  else
    shift += -14 - e;
  if (shift < 55)
    mag = base + ((m + (1ULL << (shift - 1)) - 1 + (m >> shift & 1)) >> shift);
  return (uint16_t)(sign | mag);
}

// ROW_OF defines the row of OP on elements that LOAD makes of T: four vectors side by side, or more where a vector has
// few, since the compiler takes a loop that it would unroll for as many numbers. AHEAD is how many bytes ahead memory
// is asked for: hardware looks ahead no further than to the end of a page. Of four rows that are read by turns hardware
// sees each, and what is NEAR is asked for.
enum { ROW_BYTES = 4 * VECTOR, AHEAD = 4096, NEAR = 512 };
#define LANES_OF(T) (ROW_BYTES / sizeof(T) > 32 ? ROW_BYTES / sizeof(T) : 32)
#define ASK(AT, BYTES)                                                                                                 \
  _Pragma("GCC unroll 8") for (int c = 0; c < (int)(BYTES); c += 64) __builtin_prefetch((const char *)(AT) + c)
#define ROW_OF(NAME, T, LOAD, OP)                                                                                      \
  static inline T NAME##_lanes(T *lanes, T all) {                                                                      \
    enum { FEW = LANES_OF(T) / 4 };                                                                                    \
    for (int j = 0; j < FEW; j++) {                                                                                    \
      T p = OP(lanes[j], lanes[j + FEW]), q = OP(lanes[j + 2 * FEW], lanes[j + 3 * FEW]);                              \
      lanes[j] = OP(p, q);                                                                                             \
    }                                                                                                                  \
    _Pragma("GCC unroll 1") for (int j = 0; j < FEW; j++)                                                              \
      all = OP(all, lanes[j]);                                                                                         \
    return all;                                                                                                        \
  }                                                                                                                    \
  static inline T NAME##_rest(const T *x, int64_t n, T all) {                                                          \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      T v = LOAD(x[i]);                                                                                                \
      all = OP(all, v);                                                                                                \
    }                                                                                                                  \
    return all;                                                                                                        \
  }                                                                                                                    \
  static void NAME##_row(const void *R px, int64_t n, void *R acc) {                                                   \
    enum { LANES = LANES_OF(T) };                                                                                      \
    const T *R x = px;                                                                                                 \
    T all = *(T *)acc;                                                                                                 \
    if (n >= LANES) {                                                                                                  \
      T lanes[LANES];                                                                                                  \
      for (int j = 0; j < LANES; j++)                                                                                  \
        lanes[j] = LOAD(x[j]);                                                                                         \
      for (x += LANES, n -= LANES; n >= LANES; x += LANES, n -= LANES) {                                               \
        ASK((const char *)x + AHEAD, sizeof lanes);                                                                    \
        for (int j = 0; j < LANES; j++) {                                                                              \
          T v = LOAD(x[j]);                                                                                            \
          lanes[j] = OP(lanes[j], v);                                                                                  \
        }                                                                                                              \
      }                                                                                                                \
      all = NAME##_lanes(lanes, all);                                                                                  \
    }                                                                                                                  \
    *(T *)acc = NAME##_rest(x, n, all);                                                                                \
  }                                                                                                                    \
  static void NAME##_four(const void *R px, int64_t s, int64_t n, void *R acc, int64_t each) {                         \
    enum { LANES = LANES_OF(T) };                                                                                      \
    const T *R x = px;                                                                                                 \
    T *R a = acc, l[4][LANES];                                                                                         \
    for (int r = 0; r < 4; r++)                                                                                        \
      for (int j = 0; j < LANES; j++)                                                                                  \
        l[r][j] = LOAD(x[r * s + j]);                                                                                  \
    int64_t i = LANES;                                                                                                 \
    for (; i + LANES <= n; i += LANES) {                                                                               \
      _Pragma("GCC unroll 4") for (int r = 0; r < 4; r++)                                                              \
        ASK((const char *)(x + r * s + i) + NEAR, sizeof l[0]);                                                        \
      for (int j = 0; j < LANES; j++) {                                                                                \
        T p = LOAD(x[i + j]), q = LOAD(x[i + j + s]), u = LOAD(x[i + j + 2 * s]), v = LOAD(x[i + j + 3 * s]);          \
        l[0][j] = OP(l[0][j], p);                                                                                      \
        l[1][j] = OP(l[1][j], q);                                                                                      \
        l[2][j] = OP(l[2][j], u);                                                                                      \
        l[3][j] = OP(l[3][j], v);                                                                                      \
      }                                                                                                                \
    }                                                                                                                  \
    for (int r = 0; r < 4; r++)                                                                                        \
      a[r * each] = NAME##_rest(x + r * s + i, n - i, NAME##_lanes(l[r], a[r * each]));                                \
  }

// Rows one behind the other that are taken together are a part of all of them apart, where those are more than the
// second cache has: as many streams that each go on are read faster than pieces of a page by turns. In the caches they
// are in each other's way.
enum { IN_PARTS = VECTOR == 32 };
static inline int is_far(int64_t stride, int64_t n, int64_t part, int64_t bytes) {
  return IN_PARTS && stride == n && part > 1 && bytes >= HALO_FAR_BYTES;
}

// COLS_OF defines the columns of OP on elements that LOAD makes of T, four rows at a time. Far ones are a call: the
// compiler would take two lines of each part at once, and hardware sees no streams but pieces then.
#define TAKE_FOUR(T, LOAD, OP)                                                                                         \
  for (int64_t j = 0; j < n; j++) {                                                                                    \
    T p = LOAD(x[j]), q = LOAD(x[j + s]), u = LOAD(x[j + 2 * s]), v = LOAD(x[j + 3 * s]);                              \
    p = OP(p, q);                                                                                                      \
    u = OP(u, v);                                                                                                      \
    p = OP(p, u);                                                                                                      \
    a[j] = OP(a[j], p);                                                                                                \
  }
#define COLS_OF(NAME, T, LOAD, OP)                                                                                     \
  static __attribute__((noinline)) void NAME##_far(const T *R x, int64_t s, int64_t n, T *R a) {                       \
    TAKE_FOUR(T, LOAD, OP)                                                                                             \
  }                                                                                                                    \
  static void NAME##_cols(const void *R px, int64_t s, int64_t rows, int64_t n, void *R acc) {                         \
    const T *x = px;                                                                                                   \
    T *R a = acc;                                                                                                      \
    const int64_t part = rows / 4;                                                                                     \
    if (is_far(s, n, part, rows * n * (int64_t)sizeof(T)))                                                             \
      for (int64_t r = 0; r < part; r++)                                                                               \
        NAME##_far(x + r * s, part * s, n, a);                                                                         \
    else                                                                                                               \
      for (int64_t r = 0; r < part; r++, x += 4 * s)                                                                   \
        TAKE_FOUR(T, LOAD, OP)                                                                                         \
    x = (const T *)px + 4 * part * s;                                                                                  \
    for (int64_t r = 4 * part; r < rows; r++, x += s)                                                                  \
      for (int64_t j = 0; j < n; j++) {                                                                                \
        T v = LOAD(x[j]);                                                                                              \
        a[j] = OP(a[j], v);                                                                                            \
      }                                                                                                                \
  }

// GATHER defines what makes one accumulator of several, in their order.
#define GATHER(NAME, A, OP)                                                                                            \
  static void NAME##_gather(void *acc, int64_t each, int64_t n) {                                                      \
    A *a = acc;                                                                                                        \
    for (int64_t j = 0; j < n; j++) {                                                                                  \
      A all = a[j * each];                                                                                             \
      for (int64_t k = 1; k < each; k++)                                                                               \
        all = OP(all, a[j * each + k]);                                                                                \
      a[j] = all;                                                                                                      \
    }                                                                                                                  \
  }

// INT defines the loops of OP(a, b) on integers of type T, with START for no elements. The sum of what does not fit is
// taken in the type, as it wraps.
#define INT(NAME, T, START, OP, FINISH)                                                                                \
  ROW_OF(NAME, T, SAME, OP)                                                                                            \
  COLS_OF(NAME, T, SAME, OP)                                                                                           \
  GATHER(NAME, T, OP)                                                                                                  \
  static void NAME##_start(void *acc, int64_t n) {                                                                     \
    for (int64_t j = 0; j < n; j++)                                                                                    \
      ((T *)acc)[j] = START;                                                                                           \
  }                                                                                                                    \
  static void NAME##_rows(const void *R px, int64_t n, int64_t count, void *R acc) {                                   \
    const T *x = px;                                                                                                   \
    for (int64_t j = 0; j < count; j++, x += n) {                                                                      \
      T a = ((T *)acc)[j];                                                                                             \
      for (int64_t i = 0; i < n; i++)                                                                                  \
        a = OP(a, x[i]);                                                                                               \
      ((T *)acc)[j] = a;                                                                                               \
    }                                                                                                                  \
  }                                                                                                                    \
  static void NAME##_merge(void *acc, const void *other, int64_t n) {                                                  \
    for (int64_t j = 0; j < n; j++)                                                                                    \
      ((T *)acc)[j] = OP(((T *)acc)[j], ((const T *)other)[j]);                                                        \
  }                                                                                                                    \
  static void NAME##_finish(const void *acc, const void *init, void *out, int64_t n, int32_t bits) {                   \
    T first = *(const T *)init;                                                                                        \
    for (int64_t j = 0; j < n; j++) {                                                                                  \
      T v = OP(((const T *)acc)[j], first);                                                                            \
      ((T *)out)[j] = FINISH;                                                                                          \
    }                                                                                                                  \
  }
#define INT_ROW(NAME, T)                                                                                               \
  {sizeof(T), sizeof(T), sizeof(T), 0, NAME##_start, NAME##_row, NAME##_rows,                                          \
   NAME##_cols, NAME##_merge, NAME##_finish, NAME##_gather, IN_PARTS ? NAME##_four : 0}

#include "plain_int.h"

#include "plain_float.h"

#include "plain_key.h"

#include "plain_choose.h"

#include "plain_pool.h"

#include "plain_scan.h"

const halo_plain_table PLAIN_TABLE = {
    [PLAIN_ADD] = {[PLAIN_S8] = INT_ROW(add8, int8_t), [PLAIN_S16] = INT_ROW(add16, uint16_t),
                   [PLAIN_S32] = INT_ROW(add32, uint32_t), [PLAIN_S64] = INT_ROW(add64, uint64_t),
                   [PLAIN_U8] = INT_ROW(addu8, uint8_t),
                   [PLAIN_F32] = SUM_ROW(sumf32, float, IN_PARTS ? sum_floats_four : 0),
                   [PLAIN_F64] = SUM_ROW(sumf64, double, IN_PARTS ? sum_doubles_four : 0),
                   [PLAIN_BF16] = SUM_ROW(sumbf16, uint16_t, 0), [PLAIN_F16] = SUM_ROW(sumf16, uint16_t, 0)},
    [PLAIN_MULTIPLY] = {[PLAIN_S8] = INT_ROW(mul8, int8_t), [PLAIN_S16] = INT_ROW(mul16, uint16_t),
                        [PLAIN_S32] = INT_ROW(mul32, uint32_t), [PLAIN_S64] = INT_ROW(mul64, uint64_t),
                        [PLAIN_U8] = INT_ROW(mulu8, uint8_t), [PLAIN_F32] = SUM_ROW(mulf32, float, 0),
                        [PLAIN_F64] = SUM_ROW(mulf64, double, 0), [PLAIN_BF16] = SUM_ROW(mulbf16, uint16_t, 0),
                        [PLAIN_F16] = SUM_ROW(mulf16, uint16_t, 0)},
    [PLAIN_MINIMUM] = EXTREMES(min),
    [PLAIN_MAXIMUM] = EXTREMES(max),
    [PLAIN_AND] = BITS(and),
    [PLAIN_OR] = BITS(or),
    [PLAIN_XOR] = BITS(xor),
};
