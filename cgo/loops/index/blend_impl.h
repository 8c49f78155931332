// blend_impl.h: one weighted sum of rows, for one ISA level.
#include "blend.h"

#include <string.h>

typedef float blend_wide __attribute__((vector_size(VB), aligned(4)));
typedef float blend_narrow __attribute__((vector_size(16), aligned(4)));
typedef uint32_t blend_wide_bits __attribute__((vector_size(VB), aligned(4)));
typedef uint32_t blend_narrow_bits __attribute__((vector_size(16), aligned(4)));

typedef float blend_eight __attribute__((vector_size(32), aligned(4)));
typedef uint32_t blend_eight_bits __attribute__((vector_size(32), aligned(4)));

enum { BLEND_VECTORS = 8, EXPONENT = 0x7f800000, EXPONENT_ONE = 0x00800000 };

// While there is room for COUNT vectors from float i on, their sums are made in registers, rounded product by product
// and term by term, in the order of the taps. An exponent that is all ones carries into the sign of spoiled.
#define BLEND(VECTOR, COUNT)                                                                                 \
  for (; i + (int64_t)(COUNT * sizeof(VECTOR) / 4) <= row; i += COUNT * sizeof(VECTOR) / 4) {                \
    VECTOR sum[COUNT] = {0};                                                                                 \
    for (int64_t k = 0; k < n; k++) {                                                                        \
      const VECTOR *x = (const VECTOR *)(s + 4 * i + taps[k].at), w = taps[k].weight - (VECTOR){0};          \
      for (int j = 0; j < COUNT; j++) sum[j] += w * x[j];                                                    \
    }                                                                                                        \
    VECTOR##_bits spoiled = {0};                                                                             \
    for (int j = 0; j < COUNT; j++) {                                                                        \
      spoiled |= ((VECTOR##_bits)sum[j] & EXPONENT) + EXPONENT_ONE;                                          \
      ((VECTOR *)(d + i))[j] = sum[j];                                                                       \
    }                                                                                                        \
    for (int j = 0; j < (int)(sizeof(VECTOR) / 4); j++) bad |= spoiled[j];                                   \
  }

// blend makes one row of n taps, and says whether one of its sums is infinite or NaN.
static int blend(float *d, const char *s, int64_t row, const void *list, int64_t n) {
  const index_tap *taps = list;
  int64_t i = 0;
  uint32_t bad = 0;
  BLEND(blend_wide, BLEND_VECTORS)
  BLEND(blend_wide, 1)
  BLEND(blend_narrow, 1)
  for (; i < row; i++) {
    float sum = 0;
    for (int64_t k = 0; k < n; k++) {
      float x;
      memcpy(&x, s + 4 * i + taps[k].at, 4);
      sum += taps[k].weight * x;
    }
    uint32_t bits;
    memcpy(&bits, &sum, 4);
    bad |= (bits & EXPONENT) + EXPONENT_ONE;
    d[i] = sum;
  }
  return bad >> 31;
}

// blend_add adds one tap to eight sums.
static inline void blend_add(blend_eight *sum, const char *s, const index_lanes *t) {
#if defined(__AVX2__)
  const __m256 x = _mm256_loadu_ps((const float *)(s + t->at));
  const __m256i lane = _mm256_loadu_si256((const __m256i *)t->lane);
  *sum += *(const blend_eight *)t->weight * (blend_eight)_mm256_permutevar8x32_ps(x, lane);
#else
  for (int l = 0; l < 8; l++) {
    float x;
    memcpy(&x, s + t->at + 4 * t->lane[l], 4);
    (*sum)[l] += t->weight[l] * x;
  }
#endif
}

// blend_lanes is blend by n taps for each eight floats of a row.
static int blend_lanes(float *d, const char *s, int64_t row, const void *taps, int64_t n) {
  const index_lanes *t = taps;
  blend_eight_bits spoiled = {0};
  for (int64_t i = 0; i < row; i += 8) {
    blend_eight sum = {0};
    for (const index_lanes *end = t + n; t < end; t++) blend_add(&sum, s, t);
    spoiled |= ((blend_eight_bits)sum & EXPONENT) + EXPONENT_ONE;
    *(blend_eight *)(d + (i + 8 <= row ? i : row - 8)) = sum;
  }
  uint32_t bad = 0;
  for (int l = 0; l < 8; l++) bad |= spoiled[l];
  return bad >> 31;
}
