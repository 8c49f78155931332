//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,popcnt")
#pragma GCC optimize("O3")
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx2,popcnt"))), apply_to = function)
#endif
#define LEVEL halo_topk_avx512
#define COMPRESS
#include "topk.h"

static __mmask16 lanes(int64_t n) { return n < 16 ? (__mmask16)((1 << n) - 1) : 0xffff; }

// append32 and keep32 write whole vectors behind what is kept; keep32 only over what it has read.
static int64_t append32(uint32_t *kept, uint32_t *index, int64_t m, const uint32_t *keys, int64_t n, uint32_t first,
                        uint32_t limit) {
  const __m512i l = _mm512_set1_epi32((int)limit), step = _mm512_set1_epi32(16);
  const __m512i count = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  __m512i at = _mm512_add_epi32(_mm512_set1_epi32((int)first), count);
  for (int64_t i = 0; i < n; i += 16) {
    const __m512i v = _mm512_maskz_loadu_epi32(lanes(n - i), keys + i);
    const __mmask16 less = _mm512_mask_cmplt_epu32_mask(lanes(n - i), v, l);
    if (less) {
      _mm512_storeu_si512(kept + m, _mm512_maskz_compress_epi32(less, v));
      _mm512_storeu_si512(index + m, _mm512_maskz_compress_epi32(less, at));
      m += __builtin_popcount(less);
    }
    at = _mm512_add_epi32(at, step);
  }
  return m;
}

static int64_t keep32(uint32_t *kept, uint32_t *index, int64_t m, uint32_t limit) {
  const __m512i l = _mm512_set1_epi32((int)limit);
  int64_t n = 0;
  for (int64_t i = 0; i < m; i += 16) {
    const __m512i v = _mm512_loadu_si512(kept + i), at = _mm512_loadu_si512(index + i);
    const __mmask16 less = _mm512_mask_cmplt_epu32_mask(lanes(m - i), v, l);
    _mm512_storeu_si512(kept + n, _mm512_maskz_compress_epi32(less, v));
    _mm512_storeu_si512(index + n, _mm512_maskz_compress_epi32(less, at));
    n += __builtin_popcount(less);
  }
  return n;
}
#include "topk_impl.h"
#define NETWORK halo_network_avx512
#include "network_impl.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
