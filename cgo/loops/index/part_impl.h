// part_impl.h: which places are in a part of the array, of index vectors of one entry of 32 bits.
#include "entry.h"

#if defined(__x86_64__) && VB == 32
#include <immintrin.h>

// Four lanes of which some are chosen, by the bits of a number: those lanes, the first in the last digit.
static const uint16_t chosen[16] = {0x0000, 0x0000, 0x0001, 0x0010, 0x0002, 0x0020, 0x0021, 0x0210,
                                    0x0003, 0x0030, 0x0031, 0x0310, 0x0032, 0x0320, 0x0321, 0x3210};

static inline int64_t round_up(int64_t a, int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }

static int64_t part(index_stretch x, index_entry e, int64_t low, int64_t high, index_places *p) {
  if (x.step.start != 1 || x.step.operand != 0 || e.stride <= 0 || e.stride > INT32_MAX || e.last >= INT32_MAX ||
      e.wrap > INT32_MAX)
    return -1;
  const int64_t first = round_up(low - x.operand, e.stride), behind = round_up(high - x.operand, e.stride);
  const int64_t count = (behind < e.last + 1 ? behind : e.last + 1) - first;
  if (count <= 0) return 0;
  const int32_t *s = (const int32_t *)x.starts;
  int32_t values[INDEX_BLOCK + 4], numbers[INDEX_BLOCK + 4];
  const __m128i wrap = _mm_set1_epi32((int32_t)e.wrap), from = _mm_set1_epi32((int32_t)first);
  const __m128i most = _mm_set1_epi32((int32_t)(count - 1)), digits = _mm_setr_epi32(0, 4, 8, 12);
  __m128i number = _mm_setr_epi32(0, 1, 2, 3);
  int64_t m = 0, i = 0;
  for (; i + 4 <= x.n; i += 4, number = _mm_add_epi32(number, _mm_set1_epi32(4))) {
    const __m128i at = _mm_loadu_si128((const __m128i *)(s + i));
    const __m128i v = _mm_add_epi32(at, _mm_and_si128(_mm_srai_epi32(at, 31), wrap)), r = _mm_sub_epi32(v, from);
    const int k = _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(_mm_min_epu32(r, most), r)));
    const __m128i lanes = _mm_srlv_epi32(_mm_set1_epi32(chosen[k]), digits);
    _mm_storeu_ps((float *)(values + m), _mm_permutevar_ps(_mm_castsi128_ps(v), lanes));
    _mm_storeu_ps((float *)(numbers + m), _mm_permutevar_ps(_mm_castsi128_ps(number), lanes));
    m += __builtin_popcount((unsigned)k);
  }
  for (; i < x.n; i++) {
    values[m] = s[i] + (s[i] < 0 ? (int32_t)e.wrap : 0), numbers[m] = (int32_t)i;
    m += (uint32_t)values[m] - (uint32_t)first < (uint32_t)count;
  }
  const int32_t stride = (int32_t)e.stride;
  for (i = 0; i < m; i++) p->operand[i] = x.operand + (int64_t)values[i] * stride;
  for (i = 0; i < m; i++) p->windowed[i] = x.windowed + numbers[i] * x.step.windowed;
  return m;
}
#define PART part
#else
#define PART NULL
#endif
