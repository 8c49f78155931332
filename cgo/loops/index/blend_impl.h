// blend_impl.h: one weighted sum of rows, for one ISA level.
#include "blend.h"

#include <string.h>

typedef float blend_wide __attribute__((vector_size(VB), aligned(4)));
typedef float blend_narrow __attribute__((vector_size(16), aligned(4)));
typedef uint32_t blend_wide_bits __attribute__((vector_size(VB), aligned(4)));
typedef uint32_t blend_narrow_bits __attribute__((vector_size(16), aligned(4)));

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
static int blend(float *d, const char *s, int64_t row, const index_tap *taps, int64_t n) {
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
