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
