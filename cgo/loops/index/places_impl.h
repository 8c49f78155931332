// places_impl.h: what index vectors' entries add to places, and which of those are in a part, for one ISA level.
#include "entry.h"

// Places that are out of the operand stay below 0 whatever is added, and some of these to one another.
#define OUTSIDE (-((int64_t)1 << 56))

#define ENTRY(T)                                                                                             \
  static void entry_##T(const void *starts, int64_t step, int64_t n, index_entry e, int clamp,               \
                        int64_t *restrict at) {                                                              \
    const T *restrict p = starts;                                                                            \
    if (step == 1 && clamp) {                                                                                \
      for (int64_t i = 0; i < n; i++) at[i] += inside(value_##T(p[i], e), e) * e.stride;                     \
      return;                                                                                                \
    }                                                                                                        \
    if (step == 1) {                                                                                         \
      for (int64_t i = 0; i < n; i++) {                                                                      \
        const int64_t v = value_##T(p[i], e);                                                                \
        at[i] += (uint64_t)v <= (uint64_t)e.last ? v * e.stride : OUTSIDE;                                   \
      }                                                                                                      \
      return;                                                                                                \
    }                                                                                                        \
    for (int64_t i = 0; i < n; i++) {                                                                        \
      const int64_t v = value_##T(p[i * step], e), c = inside(v, e);                                         \
      at[i] += clamp || c == v ? c * e.stride : OUTSIDE;                                                     \
    }                                                                                                        \
  }
ENTRY(uint8_t)
ENTRY(uint16_t)
ENTRY(uint32_t)
ENTRY(uint64_t)
ENTRY(int8_t)
ENTRY(int16_t)
ENTRY(int32_t)
ENTRY(int64_t)

// What an entry of n index vectors, which are step integers apart, adds to places; by the type of a move_index.
static void (*const entries[12])(const void *starts, int64_t step, int64_t n, index_entry, int clamp,
                                 int64_t *places) = {
    entry_uint8_t, entry_uint16_t, entry_uint32_t, entry_uint64_t, NULL, NULL, NULL, NULL,
    entry_int8_t,  entry_int16_t,  entry_int32_t,  entry_int64_t,
};

// places finds the places of the windows of x.
static void places(const index_plan *p, index_stretch x, int clamp, int64_t *restrict windowed,
                   int64_t *restrict operand) {
  if (windowed)
    for (int64_t i = 0; i < x.n; i++, x.windowed += x.step.windowed) windowed[i] = x.windowed;
  for (int64_t i = 0; i < x.n; i++, x.operand += x.step.operand) operand[i] = x.operand;
  for (int64_t k = 0; k < p->entries; k++) {
    const char *at = x.starts + (k * p->vector << (p->type & 3));
    entries[p->type](at, x.step.start, x.n, index_entries(p)[k], clamp, operand);
  }
}

// widen makes s the span of n places more. What is below 0 is no least as a number without a sign.
static void widen(index_span *s, const int64_t *at, int64_t n) {
  uint64_t low = (uint64_t)s->low;
  int64_t high = s->high;
  for (int64_t i = 0; i < n; i++) {
    low = (uint64_t)at[i] < low ? (uint64_t)at[i] : low;
    high = at[i] > high ? at[i] : high;
  }
  *s = (index_span){(int64_t)low, high};
}

// within leaves those of n places that lie from low to high, and returns how many. Which do is chance where several
// threads fold a part each: a jump would be predicted wrong half of the time.
static int64_t within(index_places *p, int64_t n, int64_t low, int64_t high) {
  int64_t m = 0, i = 0;
#ifdef COMPRESS
  const __m512i from = _mm512_set1_epi64(low), bytes = _mm512_set1_epi64(high - low);
  for (; i + 8 <= n; i += 8) {
    const __m512i at = _mm512_loadu_si512(p->operand + i), w = _mm512_loadu_si512(p->windowed + i);
    const __mmask8 k = _mm512_cmplt_epu64_mask(_mm512_sub_epi64(at, from), bytes);
    _mm512_storeu_si512(p->operand + m, COMPRESS(k, at));
    _mm512_storeu_si512(p->windowed + m, COMPRESS(k, w));
    m += __builtin_popcount(k);
  }
#endif
  for (; i < n; i++) {
    const int64_t at = p->operand[i], from = p->windowed[i];
    p->operand[m] = at, p->windowed[m] = from;
    m += (uint64_t)(at - low) < (uint64_t)(high - low);
  }
  return m;
}
