// eights32.h: functions of vectors of 8 floats where there are neither masks nor tables in registers: the usual numbers
// take a way without special cases if a whole vector has no others. The coefficients are those of math32.h.

// expm1_of gives s = 2^t and q so that exp(x) = s + s*q, for x from -87 to 88.
INLINE VF expm1_of(VF x, VF *s) {
  const VF y = x * 0x1.715476p0f + (SHIFT32 + 127), t = y - (SHIFT32 + 127);
  const VF r = (x - t * 0x1.62e400p-1f) - t * 0x1.7f7d1cp-20f;
  VF q = 0.04166838908f + r * (0.008368715188f + r * 0.001381448171f);
  q = 0.4999999345f + r * (0.1666652065f + r * q);
  *s = (VF)((VI)y << 23);
  return r + r * r * q;
}

// far_ functions are for numbers that their namesakes have no way for.
static __attribute__((noinline)) VF far_expm1(VF x) { return any_expm1(x); }
INLINE VF f_expm1f(VF x) {
  VF s, q = expm1_of(most(-30, x), &s);
  const VF v = (VF)((VI)(s * q + (s - 1)) | ((VI)x & SIGN));
  const MASK near = LESS(x, same(88));
  return __builtin_expect(ALL(near), 1) ? v : blend(near, v, far_expm1(x));
}

// f_tanhf is (1-e)/(1+e) for e = exp(-2*|x|) = s + s*q, of which nothing is lost where |x| is small, since s is 1.
INLINE VF f_tanhf(VF x) {
  VF s, q = expm1_of(-least(20, magnitude(x + x)), &s);
  const VF down = s * q + (s - 1), up = s * q + (s + 1);
  return with_sign(down / up, x); // that of zero, too
}

static __attribute__((noinline)) VF far_logistic32(VF x) { return logistic32(x); }
INLINE VF f_logisticf(VF x) {
  VF s, q = expm1_of(-least(80, x), &s);
  const VF w = 1 + s, lost = 1 - (w - s), v = 1 / (w + (s * q + lost));
  const MASK near = LESS(same(-86), x);
  return __builtin_expect(ALL(near), 1) ? v : blend(near, v, far_logistic32(x));
}

// near_parts gives m from sqrt(1/2) to sqrt(2) and the whole number k so that x = m*2^k, for positive normal numbers.
#define NORMAL(x) within(x, 0x1p-126f, INFINITY)
INLINE VF near_parts(VF x, VI *k) {
  *k = ((VI)x - 0x3f3504f3) >> 23;
  return (VF)((VI)x - (*k << 23));
}

static __attribute__((noinline)) VF far_log(VF x) {
  VF e, m = parts(x, &e);
  return log32(m - 1, e);
}
INLINE VF f_logf(VF x) {
  VI k;
  const VF m = near_parts(x, &k), v = log32(m - 1, __builtin_convertvector(k, VF));
  return __builtin_expect(ALL(NORMAL(x)), 1) ? v : far_log(x);
}

// log32_with is log(u + c) of a normal number and what rounding it has lost.
INLINE VF log32_with(VF u, VF c) {
  VI k;
  const VF m = near_parts(u, &k), down = (VF)(I(same(1)) - (k << 23));
  return log32((m - 1) + c * down, __builtin_convertvector(k, VF));
}

static __attribute__((noinline)) VF far_log1p(VF x) { return any_log1p(x); }
INLINE VF f_log1pf(VF x) {
  const VF u = 1 + x, t = u - 1, l = log32_with(u, (x - t) + (1 - (u - t)));
  const MASK near = within(u, 0x1p-30f, 0x1p100f);
  const VF v = (VF)((VI)l | ((VI)x & SIGN));
  return __builtin_expect(ALL(near), 1) ? v : blend(near, v, far_log1p(x));
}

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
  return with_sign(of8(values, (VI)u) + (h + h * p), x);
}

// f_erf_invf goes the other way for one in forty vectors of random numbers, and for all that are no numbers below 1,
// whose w is large or product NaN.
static __attribute__((noinline)) VF far_erf_inv(VF x) { return any_erf_inv(x); }
INLINE VF f_erf_invf(VF x) {
  VF v = x * x;
  ROUNDED(v);
  const VF u = 1 - v, w = -log32_with(u, (1 - u) - v);
  return __builtin_expect(ALL(LESS(w, same(5)) & LESS(v, same(1))), 1) ? near_giles(w) * x : far_erf_inv(x);
}
