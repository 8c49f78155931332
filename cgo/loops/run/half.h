/* half.h: what bf16 and f16 are in f32. The including file defines INLINE. */
#include <stdint.h>
#include <string.h>

INLINE float float_of_bits(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

INLINE uint32_t bits_of_float(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof f);
  return bits;
}

INLINE float from_bf16(uint16_t v) { return float_of_bits((uint32_t)v << 16); }

INLINE uint16_t to_bf16(float f) { /* to nearest, ties to even; NaN stays NaN */
  const uint32_t bits = bits_of_float(f);
  if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

INLINE float from_f16(uint16_t v) {
  const uint32_t bits = (uint32_t)(v & 0x7fff) << 13, sign = (uint32_t)(v & 0x8000) << 16;
  const uint32_t finite = bits_of_float(float_of_bits(bits) * 0x1p112f);
  return float_of_bits((bits >= 0x0f800000 ? bits | 0x7f800000 : finite) | sign);
}

/* to_f16 rounds as to_bf16 does: numbers below the least normal one by a sum that leaves no room for more bits. */
INLINE uint16_t to_f16(float f) {
  const uint32_t bits = bits_of_float(f), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  const uint32_t normal = (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;
  const uint32_t small = bits_of_float(float_of_bits(size) + 0.5f) - 0x3f000000;
  const uint32_t special = size > 0x7f800000 ? 0x7e00 | (size >> 13 & 0x1ff) : 0x7c00;
  return (uint16_t)(sign | (size >= 0x477ff000 ? special : size < 0x38800000 ? small : normal));
}
