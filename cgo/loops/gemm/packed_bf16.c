//go:build linux
/* The kernel for bf16, two of which are a word, by the instruction that adds two products to f32. */
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx512bf16,avx2,fma")
#pragma GCC optimize("O3")
#include "packed_word.h"

#define TERMS 2
#define S uint16_t
#define NAME(x) pairs_##x

/* word is one or two terms. */
static int32_t word(const char *from, int64_t term, int64_t terms) {
  uint16_t two[2] = {0};
  for (int i = 0; i < 2 && i < terms; i++) memcpy(two + i, from + i * term, sizeof *two);
  int32_t w;
  memcpy(&w, two, sizeof w);
  return w;
}

/* panel_line packs two terms of all lines of a panel of columns: each line's are put side by side. */
INLINE void panel_line(int32_t *to, const char *from, int64_t term) {
  const __m512i one = _mm512_loadu_si512(from), two = _mm512_loadu_si512(from + term);
  const __m512i line = _mm512_cvtepu16_epi32(_mm256_set_epi16(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
  const __m512i both = _mm512_or_si512(line, _mm512_slli_epi32(_mm512_add_epi32(line, _mm512_set1_epi32(32)), 16));
  _mm512_storeu_si512(to, _mm512_permutex2var_epi16(one, both, two));
  _mm512_storeu_si512(to + 16, _mm512_permutex2var_epi16(one, _mm512_add_epi16(both, _mm512_set1_epi16(16)), two));
}

/* along packs one or two terms of neighbouring lines, 16 at a time, if they are not a whole panel of columns. */
INLINE void along(int32_t *to, const char *from, int64_t term, int64_t terms, int64_t lines, const int width) {
  if (width == COLUMNS && lines >= width && terms > 1) {
    panel_line(to, from, term);
    return;
  }
  for (int i = 0; i < width; i += 16) {
    const int64_t rest = lines - i < 0 ? 0 : lines - i < 16 ? lines - i : 16;
    const __mmask16 count = (__mmask16)((1u << rest) - 1), second = terms > 1 ? count : 0;
    const __m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(count, from + 2 * i)),
                  high = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(second, from + term + 2 * i));
    const __mmask16 here = width - i < 16 ? (__mmask16)((1u << (width - i)) - 1) : 0xffff;
    _mm512_mask_storeu_epi32(to + i, here, _mm512_or_si512(low, _mm512_slli_epi32(high, 16)));
  }
}

#include "packed_pack.h"

#define ADD(s, t) (__m512i)_mm512_add_ps((__m512)(s), (__m512)(t))
#define BEGIN(head) _mm512_setzero_si512()
#define HEADS 0
#define STEP(kind, s, x, v) ((void)kind, (__m512i)_mm512_dpbf16_ps((__m512)(s), (__m512bh)(x), (__m512bh)(v)))
#include "packed_dot.h"
TILE(tile, 0)

const halo_packed_kernel halo_packed_bf16 = {2, 4, TERMS, ROWS, COLUMNS, pairs_pack_rows, pairs_pack_columns, 0, tile,
                                             {0}};
#endif
