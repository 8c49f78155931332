//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,popcnt")
#pragma GCC optimize("O3")
#include <immintrin.h>
#define LEVEL halo_topk_avx512
#define APPEND32 append32_compress
#include "topk.h"
static int64_t append32_plain(uint32_t *, uint32_t *, int64_t, const uint32_t *, int64_t, uint32_t, uint32_t);

// append32_compress writes whole vectors behind the kept keys: there is room for all of keys.
static int64_t append32_compress(uint32_t *kept, uint32_t *index, int64_t m, const uint32_t *keys, int64_t n,
                                 uint32_t first, uint32_t limit) {
  const __m512i l = _mm512_set1_epi32((int)limit), step = _mm512_set1_epi32(16);
  __m512i at = _mm512_add_epi32(_mm512_set1_epi32((int)first),
                                _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512i v = _mm512_loadu_si512(keys + i);
    const __mmask16 less = _mm512_cmplt_epu32_mask(v, l);
    if (less) {
      _mm512_storeu_si512(kept + m, _mm512_maskz_compress_epi32(less, v));
      _mm512_storeu_si512(index + m, _mm512_maskz_compress_epi32(less, at));
      m += __builtin_popcount(less);
    }
    at = _mm512_add_epi32(at, step);
  }
  return append32_plain(kept, index, m, keys + i, n - i, first + (uint32_t)i, limit);
}
#include "topk_impl.h"
#endif
