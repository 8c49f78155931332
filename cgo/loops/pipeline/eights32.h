// eights32.h: functions of vectors of 8 floats where there are neither masks nor tables in registers: the usual numbers
// take a way without special cases if a whole vector has no others. The coefficients are those of math32.h.

// of8 is the number of a table for each place: that of the three lowest bits of i. With its table in memory the
// instruction takes twice the time.
INLINE VF of8(const float *table, VI i) {
  VF t = *(const VF *)table;
  ROUNDED(t);
  return (VF)_mm256_permutevar8x32_ps((__m256)t, (__m256i)i);
}

// power8 is the power of 2^(-1/8) that the three lowest bits of y say, raised by these bits where a float has those
// above an eighth of its exponent, and q so that exp(r) = 1 + q for r of at most log(2)/16. lowered is
// 2^(-y/8) of it, if that is a normal number.
INLINE VF power8(VI y, VF r, VF *q) {
  static const float powers[8] __attribute__((aligned(32))) = {0x1p0f, 0x1.f5818ep-1f, 0x1.ee89fap-1f, 0x1.eace54p-1f,
      0x1.ea09e6p-1f, 0x1.ebfdaep-1f, 0x1.f06fep-1f, 0x1.f72b84p-1f};
  *q = r + (r * r) * (0.50006454f + r * 0.16666859f);
  return of8(powers, y);
}

INLINE VF lowered(VF s, VI y) { return (VF)((VI)s - (y << 20)); }

// exp32_eighths gives s, raised, and q so that exp(x) = s*(1+q)*2^-floor(y/8), where y is -x by eighths of log(2).
INLINE VF exp32_eighths(VF x, VI *y, VF *q) {
  *y = (VI)(SHIFT32 / 8 - x * 0x1.715476p0f);
  const VF t = (VF)*y - SHIFT32 / 8;
  return power8(*y, (x + t * 0x1.62e400p-1f) + t * 0x1.7f7d1cp-20f, q);
}

// exp32_square gives s and q so that exp(-x*x) = s*(1+q); z is x*x rounded. No square is rounded where it matters, nor
// the product that it is added to, which has few bits.
INLINE VF exp32_square(VF x, VF z, VF *q) {
  const VI y = (VI)(z * 0x1.715476p0f + SHIFT32 / 8);
  const VF t = (VF)y - SHIFT32 / 8, r = rounded(t * 0x1.62ep-1f) - x * x;
  return lowered(power8(y, r + t * 0x1.0bfbe8p-15f, q), y);
}

// near_exp32 is the exponential where y is at most NEAR_POWER, and at least what is as far on the other side, and a NaN
// of NaN. Unsigned, y is more where x is less, and of NaN.
#define NEAR_POWER ((I)0x49c00000 + 8 * 125)
#define NEAR_EXP 86.6f // y is so where the magnitude of x is below
#define NO_EXP -104.0f // the exponential of less is 0
INLINE VF near_exp32(VF x, VI *y) {
  VF q, s = exp32_eighths(x, y, &q);
  s = lowered(s, *y);
  return s + s * q;
}

// far_exp32 has the same bits there; 2^t may be beyond the exponents of a float, and takes two steps.
static __attribute__((noinline)) VF far_exp32(VF x) {
  VI y;
  VF q, s = exp32_eighths(most(NO_EXP, least(89, x)), &y, &q);
  const VI k = -((y - 0x49c00000) >> 3), h = k >> 1;
  s = lowered(s, y & 7);
  return (s + s * q) * (VF)((h + 127) << 23) * (VF)((k - h + 127) << 23);
}

INLINE VF near_f_expf(VF x, MASK *near) {
  VI y;
  *near &= LESS(magnitude(x), same(NEAR_EXP));
  return near_exp32(x, &y);
}
INLINE VF f_expf(VF x) { return IF_NEAR(near_f_expf, x, far_exp32(x)); }

