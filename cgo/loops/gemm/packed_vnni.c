//go:build linux
/* The kernels for integers of 8 bits, four of which are a word, by the instruction that adds four products of unsigned
 * and signed numbers to 32 bits, without saturation. Rows are as they are; columns, if of the other kind than that
 * instruction wants beside them, have 128 added or taken off by turning their first bit, and sums begin with what that
 * adds too much or too little: 128 times those of the rows, at the head of a panel. */
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx512vnni,avx2,fma")
#pragma GCC optimize("O3")
#include "packed_word.h"

#define TERMS 4
#define S int8_t
#define NAME(x) vnni_##x

/* word is up to four terms. */
static int32_t word(const char *from, int64_t term, int64_t terms) {
  int8_t four[4] = {0};
  for (int i = 0; i < 4 && i < terms; i++) four[i] = from[i * term];
  int32_t w;
  memcpy(&w, four, sizeof w);
  return w;
}

/* along packs up to four terms of neighbouring lines, 16 at a time: bytes of four vectors are taken in turns. */
INLINE void along(int32_t *to, const char *from, int64_t term, int64_t terms, int64_t lines, const int width) {
  for (int i = 0; i < width; i += 16) {
    const int64_t rest = lines - i < 0 ? 0 : lines - i < 16 ? lines - i : 16;
    const int here = width - i < 16 ? width - i : 16;
    __m128i r[4];
    for (int q = 0; q < 4; q++)
      r[q] = _mm_maskz_loadu_epi8(q < terms ? (__mmask16)((1u << rest) - 1) : 0, from + q * term + i);
    const __m128i low = _mm_unpacklo_epi8(r[0], r[1]), high = _mm_unpackhi_epi8(r[0], r[1]),
                  low2 = _mm_unpacklo_epi8(r[2], r[3]), high2 = _mm_unpackhi_epi8(r[2], r[3]);
    const __m128i words[4] = {_mm_unpacklo_epi16(low, low2), _mm_unpackhi_epi16(low, low2),
                              _mm_unpacklo_epi16(high, high2), _mm_unpackhi_epi16(high, high2)};
    for (int q = 0; q < here / 4; q++) _mm_storeu_si128((__m128i *)(to + i + 4 * q), words[q]);
  }
}

#include "packed_pack.h"

/* head writes what the sums of rows begin with: factor times the sum of their terms. */
INLINE void head(const int is_signed, int32_t *head, int64_t words, int factor) {
  const __m512i one = _mm512_set1_epi8(1);
  __m512i sum[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
  for (int64_t p = 0; p < words; p += 4)
#pragma GCC unroll 4
    for (int q = 0; q < 4; q++) { /* so that no sum waits for the one before */
      const __mmask16 count = p + q < words ? (1 << ROWS) - 1 : 0;
      const __m512i v = _mm512_maskz_loadu_epi32(count, head + (1 + p + q) * ROWS);
      sum[q] = is_signed ? _mm512_dpbusd_epi32(sum[q], one, v) : _mm512_dpbusd_epi32(sum[q], v, one);
    }
  const __m512i all = _mm512_add_epi32(_mm512_add_epi32(sum[0], sum[1]), _mm512_add_epi32(sum[2], sum[3]));
  _mm512_mask_storeu_epi32(head, (1 << ROWS) - 1, _mm512_mullo_epi32(all, _mm512_set1_epi32(factor)));
}

static void head_s8s8(void *panel, int64_t words) { head(1, panel, words, -128); }
static void head_u8u8(void *panel, int64_t words) { head(0, panel, words, 128); }
static void head_0(void *panel, int64_t words) {
  (void)words;
  memset(panel, 0, ROWS * sizeof(int32_t));
}

static void pack_turned(void *to, const void *from, int64_t lines, int64_t terms, int64_t line, int64_t term) {
  vnni_pack_columns(to, from, lines, terms, line, term);
  const __m512i bits = _mm512_set1_epi8((char)0x80);
  char *v = to;
  for (int64_t i = 0; i < (terms + 3) / 4 * COLUMNS * 4; i += VB)
    _mm512_storeu_si512(v + i, _mm512_xor_si512(_mm512_loadu_si512(v + i), bits));
}

#define ADD(s, t) _mm512_add_epi32(s, t)
#define BEGIN(head) _mm512_set1_epi32(*(head))
#define HEADS ROWS
#define STEP(is_signed, s, x, v) (is_signed ? _mm512_dpbusd_epi32(s, v, x) : _mm512_dpbusd_epi32(s, x, v))
#include "packed_dot.h"
TILE(tile_s8, 1)
TILE(tile_u8, 0)

#define KERNEL(pack_columns, head, tile) {1, 4, TERMS, ROWS, COLUMNS, vnni_pack_rows, pack_columns, head, tile, {0}}
const halo_packed_kernel halo_packed_vnni[PACKED_KINDS - PACKED_FLOATS] = {
    KERNEL(pack_turned, head_s8s8, tile_s8), KERNEL(vnni_pack_columns, head_0, tile_s8),
    KERNEL(vnni_pack_columns, head_0, tile_u8), KERNEL(pack_turned, head_u8u8, tile_u8)};
#endif
