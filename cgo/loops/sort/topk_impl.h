// topk_impl.h: the loops of top-k for one ISA level, which the including file names LEVEL. It may have its own append
// and keep for 32 bits, COMPRESS.
#include <string.h>

#include "topk.h"

enum { RANK_LANES = 16 }; // keys whose ranks are counted together

// EACH_LANE adds to the ranks, while there are keys, those that stand before a lane's. Unrolled, lanes were numbers.
#define EACH_LANE(T, are, before)                                                                            \
  for (; are; i++)                                                                                           \
    _Pragma("GCC unroll 1") for (T j = 0; j < RANK_LANES; j++) rank[j] += before;

#define LOOPS(T, S, bits)                                                                                    \
  static void keys##bits(T *keys, const T *x, int64_t n, topk_order o) {                                     \
    const T negative = (T)o.negative, all = (T)o.all;                                                        \
    for (int64_t i = 0; i < n; i++) keys[i] = x[i] ^ ((T)((S)x[i] >> (bits - 1)) & negative) ^ all;          \
  }                                                                                                          \
  static int64_t below##bits(const T *keys, int64_t n, T limit) {                                            \
    T sum = 0;                                                                                               \
    for (int64_t i = 0; i < n; i++) sum += keys[i] < limit;                                                  \
    return (int64_t)sum;                                                                                     \
  }                                                                                                          \
  static void rank##bits(const T *keys, const uint32_t *index, int64_t k, uint32_t *out) {                   \
    for (int64_t at = 0; at < k; at += RANK_LANES) {                                                         \
      const int64_t some = k - at < RANK_LANES ? k - at : RANK_LANES;                                        \
      T key[RANK_LANES], rank[RANK_LANES] = {0};                                                             \
      memcpy(key, keys + at, sizeof(key));                                                                   \
      T i = 0;                                                                                               \
      EACH_LANE(T, i < (T)at, keys[i] <= key[j])                                                             \
      EACH_LANE(T, i < (T)(at + some), (keys[i] < key[j]) | ((keys[i] == key[j]) & (i < (T)at + j)))         \
      EACH_LANE(T, i < (T)k, keys[i] < key[j])                                                               \
      for (int64_t j = 0; j < some; j++) out[rank[j]] = index[at + j];                                       \
    }                                                                                                        \
  }

#define COMPRESSING(T, bits)                                                                                 \
  static int64_t append##bits(T *kept, uint32_t *index, int64_t m, const T *keys, int64_t n, uint32_t first, \
                              T limit) {                                                                     \
    for (int64_t i = 0; i < n; i++) {                                                                        \
      kept[m] = keys[i], index[m] = first + (uint32_t)i;                                                     \
      m += keys[i] < limit;                                                                                  \
    }                                                                                                        \
    return m;                                                                                                \
  }                                                                                                          \
  static int64_t keep##bits(T *kept, uint32_t *index, int64_t m, T limit) {                                  \
    int64_t n = 0;                                                                                           \
    for (int64_t i = 0; i < m; i++) {                                                                        \
      const T x = kept[i];                                                                                   \
      kept[n] = x, index[n] = index[i];                                                                      \
      n += x < limit;                                                                                        \
    }                                                                                                        \
    return n;                                                                                                \
  }

LOOPS(uint32_t, int32_t, 32)
LOOPS(uint64_t, int64_t, 64)
COMPRESSING(uint64_t, 64)
#ifndef COMPRESS
COMPRESSING(uint32_t, 32)
#endif

const topk_table LEVEL = {keys32, append32, keep32, below32, rank32, keys64, append64, keep64, below64, rank64};
