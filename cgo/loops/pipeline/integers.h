// integers.h: quotients and counts of bits of vectors of integers, for the level and lane of lanes.h.

// rotate moves the bits of a lane up by n, from 1 to LANE-1; what leaves at the top comes back below.
INLINE VI rotate(VI x, I n) {
#if defined(__x86_64__) && VB == 64 && LANE == 32
  return (VI)_mm512_rolv_epi32((__m512i)x, _mm512_set1_epi32(n));
#else
  return (VI)((VU)x << n | (VU)x >> (LANE - n));
#endif
}

// What a division by 0 comes to, and that of the least number by -1, is said by each_ of one lane.
INLINE I each_div_s(I x, I y) { return y == 0 ? -1 : y == -1 ? (I)(-(U)x) : x / y; }
INLINE I each_div_u(I x, I y) { return y == 0 ? -1 : (I)((U)x / (U)y); }

#if defined(__x86_64__) && VB == 64 && LANE == 32
#define HALF(x, k) _mm512_extracti64x4_epi64((__m512i)(x), k)
#define JOIN(a, b) (VI)_mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1)
#define WIDE_S(x, k) (VD)_mm512_cvtepi32_pd(HALF(x, k))
#define WIDE_U(x, k) (VD)_mm512_cvtepu32_pd(HALF(x, k))
#define NARROW_S(x) _mm512_cvttpd_epi32((__m512d)(x))
#define NARROW_U(x) _mm512_cvttpd_epu32((__m512d)(x))
#define FLOOR_S(x) _mm512_cvt_roundpd_epi32((__m512d)(x), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
#elif defined(__x86_64__) && VB == 32 && LANE == 32
#define HALF(x, k) _mm256_extracti128_si256((__m256i)(x), k)
#define JOIN(a, b) (VI)_mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1)
#define WIDE_S(x, k) (VD)_mm256_cvtepi32_pd(HALF(x, k))
#define WIDE_U(x, k) ((VD)_mm256_cvtepi32_pd(HALF((x) ^ INT32_MIN, k)) + 0x1p31)
#define NARROW_S(x) _mm256_cvttpd_epi32((__m256d)(x))
#define NARROW_U(x) less_half(x)
#define FLOOR_S(x) _mm256_cvttpd_epi32(_mm256_floor_pd((__m256d)(x)))
// less_half makes unsigned numbers of whole ones: what is rounded down is so before the half of the range goes.
INLINE __m128i less_half(VD x) {
  VD low = (VD)_mm256_floor_pd((__m256d)x) - 0x1p31;
  return _mm_xor_si128(_mm256_cvttpd_epi32((__m256d)low), _mm_set1_epi32(INT32_MIN));
}
#endif

#ifdef NARROW_S
// quotient_of is x/y in f64, where x is half a unit farther from 0. Both are whole and below 2^32: the true quotient
// is at least half of 1/y away from the whole numbers around it, and what rounding adds is less.
INLINE VD quotient_of(VD x, VD y) { return (x + signed_as(all(0.5), x)) * (1 / y); }

INLINE VI div_s(VI x, VI y) {
  VI q = JOIN(NARROW_S(quotient_of(WIDE_S(x, 0), WIDE_S(y, 0))), NARROW_S(quotient_of(WIDE_S(x, 1), WIDE_S(y, 1))));
  return q | (y == 0);
}
// A quotient is rounded down if what is added to x is so by the sign of y.
#define FLOOR_OF(x, y, k) FLOOR_S((WIDE_S(x, k) + signed_as(all(0.5), WIDE_S(y, k))) * (1 / WIDE_S(y, k)))
#define NEAR_FLOOR(x, y) 1
INLINE VI near_div_floor(VI x, VI y) { return JOIN(FLOOR_OF(x, y, 0), FLOOR_OF(x, y, 1)); }
INLINE VI div_u(VI x, VI y) {
  VI q = JOIN(NARROW_U(quotient_of(WIDE_U(x, 0), WIDE_U(y, 0))), NARROW_U(quotient_of(WIDE_U(x, 1), WIDE_U(y, 1))));
  return q | (y == 0);
}
#elif defined(__x86_64__) && LANE == 64 && VB > 16
#include "integers64.h"
#else
INLINE VI div_s(VI x, VI y) {
  for (int i = 0; i < N; i++)
    x[i] = each_div_s(x[i], y[i]);
  return x;
}
INLINE VI div_u(VI x, VI y) {
  for (int i = 0; i < N; i++)
    x[i] = each_div_u(x[i], y[i]);
  return x;
}
#endif

// A remainder of a division by 0 is x.
INLINE VI rem(VI x, VI y, VI q) { return (VI)((VU)x - (VU)q * ((VU)y & (VU)(y != 0))); }

// div_floor is rounded down, not toward 0. By 0 it is what programs make of that with a quotient of -1 and a remainder
// of x: one less unless x is 0.
INLINE VI div_floor(VI x, VI y) {
#ifdef NEAR_FLOOR
  const VI near = near_div_floor(x, y); // before the choice, so that a divisor of all lanes is inverted once
  if (NEAR_FLOOR(x, y))
    return pick(y == 0, (y == 0) + (x != 0), near);
#endif
  const VI q = div_s(x, y);
  return q + ((((x ^ y) < 0) | (y == 0)) & (rem(x, y, q) != 0));
}

