// products.h: products, magnitudes and choices of vectors of integers, for the level and lane of lanes.h.
#if LANE == 8
// Bytes are multiplied as words, the lower ones and the upper ones, each where it stays.
typedef uint16_t VW __attribute__((vector_size(VB)));
INLINE VI multiplied(VI x, VI y) {
  const VW low = (VW)x * (VW)y, high = ((VW)x >> 8) * ((VW)y & 0xff00);
  return (VI)((low & 0xff) | high);
}
#else
INLINE VI multiplied(VI x, VI y) { return (VI)((VU)x * (VU)y); }
#endif

#if defined(__x86_64__) && LANE == 8 && VB == 64
#define OF_LANES(f, sign, x, y) (VI)_mm512_##f##_ep##sign##8((__m512i)(x), (__m512i)(y))
INLINE VI absolute(VI x) { return (VI)_mm512_abs_epi8((__m512i)x); }
#elif defined(__x86_64__) && LANE == 8 && VB == 32
#define OF_LANES(f, sign, x, y) (VI)_mm256_##f##_ep##sign##8((__m256i)(x), (__m256i)(y))
INLINE VI absolute(VI x) { return (VI)_mm256_abs_epi8((__m256i)x); }
#elif defined(__x86_64__) && LANE == 32 && VB == 32
#define OF_LANES(f, sign, x, y) (VI)_mm256_##f##_ep##sign##32((__m256i)(x), (__m256i)(y))
INLINE VI absolute(VI x) { return (VI)_mm256_abs_epi32((__m256i)x); }
#else
INLINE VI absolute(VI x) { return pick(x < 0, (VI)(-(VU)x), x); }
#endif

#ifdef OF_LANES
INLINE VI larger_s(VI x, VI y) { return OF_LANES(max, i, x, y); }
INLINE VI smaller_s(VI x, VI y) { return OF_LANES(min, i, x, y); }
INLINE VI larger_u(VI x, VI y) { return OF_LANES(max, u, x, y); }
INLINE VI smaller_u(VI x, VI y) { return OF_LANES(min, u, x, y); }
#else
INLINE VI larger_s(VI x, VI y) { return pick(x > y, x, y); }
INLINE VI smaller_s(VI x, VI y) { return pick(x < y, x, y); }
INLINE VI larger_u(VI x, VI y) { return pick((VI)((VU)x > (VU)y), x, y); }
INLINE VI smaller_u(VI x, VI y) { return pick((VI)((VU)x < (VU)y), x, y); }
#endif

// Shifts by y, which is taken as a number without a sign: by all bits of a type or more 0 or the sign is left.
#if defined(__x86_64__) && LANE == 8 && VB == 32
// Bytes are shifted as words, by products with powers of two, in which 7 bits are left over when they go down.
INLINE VI power_of(VI y, __m128i table) {
  return (VI)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), (__m256i)smaller_u(y, samei(15)));
}
#define POWERS_DOWN(rest) _mm_setr_epi8(-128, 64, 32, 16, 8, 4, 2, 1, rest, rest, rest, rest, rest, rest, rest, rest)
typedef int16_t VS __attribute__((vector_size(VB)));
INLINE VI shifted_up(VI x, VI y, int bits) {
  (void)bits;
  return multiplied(x, power_of(y, _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0)));
}
INLINE VI shifted_down(VI x, VI y, int bits) {
  (void)bits;
  const VW p = (VW)power_of(y, POWERS_DOWN(0));
  const VW low = ((VW)x & 0xff) * (p & 0xff) >> 7, high = ((VW)x >> 8) * (p >> 8) << 1;
  return (VI)(low | (high & 0xff00));
}
INLINE VI shifted_signed(VI x, VI y) {
  const VW p = (VW)power_of(y, POWERS_DOWN(1));
  const VS low = ((VS)((VW)x << 8) >> 8) * (VS)(p & 0xff) >> 7;
  const VW high = (VW)((VS)x >> 8) * (p >> 8) << 1;
  return (VI)(((VW)low & 0xff) | (high & 0xff00));
}
#else
INLINE VI shifted_up(VI x, VI y, int bits) {
  return (VI)((VU)x << ((VU)y & (LANE - 1))) & ((VI)((VU)y < (VU)samei((I)bits)));
}
INLINE VI shifted_down(VI x, VI y, int bits) {
  return (VI)((VU)x >> ((VU)y & (LANE - 1))) & ((VI)((VU)y < (VU)samei((I)bits)));
}
INLINE VI shifted_signed(VI x, VI y) { return x >> pick((VI)((VU)y < LANE), y, samei(LANE - 1)); }
#endif