// exp8 is exp(r)-1 for r of at most log(2)/2.
INLINE VF exp8(VF r) {
  VF q = 0.04166838908f + r * (0.008368715188f + r * 0.001381448171f);
  q = 0.4999999345f + r * (0.1666652065f + r * q);
  return r + r * r * q;
}

// expm1_of gives s = 2^t and q so that exp(x) = s + s*q, for x from -87 to 88.
INLINE VF expm1_of(VF x, VF *s) {
  const VF y = x * 0x1.715476p0f + (SHIFT32 + 127), t = y - (SHIFT32 + 127);
  *s = (VF)((VI)y << 23);
  return exp8((x - t * 0x1.62e400p-1f) - t * 0x1.7f7d1cp-20f);
}

// far_ functions are for numbers that their namesakes have no way for.
static __attribute__((noinline)) VF far_expm1(VF x) { return any_expm1(x); }
INLINE VF near_f_expm1f(VF x, MASK *near) {
  VF s, q = expm1_of(most(-30, x), &s);
  *near &= LESS(x, same(88));
  return (VF)((VI)(s * q + (s - 1)) | ((VI)x & SIGN));
}
INLINE VF f_expm1f(VF x) { return NEAR_OR(near_f_expm1f, x, far_expm1(x)); }

// f_tanhf is (1-e)/(1+e) for e = exp(-2*|x|) = s + s*q, of which nothing is lost where |x| is small, since s is 1.
INLINE VF f_tanhf(VF x) {
  VF s, q = expm1_of(-least(20, magnitude(x + x)), &s);
  const VF down = s * q + (s - 1), up = s * q + (s + 1);
  return with_sign(down / up, x); // that of zero, too
}

static __attribute__((noinline)) VF far_logistic32(VF x) { return logistic32(x); }
INLINE VF near_f_logisticf(VF x, MASK *near) {
  VF s, q = expm1_of(-least(80, x), &s);
  const VF w = 1 + s, lost = 1 - (w - s);
  *near &= LESS(same(-86), x);
  return 1 / (w + (s * q + lost));
}
INLINE VF f_logisticf(VF x) { return NEAR_OR(near_f_logisticf, x, far_logistic32(x)); }

// log8 gives c, e and l so that log(1 + w) = l - e*log(2)/2^23 + log((1+w)*c), where u is nearly 1 + w, a normal number
// up to 2^125, and (1+w)*c is from 0.945 to 1.0625: c is a power of two by one of 8 numbers of 14 bits whose logarithms
// are nearly floats. Near 1 c is 1, e 0 and l -0, so that a zero keeps its sign.
INLINE VF log8(VF u, VF *e, VF *l) {
  static const float inverses[8] __attribute__((aligned(32))) = {
      0x1.758p-1f, 0x1.9a8p-1f, 0x1.c76p-1f, 1, 0x1.1058p0f, 0x1.24d8p0f, 0x1.3bcp0f, 0x1.54d8p0f};
  static const float logs[8] __attribute__((aligned(32))) = {
      0.315406621f, 0.220948696f, 0.11720337f, -0.0f, -0.0618876107f, -0.134461746f, -0.209773317f, -0.286246717f};
  const VI t = 0x3fb7ffff - (VI)u, n = t & ~0x7fffff, i = t >> 20;
  *e = __builtin_convertvector(n, VF);
  *l = of8(logs, i);
  return (VF)(I(of8(inverses, i)) + n);
}

// log8_sum is l - e*log(2)/2^23 + log(1 + f) for such an f.
INLINE VF log8_sum(VF f, VF e, VF l) {
  const VF p = -0.4999994062f + f * (0.3333379048f + f * (-0.2506991924f + f * 0.198194417f));
  return (l + (f + (f * f) * p)) - e * 0x1.62e43p-24f;
}

