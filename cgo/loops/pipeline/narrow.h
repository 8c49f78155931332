// narrow.h: the stages that convert elements as they load and store them, for the level and lane of lanes.h.
#include "elements.h"

#include "halves.h"
#include "small.h"

// rounded_bf16 leaves a block in memory as bf16, rounded; one without NaN takes no more than near_bf16.
#define ROUND1(a, k) a = I(round_bf16(F(a)));
#if LANE == 32
#define NEAR1(a, k) a = near_bf16(F(a));
INLINE void rounded_bf16(uint16_t *to, VI a0, VI a1, VI a2, VI a3, VI a4, VI a5, VI a6, VI a7) {
  if (NUMBERS) {
    EACH(NEAR1)
  } else {
    EACH(ROUND1)
  }
  PUT(U, t)
  for (int i = 0; i < BLOCK; i++)
    to[i] = (uint16_t)(t[i] >> 16);
}
#else
INLINE void rounded_bf16(uint16_t *to, VI a0, VI a1, VI a2, VI a3, VI a4, VI a5, VI a6, VI a7) {
  EACH(ROUND1)
  PUT(F, t)
  for (int i = 0; i < BLOCK; i++)
    to[i] = (uint16_t)(bits_of_float((float)t[i]) >> 16);
}
#endif
// rounded_f16 does so as f16.
#ifdef WIDE_HALVES
#define STORE_HALF(a, k) STORE_HALVES(to + k * N, a);
INLINE void rounded_f16(uint16_t *to, VI a0, VI a1, VI a2, VI a3, VI a4, VI a5, VI a6, VI a7) { EACH(STORE_HALF) }
#else
#define HALF1(a, k) a = I(round_f16(F(a)));
INLINE void rounded_f16(uint16_t *to, VI a0, VI a1, VI a2, VI a3, VI a4, VI a5, VI a6, VI a7) {
  EACH(HALF1)
  PUT(F, t)
  for (int i = 0; i < BLOCK; i++)
    to[i] = float_to_half((float)t[i]);
}
#endif
#define ROUNDED_STORE(name) STORE_BY(name, name)
#define STORE_BY(name, f)                                                                                              \
  static void s_store_##name(ARGS) {                                                                                   \
    TAKE                                                                                                               \
    f((uint16_t *)p[s->a], a0, a1, a2, a3, a4, a5, a6, a7);                                                            \
    FINISH;                                                                                                            \
  }                                                                                                                    \
  static void s_stream_##name(ARGS) {                                                                                  \
    TAKE                                                                                                               \
    char *q = p[s->a];                                                                                                 \
    uint16_t to[BLOCK] __attribute__((aligned(64)));                                                                   \
    f(to, a0, a1, a2, a3, a4, a5, a6, a7);                                                                             \
    STREAM_ALL(to)                                                                                                     \
    FINISH;                                                                                                            \
  }
#define STREAM_ALL(to)                                                                                                 \
  for (int k = 0; k < (int)sizeof to / VB; k++)                                                                        \
    STREAM_AT(q + k * VB, LOAD((const char *)to, k))

// The conversions of memory.def as stages: load_ reads a block of elements, store_ and stream_ leave one in memory.
#define CONVERT(name, T, load, store)                                                                                  \
  static void s_load_##name(ARGS) {                                                                                    \
    const T *q = (const T *)p[s->a];                                                                                   \
    I t[BLOCK] __attribute__((aligned(64)));                                                                           \
    for (int i = 0; i < BLOCK; i++) {                                                                                  \
      const T x = q[i];                                                                                                \
      t[i] = load;                                                                                                     \
    }                                                                                                                  \
    GET(t) NEXT;                                                                                                       \
  }                                                                                                                    \
  static void s_store_##name(ARGS) {                                                                                   \
    TAKE                                                                                                               \
    T *q = (T *)p[s->a];                                                                                               \
    PUT(I, t)                                                                                                          \
    for (int i = 0; i < BLOCK; i++) {                                                                                  \
      const I x = t[i];                                                                                                \
      q[i] = store;                                                                                                    \
    }                                                                                                                  \
    FINISH;                                                                                                            \
  }                                                                                                                    \
  static void s_stream_##name(ARGS) {                                                                                  \
    TAKE                                                                                                               \
    char *q = p[s->a];                                                                                                 \
    T to[BLOCK] __attribute__((aligned(64)));                                                                          \
    PUT(I, t)                                                                                                          \
    for (int i = 0; i < BLOCK; i++) {                                                                                  \
      const I x = t[i];                                                                                                \
      to[i] = store;                                                                                                   \
    }                                                                                                                  \
    STREAM_ALL(to)                                                                                                     \
    FINISH;                                                                                                            \
  }
#ifdef WIDE_HALVES
#define LOAD_HALF(x, k) x = WIDE_HALVES(q + k * N);
#define BINARY16(name, T, load, store)                                                                                 \
  static void s_load_##name(ARGS) {                                                                                    \
    const T *q = (const T *)p[s->a];                                                                                   \
    EACH(LOAD_HALF) NEXT;                                                                                              \
  }                                                                                                                    \
  STORE_BY(name, rounded_##name)
#endif
#include "pairs.h"
#define PARTIAL(name, T, load, store)
#define PART(name, T, first, load, store)
#include "memory.def"
#undef BINARY16
#undef CONVERT
#undef COMPLEX
#undef ROUNDED_STORE
