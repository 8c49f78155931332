// topk_impl.h: the loops of top-k for one ISA level, which the including file names LEVEL. It may have its own append
// for 32 bits, APPEND32.
#include "topk.h"

#define LOOPS(T, bits)                                                                                       \
  static int64_t append##bits(T *kept, uint32_t *index, int64_t m, const T *keys, int64_t n, uint32_t first, \
                              T limit) {                                                                     \
    for (int64_t i = 0; i < n; i++) {                                                                        \
      kept[m] = keys[i], index[m] = first + (uint32_t)i;                                                     \
      m += keys[i] < limit;                                                                                  \
    }                                                                                                        \
    return m;                                                                                                \
  }                                                                                                          \
  static int64_t below##bits(const T *keys, int64_t n, T limit) {                                            \
    uint32_t sum = 0;                                                                                        \
    for (int64_t i = 0; i < n; i++) sum += keys[i] < limit;                                                  \
    return sum;                                                                                              \
  }

#ifdef APPEND32
#define append32 append32_plain
#endif
LOOPS(uint32_t, 32)
LOOPS(uint64_t, 64)
#ifdef APPEND32
#undef append32
#else
#define APPEND32 append32
#endif

const topk_table LEVEL = {APPEND32, append64, below32, below64};