static __attribute__((noinline)) VF far_log(VF x) {
  VF e, m = parts(x, &e);
  return log32(m - 1, e);
}
INLINE VF near_f_logf(VF x, MASK *near) {
  VF e, l, c = log8(x, &e, &l);
  *near &= within(x, 0x1p-126f, 0x1p125f);
  return log8_sum(x * c - 1, e, l);
}
INLINE VF f_logf(VF x) { return NEAR_OR(near_f_logf, x, far_log(x)); }

// log1p8 is log(1 + (v+w)), where w is the smaller one and u nearly that sum.
INLINE VF log1p8(VF v, VF w, VF u) {
  VF e, l, c = log8(u, &e, &l);
  return log8_sum(w * c + (v * c - (1 - c)), e, l);
}

static __attribute__((noinline)) VF far_log1p(VF x) { return any_log1p(x); }
INLINE VF near_f_log1pf(VF x, MASK *near) {
  const VF u = 1 + x;
  VF e, l, c = log8(u, &e, &l);
  *near &= within(u, 0x1p-30f, 0x1p100f);
  return log8_sum(x * c - (1 - c), e, l);
}
INLINE VF f_log1pf(VF x) { return NEAR_OR(near_f_log1pf, x, far_log1p(x)); }

// f_erff takes polynomials in the distance h from the nearest of eight numbers, and adds h apart from its product with
// one, which so are as exact as the result is near 0; beyond the last number it is 1.
INLINE VF f_erff(VF x) {
  static const float values[8] __attribute__((aligned(32))) = {
      0.0f, 0.54752845f, 0.8670583f, 0.9757977f, 0.997346f, 0.9998277f, 0.99999344f, 0.9999999f};
  static const float c[6][8] __attribute__((aligned(32))) = {
      {0.12837917f, -0.14908586f, -0.6350967f, -0.9110124f, -0.98765916f, -0.9990268f, -0.99995637f,
      -0.99999887f},
      {-7.194494e-07f, -0.45204818f, -0.38771054f, -0.14182338f, -0.026225667f, -0.002583571f,
      -0.00013841031f, -7.037089e-06f},
      {-0.37608534f, -0.12356778f, 0.15294346f, 0.12104708f, 0.033041324f, 0.0042523397f, 0.0002812713f,
      8.961876e-06f},
      {-0.0007326348f, 0.18347873f, 0.0480137f, -0.049186546f, -0.026325572f, -0.0048325914f, -0.000421516f,
      6.517221e-05f},
      {0.11851493f, -0.0010201477f, -0.06478892f, -0.0056471503f, 0.01230578f, 0.0038757196f, 0.0004430959f,
      3.3321005e-05f},
      {-0.020069152f, -0.047654644f, 0.009740749f, 0.015809609f, -0.0019824116f, -0.0017315432f,
      -0.00019494432f, -0.00068995066f}};
  const VF a = least(3.95f, magnitude(x)), u = a * (32 / 17.0f) + SHIFT32, h = a - (u - SHIFT32) * (17 / 32.0f);
  VF p = of8(c[5], (VI)u);
#pragma GCC unroll 8
  for (int k = 4; k >= 0; k--)
    p = of8(c[k], (VI)u) + h * p;
  return (VF)((VI)(of8(values, (VI)u) + (h + h * p)) | ((VI)x & SIGN));
}

// f_erf_invf goes the other way for one in forty vectors of random numbers, and for all that are no numbers below 1,
// whose w is large or product NaN.
static __attribute__((noinline)) VF far_erf_inv(VF x) { return any_erf_inv(x); }
INLINE VF near_erf_inv(VF x, MASK *near) {
  VF v = x * x;
  ROUNDED(v);
  VF e, l, c = log8(1 - v, &e, &l), w = -log8_sum(-v * c - (1 - c), e, l);
  *near &= LESS(w, same(5)) & LESS(v, same(1));
  return near_giles(w) * x;
}
INLINE VF f_erf_invf(VF x) { return NEAR_OR(near_erf_inv, x, far_erf_inv(x)); }
