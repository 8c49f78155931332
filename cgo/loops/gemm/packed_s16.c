//go:build linux
/* The kernels for integers of 8 bits without an instruction for four of them: two terms, made numbers of 16 bits as
 * they are packed, are a word, and one instruction adds their products in 32 bits, which always holds them. */
#if defined(__x86_64__)
#pragma GCC target("avx2,fma")
#pragma GCC optimize("O3")
#include <immintrin.h>
#include <string.h>

#include "packed.h"

#define INLINE static inline __attribute__((always_inline))
#define VB 32
#define ROWS 6
#define COLUMNS 16
#define TERMS 2
#define T int32_t

/* wide is numbers of 16 bits of 16 elements. */
INLINE __m256i wide(const int is_signed, __m128i v) {
  return is_signed ? _mm256_cvtepi8_epi16(v) : _mm256_cvtepu8_epi16(v);
}

/* word is one or two terms. */
INLINE int32_t word(const int is_signed, const char *from, int64_t term, int64_t terms) {
  int16_t two[2] = {0};
  for (int i = 0; i < 2 && i < terms; i++) two[i] = is_signed ? (int8_t)from[i * term] : (uint8_t)from[i * term];
  int32_t w;
  memcpy(&w, two, sizeof w);
  return w;
}

/* along packs one or two terms of neighbouring lines, up to width: the bytes of both are taken in turns. */
INLINE void along(const int is_signed, int32_t *to, const char *from, int64_t term, int64_t terms, int64_t lines,
                  const int width) {
  __m128i r[2] = {{0}};
  for (int i = 0; i < 2 && i < terms; i++)
    if (lines == 16)
      r[i] = _mm_loadu_si128((const __m128i *)(from + i * term));
    else
      memcpy(r + i, from + i * term, lines);
  const __m256i w[2] = {wide(is_signed, _mm_unpacklo_epi8(r[0], r[1])), wide(is_signed, _mm_unpackhi_epi8(r[0], r[1]))};
  memcpy(to, w, width * sizeof *to);
}

#define ALONG(to, from, term, terms, lines, width) along(IS_SIGNED, to, from, term, terms, lines, width)
#define WORD(from, term, terms) word(IS_SIGNED, from, term, terms)
#define VECTOR(from) (vec)wide(IS_SIGNED, _mm_loadu_si128((const __m128i *)(from)))

#define S int8_t
#define IS_SIGNED 1
#define NAME(x) s8_##x
#include "packed_pack.h"
#undef NAME
#undef IS_SIGNED
#undef S

#define S uint8_t
#define IS_SIGNED 0
#define NAME(x) u8_##x
#include "packed_pack.h"
#undef NAME

/* sum adds in place: a compiler that may adds several products first, and then has fewer registers than it needs. */
INLINE void sum(__m256i *s, __m256i v) { __asm__("vpaddd %1, %0, %0" : "+x"(*s) : "x"(v)); }

/* add adds to the sums of a tile the products of a word. */
INLINE void add(const int height, const int32_t *a, const int32_t *b, __m256i (*s)[2]) {
  __builtin_prefetch(b + 32 * COLUMNS);
  const __m256i left = _mm256_loadu_si256((const __m256i *)b), right = _mm256_loadu_si256((const __m256i *)(b + 8));
#pragma GCC unroll 8
  for (int i = 0; i < height; i++) {
    const __m256i x = _mm256_set1_epi32(a[i]);
    sum(s[i], _mm256_madd_epi16(x, left)), sum(s[i] + 1, _mm256_madd_epi16(x, right));
  }
}

/* some is a tile of so many rows. */
INLINE void some(const int height, const int32_t *a, const int32_t *b, int32_t *c, int64_t words, int64_t row_c,
                 int64_t rows, int64_t columns, int first) {
  __m256i s[ROWS][2] = {{{0}}};
#pragma GCC unroll 8
  for (int i = 0; i < height; i++)
    if (i < rows) __builtin_prefetch(c + i * row_c, 0, 2), __builtin_prefetch(c + i * row_c + columns - 1, 0, 2);
  int64_t p = 0;
  for (; p + 2 <= words; p += 2, a += 2 * ROWS, b += 2 * COLUMNS) {
    __builtin_prefetch(a + 32 * ROWS);
    add(height, a, b, s), add(height, a + ROWS, b + COLUMNS, s);
  }
  if (p < words) add(height, a, b, s);
  uint32_t whole[ROWS][COLUMNS];
  memcpy(whole, s, sizeof whole);
  for (int i = 0; i < height && i < rows; i++, c += row_c)
    for (int64_t j = 0; j < columns; j++) c[j] = (int32_t)(first ? whole[i][j] : (uint32_t)c[j] + whole[i][j]);
}

/* tile leaves out thirds of the rows that do not count. */
static void tile(const void *a, const void *b, void *c, int64_t words, int64_t row_c, int64_t rows, int64_t columns,
                 int first) {
  if (rows <= 2)
    some(2, a, b, c, words, row_c, rows, columns, first);
  else if (rows <= 4)
    some(4, a, b, c, words, row_c, rows, columns, first);
  else
    some(6, a, b, c, words, row_c, rows, columns, first);
}

#define KERNEL(rows, columns) {1, 4, TERMS, ROWS, COLUMNS, rows##_pack_rows, columns##_pack_columns, 0, tile, {0}, 0, 0}
const halo_packed_kernel halo_packed_s16[PACKED_KINDS - PACKED_FLOATS] = {KERNEL(s8, s8), KERNEL(s8, u8),
                                                                         KERNEL(u8, s8), KERNEL(u8, u8)};
#endif
