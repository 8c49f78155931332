// take_impl.h: elements that index vectors of one entry choose, by their type and width, for one ISA level. Several
// that move as one need not be aligned as one. Finding all places first would make the elements wait for one another.
#include "ask.h"
#include "entry.h"

#include <string.h>

// near_int32_t finds where a group of elements is, by the integers from p on.
#ifdef TAKE_GROUP
#if TAKE_GROUP == 16
static inline void near_int32_t(const int32_t *p, index_entry e, int32_t *at) {
  const __m512i v = _mm512_loadu_si512(p), wrap = _mm512_set1_epi32((int32_t)e.wrap);
  const __m512i last = _mm512_set1_epi32((int32_t)e.last), first = _mm512_setzero_si512();
  const __m512i w = _mm512_mask_add_epi32(v, _mm512_movepi32_mask(v), v, wrap);
  _mm512_store_si512(at, _mm512_min_epi32(_mm512_max_epi32(w, first), last));
}
#else
static inline void near_int32_t(const int32_t *p, index_entry e, int32_t *at) {
  const __m256i v = _mm256_loadu_si256((const __m256i *)p), wrap = _mm256_set1_epi32((int32_t)e.wrap);
  const __m256i last = _mm256_set1_epi32((int32_t)e.last), first = _mm256_setzero_si256();
  const __m256i w = _mm256_add_epi32(v, _mm256_and_si256(_mm256_srai_epi32(v, 31), wrap));
  _mm256_store_si256((__m256i *)at, _mm256_min_epi32(_mm256_max_epi32(w, first), last));
}
#endif

// group_WIDTH copies a group of elements. Results that are many go past the caches, which the elements have use for, if
// they are put together to vectors; past says so of results that begin where vectors do.
#define GROUP(WIDTH)                                                                                         \
  static inline void group_##WIDTH(char *d, const char *s, const int32_t *at, int past) {                    \
    (void)past;                                                                                              \
    for (int k = 0; k < TAKE_GROUP; k++) memcpy(d + k * WIDTH, s + (int64_t)at[k] * WIDTH, WIDTH);           \
  }
GROUP(1)
GROUP(2)
GROUP(8)
GROUP(16)
#if TAKE_GROUP == 8
static inline __m128i four(const char *s, const int32_t *at) {
  int32_t x[4];
  for (int k = 0; k < 4; k++) memcpy(x + k, s + (int64_t)at[k] * 4, 4);
  return _mm_setr_epi32(x[0], x[1], x[2], x[3]);
}

static inline void group_4(char *d, const char *s, const int32_t *at, int past) {
  const __m256i v = _mm256_set_m128i(four(s, at + 4), four(s, at));
  if (past) _mm256_stream_si256((__m256i *)d, v);
  else _mm256_storeu_si256((__m256i *)d, v);
}
#else
GROUP(4)
#endif

// TAKE_NEAR gathers dense elements by dense integers in groups whose places are found as one vector, and leaves i
// behind them. It takes no gather instruction: those are hardly faster, and slow where they had to be made safe.
#define TAKE_NEAR(WIDTH)                                                                                     \
  const int far = (e.last + 1) * WIDTH > NEAR_BYTES, aligned = past && ((uintptr_t)d & 31) == 0;             \
  if (e.last <= INT32_MAX && e.wrap <= INT32_MAX)                                                            \
    for (_Alignas(64) int32_t at[TAKE_GROUP]; i + TAKE_GROUP <= x.n; i += TAKE_GROUP) {                      \
      if (far && i + ASK_FAR + TAKE_GROUP <= x.n) {                                                          \
        near_int32_t(p + i + ASK_FAR, e, at);                                                                \
        for (int k = 0; k < TAKE_GROUP; k++) ask_far(s + (int64_t)at[k] * WIDTH, WIDTH);                     \
        near_int32_t(p + i + TAKE_GROUP, e, at);                                                             \
        for (int k = 0; k < TAKE_GROUP; k++) ask_near(s + (int64_t)at[k] * WIDTH, WIDTH);                    \
      }                                                                                                      \
      near_int32_t(p + i, e, at);                                                                            \
      group_##WIDTH(d + i * WIDTH, s, at, aligned);                                                          \
    }
#else
#define TAKE_NEAR(WIDTH)
#endif
#define TAKE_EACH(WIDTH)

#define TAKE(T, WIDTH, GROUPS)                                                                               \
  static void take_##T##_##WIDTH(char *d, const char *s, index_stretch x, index_entry e, int past) {         \
    const T *p = (const T *)x.starts;                                                                        \
    int64_t i = 0;                                                                                           \
    (void)past;                                                                                              \
    d += x.windowed, s += x.operand;                                                                         \
    if (is_dense(&x, e, WIDTH)) {                                                                            \
      GROUPS(WIDTH)                                                                                          \
      for (; i < x.n; i++) memcpy(d + i * WIDTH, s + inside(value_##T(p[i], e), e) * WIDTH, WIDTH);          \
    }                                                                                                        \
    for (; i < x.n; i++)                                                                                     \
      memcpy(d + i * x.step.windowed,                                                                        \
             s + i * x.step.operand + inside(value_##T(p[i * x.step.start], e), e) * e.stride, WIDTH);       \
  }
#define TAKE_WIDTHS(T, GROUPS)                                                                               \
  TAKE(T, 1, GROUPS) TAKE(T, 2, GROUPS) TAKE(T, 4, GROUPS) TAKE(T, 8, GROUPS) TAKE(T, 16, GROUPS)
TAKE_WIDTHS(uint8_t, TAKE_EACH)
TAKE_WIDTHS(uint16_t, TAKE_EACH)
TAKE_WIDTHS(uint32_t, TAKE_EACH)
TAKE_WIDTHS(uint64_t, TAKE_EACH)
TAKE_WIDTHS(int8_t, TAKE_EACH)
TAKE_WIDTHS(int16_t, TAKE_EACH)
TAKE_WIDTHS(int32_t, TAKE_NEAR)
TAKE_WIDTHS(int64_t, TAKE_EACH)

#define TAKES(T) {take_##T##_1, take_##T##_2, take_##T##_4, take_##T##_8, take_##T##_16}
#define TAKES_TABLE                                                                                          \
  {TAKES(uint8_t), TAKES(uint16_t), TAKES(uint32_t), TAKES(uint64_t), {NULL}, {NULL}, {NULL}, {NULL},        \
   TAKES(int8_t),  TAKES(int16_t),  TAKES(int32_t),  TAKES(int64_t)}
