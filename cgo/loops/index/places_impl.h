// places_impl.h: what index vectors' entries add to places, for one ISA level, which the including file names LEVEL.
#include "index.h"

// Places that are out of the operand stay below 0 whatever is added, and some of these to one another.
#define OUTSIDE (-((int64_t)1 << 56))

static inline int64_t inside(int64_t v, index_entry e) { return v < 0 ? 0 : v > e.last ? e.last : v; }

#define ENTRY(T)                                                                                             \
  static inline int64_t value_##T(T x) {                                                                     \
    const int64_t v = (int64_t)x;                                                                            \
    return (T)~(T)0 > 0 && sizeof(T) == 8 && v < 0 ? INT64_MAX : v;                                          \
  }                                                                                                          \
  static void entry_##T(const void *starts, int64_t step, int64_t n, index_entry e, int clamp,               \
                        int64_t *restrict at) {                                                              \
    const T *restrict p = starts;                                                                            \
    if (step == 1 && clamp) {                                                                                \
      for (int64_t i = 0; i < n; i++) at[i] += inside(value_##T(p[i]), e) * e.stride;                        \
      return;                                                                                                \
    }                                                                                                        \
    for (int64_t i = 0; i < n; i++) {                                                                        \
      const int64_t v = value_##T(p[i * step]), c = inside(v, e);                                            \
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

const index_entries_table LEVEL = {
    entry_uint8_t, entry_uint16_t, entry_uint32_t, entry_uint64_t, NULL, NULL, NULL, NULL,
    entry_int8_t,  entry_int16_t,  entry_int32_t,  entry_int64_t,
};
