/* half.h: what bf16 is in f32. The including file defines INLINE. */
#include <stdint.h>
#include <string.h>

INLINE float from_bf16(uint16_t v) {
  uint32_t bits = (uint32_t)v << 16;
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

INLINE uint16_t to_bf16(float f) { /* to nearest, ties to even; NaN stays NaN */
  uint32_t bits;
  memcpy(&bits, &f, sizeof f);
  if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
