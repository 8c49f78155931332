/* Tiles of 12 rows by 32 columns whose words are multiplied and summed by one instruction, for AVX-512. The
 * including file defines ADD(s, t) of two vectors of sums, BEGIN(head), which sums of a row begin with, HEADS, the
 * words of them at the head of a panel of rows, and STEP(kind, s, left, right), s and the products of a row's word
 * and of a vector's. */

/* store brings a row of sums to c, as far as its columns count. */
INLINE void store(int32_t *c, __m512i left, __m512i right, const __mmask16 *count, int first) {
  if (!first) {
    left = ADD(left, _mm512_maskz_loadu_epi32(count[0], c));
    right = ADD(right, _mm512_maskz_loadu_epi32(count[1], c + 16));
  }
  _mm512_mask_storeu_epi32(c, count[0], left);
  _mm512_mask_storeu_epi32(c + 16, count[1], right);
}

/* some is a tile of so many rows. */
INLINE void some(const int kind, const int height, const int32_t *a, const int32_t *b, int32_t *c, int64_t words,
                 int64_t row_c, int64_t rows, int64_t columns, int first) {
  __m512i s[12][2];
#pragma GCC unroll 16
  for (int i = 0; i < height; i++) {
    s[i][0] = s[i][1] = BEGIN(a + i);
    if (i < rows) __builtin_prefetch(c + i * row_c, 0, 2), __builtin_prefetch(c + i * row_c + columns - 1, 0, 2);
  }
  a += HEADS;
  for (int64_t p = 0; p < words; p++, a += 12, b += 32) {
    __builtin_prefetch(a + 32 * 12);
    __builtin_prefetch(b + 32 * 32), __builtin_prefetch(b + 32 * 32 + 16);
    const __m512i left = _mm512_loadu_si512(b), right = _mm512_loadu_si512(b + 16);
#pragma GCC unroll 16
    for (int i = 0; i < height; i++) {
      const __m512i x = _mm512_set1_epi32(a[i]);
      s[i][0] = STEP(kind, s[i][0], x, left), s[i][1] = STEP(kind, s[i][1], x, right);
    }
  }
  const __mmask32 all = columns < 32 ? (1u << columns) - 1 : ~0u;
  const __mmask16 count[2] = {(__mmask16)all, (__mmask16)(all >> 16)};
#pragma GCC unroll 16
  for (int i = 0; i < height; i++)
    if (i < rows) store(c + i * row_c, s[i][0], s[i][1], count, first);
}

/* TILE defines a tile of a kind, which leaves out thirds of the rows that do not count. */
#define TILE(name, kind)                                                                                             \
  static void name(const void *a, const void *b, void *c, int64_t words, int64_t row_c, int64_t rows,                \
                   int64_t columns, int first) {                                                                     \
    if (rows <= 4)                                                                                                   \
      some(kind, 4, a, b, c, words, row_c, rows, columns, first);                                                    \
    else if (rows <= 8)                                                                                              \
      some(kind, 8, a, b, c, words, row_c, rows, columns, first);                                                    \
    else                                                                                                             \
      some(kind, 12, a, b, c, words, row_c, rows, columns, first);                                                   \
  }
