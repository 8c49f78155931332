// memory_impl.h: loops that make lanes of the elements of memory.def and elements of lanes, for one level.
#include "lanes.h"

#include "elements.h"

#include "small.h"

#define ELEMENTS(name, T, step, first, load, store)                                                                    \
  static void load_##name(void *restrict dst, const void *restrict src, const halo_stream *st, int64_t n) {            \
    (void)st;                                                                                                          \
    I *d = dst;                                                                                                        \
    const T *q = src;                                                                                                  \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      T x = q[i * step + first];                                                                                       \
      d[i] = load;                                                                                                     \
    }                                                                                                                  \
  }                                                                                                                    \
  static void store_##name(void *restrict dst, const void *restrict src, const halo_stream *st, int64_t n) {           \
    (void)st;                                                                                                          \
    T *d = dst;                                                                                                        \
    const I *q = src;                                                                                                  \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      I x = q[i];                                                                                                      \
      d[i * step + first] = store;                                                                                     \
    }                                                                                                                  \
  }
#define CONVERT(name, T, load, store) ELEMENTS(name, T, 1, 0, load, store)
#define PARTIAL CONVERT
#define ROUNDED_STORE(name)
#define COMPLEX(name)
#define PART(name, T, first, load, store) ELEMENTS(name, T, 2, first, load, store)
#include "halves.h"
#ifdef WIDE_HALVES // what is left of a vector goes number by number
#define BINARY16(name, T, load, store)                                                                                 \
  CONVERT(name##_each, T, load, store)                                                                                 \
  static void load_##name(void *restrict dst, const void *restrict src, const halo_stream *st, int64_t n) {            \
    I *d = dst;                                                                                                        \
    const T *q = src;                                                                                                  \
    int64_t i = 0;                                                                                                     \
    for (; i + N <= n; i += N)                                                                                         \
      *(VIm *)(d + i) = WIDE_HALVES(q + i);                                                                            \
    load_##name##_each(d + i, q + i, st, n - i);                                                                       \
  }                                                                                                                    \
  static void store_##name(void *restrict dst, const void *restrict src, const halo_stream *st, int64_t n) {           \
    T *d = dst;                                                                                                        \
    const I *q = src;                                                                                                  \
    int64_t i = 0;                                                                                                     \
    for (; i + N <= n; i += N)                                                                                         \
      STORE_HALVES(d + i, *(const VIm *)(q + i));                                                                      \
    store_##name##_each(d + i, q + i, st, n - i);                                                                      \
  }
#endif
#include "memory.def"
#undef BINARY16
#undef CONVERT
#undef PART

static const halo_converter loads[] = {
    0,
#define CONVERT(name, T, load, store) load_##name,
#define PART(name, T, first, load, store) load_##name,
#include "memory.def"
#undef CONVERT
#undef PART
};

static const halo_converter stores[] = {
    0,
#define CONVERT(name, T, load, store) store_##name,
#define PART(name, T, first, load, store) store_##name,
#include "memory.def"
#undef CONVERT
#undef PART
};

const halo_converters CAT3(halo_converters, LANE, LEVEL) = {loads, stores};
