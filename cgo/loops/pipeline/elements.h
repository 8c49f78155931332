// elements.h: what the lines of memory.def are made of, for the lane of lanes.h.
#ifndef HALO_HALF
#define HALO_HALF
INLINE float bits_to_float(uint32_t b) {
  float f;
  __builtin_memcpy(&f, &b, 4);
  return f;
}
INLINE uint32_t float_to_bits(float f) {
  uint32_t b;
  __builtin_memcpy(&b, &f, 4);
  return b;
}
INLINE float half_to_float(uint16_t h) {
  uint32_t a = (uint32_t)(h & 0x7fff) << 13;
  uint32_t finite = float_to_bits(bits_to_float(a) * 0x1p112f);
  uint32_t b = a >= 0x0f800000 ? a | 0x7f800000 : finite;
  return bits_to_float(b | (uint32_t)(h & 0x8000) << 16);
}
// float_to_half takes what half precision has.
INLINE uint16_t float_to_half(float f) {
  uint32_t b = float_to_bits(f), a = b & 0x7fffffff;
  uint32_t finite = float_to_bits(bits_to_float(a) * 0x1p-112f) >> 13;
  uint32_t special = 0x7c00 | ((a >> 13) & 0x3ff) | (uint32_t)(a > 0x7f800000) << 9;
  return (uint16_t)((b >> 16 & 0x8000) | (a >= 0x7f800000 ? special : finite));
}
INLINE double bits_to_double(uint64_t b) {
  double f;
  __builtin_memcpy(&f, &b, 8);
  return f;
}
INLINE uint64_t double_to_bits(double f) {
  uint64_t b;
  __builtin_memcpy(&b, &f, 8);
  return b;
}
#endif

#if LANE == 32
#define BITS(f) ((I)float_to_bits(f))
#define FLOAT(x) bits_to_float((U)(x))
#else
#define BITS(f) ((I)double_to_bits(f))
#define FLOAT(x) bits_to_double((U)(x))
#endif