// div_short is that of numbers of up to 16 bits with or without a sign, by way of floats: half a unit is added as
// above, and the inverse is as exact as that wants.
#if defined(__x86_64__) && LANE == 32 && VB == 64
INLINE VF short_inverse(VF y) {
  const __m512 r = _mm512_rcp14_ps((__m512)y);
  return (VF)_mm512_mul_ps(r, _mm512_fnmadd_ps((__m512)y, r, _mm512_set1_ps(2)));
}
#elif defined(__x86_64__) && LANE == 32 && VB == 32
INLINE VF short_inverse(VF y) {
  const __m256 r = _mm256_rcp_ps((__m256)y);
  return (VF)_mm256_mul_ps(r, _mm256_fnmadd_ps((__m256)y, r, _mm256_set1_ps(2)));
}
#else
INLINE VF short_inverse(VF y) { return 1 / y; }
#endif
INLINE VI div_short(VI x, VI y) {
  const VF v = __builtin_convertvector(x, VF), inverse = short_inverse(__builtin_convertvector(y, VF));
  return __builtin_convertvector((v + with_sign(same((F)0.5), v)) * inverse, VI) | (y == 0);
}

// high_part is the upper half of the product of numbers without a sign, y the same for all lanes.
#if defined(__x86_64__) && LANE == 32 && VB == 64
INLINE VI high_part(VI x, VI y) {
  const __m512i even = _mm512_mul_epu32((__m512i)x, (__m512i)y);
  const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64((__m512i)x, 32), (__m512i)y);
  return (VI)_mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
}
#elif defined(__x86_64__) && LANE == 32 && VB == 32
INLINE VI high_part(VI x, VI y) {
  const __m256i even = _mm256_mul_epu32((__m256i)x, (__m256i)y);
  const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64((__m256i)x, 32), (__m256i)y);
  return (VI)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
}
#else
INLINE VI high_part(VI x, VI y) {
  for (int i = 0; i < N; i++)
    x[i] = (I)high_u(x[i], y[i]);
  return x;
}
#endif

// A quotient by a known number is the upper half of the product of x with y, which is near 2^(LANE+n) divided by that,
// n bits down: of the magnitude of x, or of what makes one of rounding down. Without a sign y has one bit more on top.
INLINE VI div_by(VI x, VI y, int n) {
  const VI sign = x >> (LANE - 1), q = (VI)((VU)high_part(absolute(x), y) >> n);
  return (q ^ sign) - sign;
}
INLINE VI floor_by(VI x, VI y, int n) {
  const VI sign = x >> (LANE - 1);
  return (VI)((VU)high_part(x ^ sign, y) >> n) ^ sign;
}
INLINE VI div_by_u(VI x, VI y, int n) {
  const VU high = (VU)high_part(x, y);
  return (VI)(((((VU)x - high) >> 1) + high) >> n);
}

// power_u squares until no lane's power has a bit left. Negative powers are 0, but those of 1.
INLINE VI power_u(VI x, VI y) {
  VI p = samei(1);
  for (; some(y); y = (VI)((VU)y >> 1), x = multiplied(x, x))
    p = pick((y & 1) != 0, multiplied(p, x), p);
  return p;
}
INLINE VI power_s(VI x, VI y) {
  const VI p = power_u(x, y & (y >= 0));
  return pick(y < 0, (x == 1) & 1, p);
}

// ones counts the bits that are set: in pairs, fours and bytes, and those by a product; by a table of half a byte and
// sums of neighbours where a shuffle of bytes has such.
#if defined(__x86_64__) && VB == 64
INLINE VI ones(VI v) {
  const __m512i low = _mm512_set1_epi8(15), x = (__m512i)v, table = _mm512_set4_epi32(
      0x04030302, 0x03020201, 0x03020201, 0x02010100);
  const __m512i a = _mm512_shuffle_epi8(table, _mm512_and_si512(x, low));
  const __m512i b = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16(x, 4), low));
  const __m512i bytes = _mm512_add_epi8(a, b);
#if LANE == 64
  return (VI)_mm512_sad_epu8(bytes, _mm512_setzero_si512());
#else
  return (VI)_mm512_madd_epi16(_mm512_maddubs_epi16(bytes, _mm512_set1_epi8(1)), _mm512_set1_epi16(1));
#endif
}
#elif defined(__x86_64__) && VB == 32
INLINE VI ones(VI v) {
  const __m256i low = _mm256_set1_epi8(15), x = (__m256i)v, table = _mm256_setr_epi32(
      0x02010100, 0x03020201, 0x03020201, 0x04030302, 0x02010100, 0x03020201, 0x03020201, 0x04030302);
  const __m256i a = _mm256_shuffle_epi8(table, _mm256_and_si256(x, low));
  const __m256i b = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), low));
  const __m256i bytes = _mm256_add_epi8(a, b);
#if LANE == 64
  return (VI)_mm256_sad_epu8(bytes, _mm256_setzero_si256());
#else
  return (VI)_mm256_madd_epi16(_mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1)), _mm256_set1_epi16(1));
#endif
}
#else
INLINE VI ones(VI v) {
  const U bits = ~(U)0;
  VU x = (VU)v;
  x -= (x >> 1) & bits / 3;
  x = (x & bits / 15 * 3) + ((x >> 2) & bits / 15 * 3);
  x = (x + (x >> 4)) & bits / 255 * 15;
  return (VI)((x * (bits / 255)) >> (LANE - 8));
}
#endif

// zeros counts the bits before the first one.
#if defined(__x86_64__) && VB == 64
INLINE VI zeros(VI v) { return (VI)(LANE == 32 ? _mm512_lzcnt_epi32((__m512i)v) : _mm512_lzcnt_epi64((__m512i)v)); }
#else
INLINE VI zeros(VI v) {
  VU x = (VU)v;
  for (int k = 1; k < LANE; k *= 2)
    x |= x >> k;
  return ones((VI)~x);
}
#endif
