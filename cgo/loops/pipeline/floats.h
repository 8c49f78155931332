// floats.h: roots, roundings and choices of vectors of floats, for the level and lane of lanes.h.
// Square roots, which GNU C has no vectors of.
#if defined(__x86_64__) && VB == 64
#define ROOT32(x) _mm512_sqrt_ps((__m512)(x))
#define ROOT64(x) _mm512_sqrt_pd((__m512d)(x))
#elif defined(__x86_64__) && VB == 32
#define ROOT32(x) _mm256_sqrt_ps((__m256)(x))
#define ROOT64(x) _mm256_sqrt_pd((__m256d)(x))
#elif defined(__x86_64__)
#define ROOT32(x) _mm_sqrt_ps((__m128)(x))
#define ROOT64(x) _mm_sqrt_pd((__m128d)(x))
#elif defined(__aarch64__)
#define ROOT32(x) vsqrtq_f32((float32x4_t)(x))
#define ROOT64(x) vsqrtq_f64((float64x2_t)(x))
#endif

#define F(x) ((VF)(x))
#define I(x) ((VI)(x))

// Float helpers. 2^MANTISSA and more are whole numbers; adding it to smaller ones rounds them to nearest even.
#define WHOLE ((F)((U)1 << MANTISSA))

#ifdef ROOT32
INLINE VF square_root(VF x) { return LANE == 32 ? (VF)ROOT32(x) : (VF)ROOT64(x); }
#else
INLINE VF square_root(VF x) {
  for (int i = 0; i < N; i++)
    x[i] = LANE == 32 ? __builtin_sqrtf(x[i]) : __builtin_sqrt(x[i]);
  return x;
}
#endif

// fused is x*y + z, rounded once.
#if defined(__x86_64__) && VB == 64 && LANE == 32
#define FUSED(x, y, z) _mm512_fmadd_ps((__m512)(x), (__m512)(y), (__m512)(z))
#elif defined(__x86_64__) && VB == 64
#define FUSED(x, y, z) _mm512_fmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(z))
#elif defined(__x86_64__) && VB == 32 && LANE == 32
#define FUSED(x, y, z) _mm256_fmadd_ps((__m256)(x), (__m256)(y), (__m256)(z))
#elif defined(__x86_64__) && VB == 32
#define FUSED(x, y, z) _mm256_fmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(z))
#endif
#ifdef FUSED
INLINE VF fused(VF x, VF y, VF z) { return (VF)FUSED(x, y, z); }
#else
INLINE VF fused(VF x, VF y, VF z) {
  for (int i = 0; i < N; i++)
    z[i] = LANE == 32 ? __builtin_fmaf(x[i], y[i], z[i]) : __builtin_fma(x[i], y[i], z[i]);
  return z;
}
#endif

#if defined(__x86_64__) && VB == 64
#if LANE == 32
#define TO_WHOLE(x, how) ((VF)_mm512_roundscale_ps((__m512)(x), how))
#else
#define TO_WHOLE(x, how) ((VF)_mm512_roundscale_pd((__m512d)(x), how))
#endif
INLINE VF round_even(VF x) { return TO_WHOLE(x, 0); }
INLINE VF round_down(VF x) { return TO_WHOLE(x, 1); }
#else
INLINE VF round_even(VF x) {
  VF a = magnitude(x), r = (a + WHOLE) - WHOLE;
  return pickf(a < WHOLE, with_sign(r, x), x);
}

INLINE VF round_down(VF x) {
  VF r = round_even(x);
  r = pickf(r > x, r - 1, r);
  return pickf(magnitude(x) < WHOLE, with_sign(r, pickf(r == 0, x, r)), x);
}
#endif

INLINE VF round_afz(VF x) {
  VF a = magnitude(x), r = (a + WHOLE) - WHOLE, d = a - r; // d is exact
  r = pickf(d >= (F)0.5, r + 1, r);
  return pickf(a < WHOLE, with_sign(r, x), x);
}

// The machine's own choice knows the signs of zeros, but of a NaN and a number it takes the number: number_max_f and
// number_min_f are for numbers, UNORDERED is not 0 where one of two is none, ANYWHERE tells if that is so somewhere.
#if defined(__x86_64__) && VB == 64
#if LANE == 32
#define RANGE(x, y, how) ((VI)_mm512_range_ps((__m512)(x), (__m512)(y), how))
#define UNORDERED(x, y) _mm512_cmp_ps_mask((__m512)(x), (__m512)(y), _CMP_UNORD_Q)
#define SUM_WHERE(r, m, x, y) ((VI)_mm512_mask_add_ps((__m512)(r), m, (__m512)(x), (__m512)(y)))
#else
#define RANGE(x, y, how) ((VI)_mm512_range_pd((__m512d)(x), (__m512d)(y), how))
#define UNORDERED(x, y) _mm512_cmp_pd_mask((__m512d)(x), (__m512d)(y), _CMP_UNORD_Q)
#define SUM_WHERE(r, m, x, y) ((VI)_mm512_mask_add_pd((__m512d)(r), m, (__m512d)(x), (__m512d)(y)))
#endif
INLINE VI number_max_f(VI x, VI y) { return RANGE(x, y, 5); }
INLINE VI number_min_f(VI x, VI y) { return RANGE(x, y, 4); }
INLINE VI maximum(VI x, VI y) { return SUM_WHERE(RANGE(x, y, 5), UNORDERED(x, y), x, y); }
INLINE VI minimum(VI x, VI y) { return SUM_WHERE(RANGE(x, y, 4), UNORDERED(x, y), x, y); }
#define ANYWHERE(m) (m)
#elif defined(__x86_64__) && VB == 32
// Here that choice is the second operand where both are zeros or one is a NaN, so that it takes both orders.
#if LANE == 32
#define LARGER(x, y) (VI)_mm256_max_ps((__m256)(x), (__m256)(y))
#define SMALLER(x, y) (VI)_mm256_min_ps((__m256)(x), (__m256)(y))
#define UNORDERED(x, y) (VI)_mm256_cmp_ps((__m256)(x), (__m256)(y), _CMP_UNORD_Q)
#define ANYWHERE(m) _mm256_movemask_ps((__m256)(m))
#else
#define LARGER(x, y) (VI)_mm256_max_pd((__m256d)(x), (__m256d)(y))
#define SMALLER(x, y) (VI)_mm256_min_pd((__m256d)(x), (__m256d)(y))
#define UNORDERED(x, y) (VI)_mm256_cmp_pd((__m256d)(x), (__m256d)(y), _CMP_UNORD_Q)
#define ANYWHERE(m) _mm256_movemask_pd((__m256d)(m))
#endif
INLINE VI number_max_f(VI x, VI y) { return LARGER(x, y) & LARGER(y, x); }
INLINE VI number_min_f(VI x, VI y) { return SMALLER(x, y) | SMALLER(y, x); }
INLINE VI maximum(VI x, VI y) { return pick(UNORDERED(x, y), I(F(x) + F(y)), number_max_f(x, y)); }
INLINE VI minimum(VI x, VI y) { return pick(UNORDERED(x, y), I(F(x) + F(y)), number_min_f(x, y)); }
#else
INLINE VI maximum(VI x, VI y) {
  VF a = F(x), b = F(y);
  VF r = pickf(a == b, F(x & y), pickf(a > b, a, b));
  return I(pickf((a != a) | (b != b), a + b, r));
}

INLINE VI minimum(VI x, VI y) {
  VF a = F(x), b = F(y);
  VF r = pickf(a == b, F(x | y), pickf(a < b, a, b));
  return I(pickf((a != a) | (b != b), a + b, r));
}
#endif

// Whole numbers and floats, which lanes of 64 bits have no instructions for before AVX-512. What is below 2^51 is added
// to 1.5*2^52, halves of larger ones by themselves: of numbers of 32 bits by the bits of 2^52 and 2^84. One sum rounds.
#if defined(__x86_64__) && LANE == 64 && VB == 32
#define LOW(x, high) (VI)_mm256_blend_epi32((__m256i)(x), (__m256i)same(high), 0xaa)
INLINE VF unsigned_float(VI x) {
  const VI high = (VI)((VU)x >> 32) | I(same(0x1p84));
  return (F(high) - (0x1p84 + 0x1p52)) + F(LOW(x, 0x1p52));
}
INLINE VF signed_float(VI x) {
  const VI high = (VI)((VU)x >> 32) ^ (I(same(0x1p84)) | INT64_C(1) << 31);
  return (F(high) - (0x1p84 + 0x1p63 + 0x1p52)) + F(LOW(x, 0x1p52));
}
INLINE VI whole_of(VF v) { return I(v + 0x1.8p52) - I(same(0x1.8p52)); }
INLINE VI short_of(VF v) { return whole_of((VF)_mm256_round_pd((__m256d)v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)); }
INLINE VI truncated(VF v) {
  const VF w = (VF)_mm256_round_pd((__m256d)v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  const VF high = (VF)_mm256_floor_pd((__m256d)(w * 0x1p-32));
  return (VI)((VU)whole_of(high) << 32) + whole_of(w - high * 0x1p32);
}
#else
INLINE VF unsigned_float(VI x) { return __builtin_convertvector((VU)x, VF); }
INLINE VF signed_float(VI x) { return __builtin_convertvector(x, VF); }
INLINE VI truncated(VF v) { return __builtin_convertvector(v, VI); }
INLINE __attribute__((unused)) VI short_of(VF v) { return truncated(v); }
#endif

// to_short is a whole number of half as many bits as a lane has, saturated: of -bits if that is below 0, which have a
// sign. NaN is 0.
INLINE VI to_short(VF x, I bits) {
  const I one = 1, most = bits < 0 ? (one << (-bits - 1)) - 1 : (one << bits) - 1, least = bits < 0 ? -most - 1 : 0;
#if defined(__x86_64__) && LANE == 32 && VB == 64
  const __m512 v = (__m512)x, low = _mm512_min_ps(v, _mm512_set1_ps((float)most));
  const __m512i r = _mm512_maskz_cvttps_epi32(_mm512_cmp_ps_mask(v, v, _CMP_ORD_Q), low);
  return (VI)_mm512_max_epi32(r, _mm512_set1_epi32(least));
#elif defined(__x86_64__) && LANE == 32 && VB == 32
  const __m256 v = (__m256)x, low = _mm256_min_ps(v, _mm256_set1_ps((float)most));
  const __m256i r = _mm256_max_epi32(_mm256_cvttps_epi32(low), _mm256_set1_epi32(least));
  return (VI)r & (x == x);
#else
  const VF low = pickf(x < (F)most, x, same((F)most)), v = pickf(low > (F)least, low, same((F)least));
  return short_of(v) & (x == x);
#endif
}

#define TOP ((F)((U)1 << (LANE - 1))) // what is too large for a signed lane

INLINE VI to_signed(VF x) {
  VI inside = magnitude(x) < TOP;
  VI r = truncated(pickf(inside, x, same(0)));
  VI beyond = pick(x > 0, samei((I)ALLBUTSIGN), samei(SIGN)) & (x == x);
  return pick(inside, r, beyond);
}

INLINE VI to_unsigned(VF x) {
  VI high = x >= TOP;
  x = pickf(x > 0, x, same(0)); // NaN too
  VF low = pickf(high, x - TOP, x);
  VI big = low >= TOP;
  VI r = truncated(pickf(big, same(0), low)) ^ (high & SIGN);
  return r | big;
}

// odd rounds a whole number that a float may not have so that a second rounding is right; it is not negative.
INLINE VI odd(VI x) {
  const I drop = LANE == 32 ? 8 : 11, low = ((I)1 << drop) - 1;
  VI sticky = (x & low) != 0;
  VI r = (x & ~low) | (sticky & ((I)1 << drop));
  return pick((VI)((VU)x >> (LANE - drop)) != 0, r, x);
}

// round_to rounds to a float with man stored bits of mantissa and the least normal number least; what is more than most
// becomes infinite.
INLINE VF round_to(VF x, int man, F least, F most) {
  VF a = magnitude(x);
  a = pickf(a > most * 4, same(most * 4), a);
  VF e = F(I(a) & INFINITE);
  e = pickf(e < least, same(least), e) * ((F)1.5 * (F)((U)1 << (MANTISSA - man)));
  VF r = (a + e) - e;
  r = pickf(r > most, same(INFINITY), r);
  return pickf(x != x, x, with_sign(r, x));
}

#if defined(__x86_64__) && LANE == 32 && VB == 64
INLINE VF round_f16(VF x) { return (VF)_mm512_cvtph_ps(_mm512_cvtps_ph((__m512)x, 8)); }
#elif defined(__x86_64__) && LANE == 32 && VB == 32
INLINE VF round_f16(VF x) { return (VF)_mm256_cvtph_ps(_mm256_cvtps_ph((__m256)x, 8)); }
#else
INLINE VF round_f16(VF x) { return round_to(x, 10, (F)0x1p-14, 65504); }
#endif

#if LANE == 32
INLINE VF round_f32(VF x) { return x; }
// near_bf16 has a number's next one of bf16 in its upper bits, and anything in the lower ones.
INLINE VI near_bf16(VF x) {
#if defined(__x86_64__) && VB == 64
  const __m512i b = (__m512i)x, r = _mm512_add_epi32(b, _mm512_set1_epi32(0x7fff));
  return (VI)_mm512_mask_add_epi32(r, _mm512_test_epi32_mask(b, _mm512_set1_epi32(0x10000)), r, _mm512_set1_epi32(1));
#else
  const VU b = (VU)x;
  return (VI)(b + 0x7fff + ((b >> 16) & 1));
#endif
}
INLINE VF round_bf16(VF x) {
  VI r = near_bf16(x);
#if defined(__x86_64__) && VB == 64
  r = (VI)_mm512_mask_or_epi32((__m512i)r, UNORDERED(x, x), (__m512i)x, _mm512_set1_epi32(0x400000));
#else
  r = pick(x != x, (VI)x | 0x400000, r);
#endif
  return F(r & (I)0xffff0000);
}
#else
typedef float VH __attribute__((vector_size(VB / 2)));
INLINE VF round_f32(VF x) { return __builtin_convertvector(__builtin_convertvector(x, VH), VF); }
INLINE VF round_bf16(VF x) { return round_to(x, 7, (F)0x1p-126, (F)0x1.fep127); }
#endif

// signed_f32 and unsigned_f32 are whole numbers rounded to f32.
#if defined(__x86_64__) && LANE == 64 && VB == 64
INLINE VF signed_f32(VI x) { return (VF)_mm512_cvtps_pd(_mm512_cvtepi64_ps((__m512i)x)); }
INLINE VF unsigned_f32(VI x) { return (VF)_mm512_cvtps_pd(_mm512_cvtepu64_ps((__m512i)x)); }
#else
INLINE VF signed_f32(VI x) {
  return round_f32(signed_float(LANE == 32 ? x : pick(x < 0, -odd(-x), odd(x))));
}
INLINE VF unsigned_f32(VI x) { return round_f32(unsigned_float(LANE == 32 ? x : odd(x))); }
#endif

// narrow_mantissa drops bits of the mantissa, rounding to even; narrow_exponent makes numbers beyond the range of so
// many bits of exponent infinite or 0. Law: reduce-precision.
INLINE VI narrow_mantissa(VI x, int drop) {
  VI a = x & ALLBUTSIGN;
  VI r = a + ((a >> drop) & 1) + (((I)1 << (drop - 1)) - 1);
  r = (VI)((VU)r >> drop << drop);
  return pick(a > INFINITE, x, r | (x & SIGN));
}

INLINE VI narrow_exponent(VI x, int bits) {
  const I bias = ((I)1 << (bits - 1)) - 1;
  VI a = x & ALLBUTSIGN, e = a >> MANTISSA;
  VI r = pick(e > BIAS + bias, samei(INFINITE), pick(e <= BIAS - bias, samei(0), a));
  return pick(a > INFINITE, x, r | (x & SIGN));
}

// some is not 0 if a mask has a place.
INLINE I some(VI m) {
#if defined(__x86_64__) && VB == 32
  return !_mm256_testz_si256((__m256i)m, (__m256i)m);
#endif
  I any = 0;
  for (int i = 0; i < N; i++)
    any |= m[i];
  return any;
}

#if LANE == 32
// powers makes x^y of r, |x|^y where that is neither 0 nor infinity, for all numbers: infinities are even.
INLINE VF powers(VF r, VF x, VF y) {
  const VF a = magnitude(x), half = y * 0.5f;
  r = pickf((a == 0) | (a == INFINITY), pickf((a == 0) == (y < 0), same(INFINITY), same(0)), r);
  const VI whole = round_even(y) == y, odd = whole & (round_even(half) != half);
  r = (VF)((VI)r ^ (odd & (VI)x & SIGN));
  r = pickf((x < 0) & (a != INFINITY) & ~whole, same(NAN), r);
  r = pickf((x != x) | (y != y), x + y, r);
  return pickf((y == 0) | (x == 1) | ((a == 1) & (magnitude(y) == INFINITY)), same(1), r);
}
#endif
