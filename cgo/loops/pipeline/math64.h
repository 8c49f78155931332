// math64.h: functions of vectors of doubles, good to 1e-9 or better of the result: for arguments and results that are
// floats that is half a unit in the last place and a few hundredths. Infinities, NaNs and zeros are as C has them,
// signs of zeros included where a function keeps the argument's.
typedef double VD __attribute__((vector_size(VB)));
typedef int64_t VL __attribute__((vector_size(VB)));
typedef uint64_t VUL __attribute__((vector_size(VB)));

INLINE VD choose(VL m, VD x, VD y) { return (VD)((m & (VL)x) | (~m & (VL)y)); }
INLINE VD all(double v) { return v - (VD){}; }
INLINE VD magn(VD x) { return (VD)((VL)x & INT64_MAX); }
INLINE VD signed_as(VD x, VD of) { return (VD)(((VL)x & INT64_MAX) | ((VL)of & INT64_MIN)); }
// at_most and at_least let NaN through.
#if defined(__x86_64__) && VB == 32
INLINE VD at_most(VD x, double v) { return (VD)_mm256_min_pd((__m256d)all(v), (__m256d)x); }
INLINE VD at_least(VD x, double v) { return (VD)_mm256_max_pd((__m256d)all(v), (__m256d)x); }
#else
INLINE VD at_most(VD x, double v) { return choose(x > v, all(v), x); }
INLINE VD at_least(VD x, double v) { return choose(x < v, all(v), x); }
#endif

#define SHIFTER 0x1.8p52

#if LANE == 32
// widened is a vector of doubles of half a vector of floats, which gcc makes by quarters.
typedef float VH __attribute__((vector_size(VB / 2), may_alias));
#if defined(__x86_64__) && VB == 64
INLINE VD widened(VH x) { return (VD)_mm512_cvtps_pd((__m256)x); }
#else
INLINE VD widened(VH x) { return __builtin_convertvector(x, VD); }
#endif
#endif

#ifdef ROOT64
INLINE VD root(VD x) { return (VD)ROOT64(x); }
#else
INLINE VD root(VD x) {
  for (size_t i = 0; i < VB / sizeof(double); i++)
    x[i] = __builtin_sqrt(x[i]);
  return x;
}
#endif

// exp_parts gives p and s so that exp(x) = s*(1+p), s a power of two; x is clamped so that s stays normal.
INLINE VD exp_parts(VD x, VD *s) {
  x = at_least(at_most(x, 300), -300);
  VD t = x * 0x1.71547652b82fep0 + SHIFTER;
  VD k = t - SHIFTER;
  VD r = x - k * 0x1.62e42fefa39efp-1;
  *s = (VD)((VUL)((VUL)t + 1023) << 52);
  VD q = 1.0 / 40320 + r * (1.0 / 362880);
  q = 1.0 / 5040 + r * q;
  q = 1.0 / 720 + r * q;
  q = 1.0 / 120 + r * q;
  q = 1.0 / 24 + r * q;
  q = 1.0 / 6 + r * q;
  q = 0.5 + r * q;
  return r + r * r * q;
}

INLINE VD d_exp(VD x) {
  VD s, p = exp_parts(x, &s);
  return s + s * p;
}

INLINE VD d_expm1(VD x) {
  VD s, p = exp_parts(x, &s);
  return choose(x == 0, x, (s - 1) + s * p);
}

// atanh_series is 2*atanh(s) for s of at most 0.172.
INLINE VD atanh_series(VD s) {
  VD z = s * s;
  VD q = 2.0 / 11 + z * (2.0 / 13);
  q = 2.0 / 9 + z * q;
  q = 2.0 / 7 + z * q;
  q = 2.0 / 5 + z * q;
  q = 2.0 / 3 + z * q;
  return s * 2 + s * z * q;
}

// log_parts gives the fraction m in [sqrt(1/2), sqrt(2)) and the exponent of a positive normal number.
INLINE VD log_parts(VD x, VD *e) {
  VUL b = (VUL)x + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
  *e = (VD)((b >> 52) + 0x4330000000000000) - (0x1p52 + 1023);
  return (VD)((b & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
}

INLINE VD log_special(VD x, VD l) {
  l = choose(x == 0, all(-INFINITY), l);
  l = choose(x < 0, all(NAN), l);
  return choose((x == INFINITY) | (x != x), x, l);
}

INLINE VD d_log(VD x) {
  VD e, m = log_parts(x, &e);
  VD l = e * 0x1.62e42fefa39efp-1 + atanh_series((m - 1) / (m + 1));
  return log_special(x, l);
}

INLINE VD d_log1p(VD x) {
  VD u = 1 + x, e, m = log_parts(u, &e);
  VD f = choose(e == 0, x, m - 1);
  VD l = e * 0x1.62e42fefa39efp-1 + atanh_series(f / (2 + f));
  l = log_special(u, l);
  return choose((x == 0) | (x == INFINITY), x, l);
}

INLINE VD d_logistic(VD x) { return 1 / (1 + d_exp(-x)); }

INLINE VD d_tanh(VD x) {
  VD e = d_expm1(2 * at_least(at_most(x, 30), -30));
  return choose(x == 0, x, e / (e + 2));
}

INLINE VD d_sinh(VD x) {
  VD e = d_expm1(magn(x));
  return signed_as((e + e / (e + 1)) * 0.5, x);
}

INLINE VD d_cosh(VD x) {
  VD e = d_exp(magn(x));
  return (e + 1 / e) * 0.5;
}

INLINE VD d_asinh(VD x) {
  VD a = magn(x), z = a * a;
  return choose(x - x != 0, x, signed_as(d_log1p(a + z / (1 + root(1 + z))), x));
}

INLINE VD d_acosh(VD x) {
  VD t = x - 1;
  return choose(x < 1, all(NAN), d_log1p(t + root(t * (t + 2))));
}

INLINE VD d_atanh(VD x) {
  VD a = magn(x);
  return signed_as(0.5 * d_log1p(2 * a / (1 - a)), x);
}

// atan_unit is atan of a number from 0 to 1.
INLINE VD atan_unit(VD t) {
  VL far = t > 0.41421356237309503;
  VD r = choose(far, (t - 1) / (t + 1), t), z = r * r;
  VD q = all(1.0 / 25);
  q = -1.0 / 23 + z * q;
  q = 1.0 / 21 + z * q;
  q = -1.0 / 19 + z * q;
  q = 1.0 / 17 + z * q;
  q = -1.0 / 15 + z * q;
  q = 1.0 / 13 + z * q;
  q = -1.0 / 11 + z * q;
  q = 1.0 / 9 + z * q;
  q = -1.0 / 7 + z * q;
  q = 1.0 / 5 + z * q;
  q = -1.0 / 3 + z * q;
  q = r + r * z * q;
  return choose(far, 0.78539816339744831 + q, q);
}

INLINE VD d_atan2(VD y, VD x) {
  VD a = magn(y), b = magn(x);
  VL steep = a > b;
  VD t = choose(steep, b, a) / choose(steep, a, b);
  t = choose((a == 0) & (b == 0), all(0), choose((a == INFINITY) & (b == INFINITY), all(1), t));
  VD r = atan_unit(t);
  r = choose(steep, 1.5707963267948966 - r, r);
  r = choose((VL)x < 0, 3.1415926535897931 - r, r);
  return choose((x != x) | (y != y), x + y, signed_as(r, y));
}

INLINE VD d_atan(VD x) {
  VD a = magn(x);
  VL steep = a > 1;
  VD r = atan_unit(choose(steep, 1 / a, a));
  r = choose(steep, 1.5707963267948966 - r, r);
  return choose(x != x, x, signed_as(r, x));
}

INLINE VD d_asin(VD x) { return d_atan2(x, root((1 - x) * (1 + x))); }
INLINE VD d_acos(VD x) { return d_atan2(root((1 - x) * (1 + x)), x); }

// quarter reduces x to r = x - k*pi/2; good for arguments up to LIMIT.
#define LIMIT 1e6
INLINE VD quarter(VD x, VL *k) {
  VD t = x * 0x1.45f306dc9c883p-1 + SHIFTER;
  *k = (VL)t;
  t -= SHIFTER;
  VD r = x - t * 0x1.921fb544p0; // 33 bits: the product is exact
  r = r - t * 0x1.0b4611a6p-34;
  return r - t * 0x1.3198a2e037073p-69;
}

INLINE VD sin_near(VD r) {
  VD z = r * r;
  VD q = -1.0 / 39916800 + z * (1.0 / 6227020800);
  q = 1.0 / 362880 + z * q;
  q = -1.0 / 5040 + z * q;
  q = 1.0 / 120 + z * q;
  q = -1.0 / 6 + z * q;
  return r + r * z * q;
}

INLINE VD cos_near(VD r) {
  VD z = r * r;
  VD q = -1.0 / 3628800 + z * (1.0 / 479001600);
  q = 1.0 / 40320 + z * q;
  q = -1.0 / 720 + z * q;
  q = 1.0 / 24 + z * q;
  q = -0.5 + z * q;
  return 1 + z * q;
}

INLINE VL odd_quarter(VL k) { return -(k & 1); }
INLINE VL half_turn(VL k) { return (VL)((VUL)k << 62) & INT64_MIN; } // the sign, from bit 1

INLINE VD d_sin(VD x) {
  VL k;
  VD r = quarter(x, &k);
  VD v = choose(odd_quarter(k), cos_near(r), sin_near(r));
  return choose(x == 0, x, (VD)((VL)v ^ half_turn(k)));
}

INLINE VD d_cos(VD x) {
  VL k;
  VD r = quarter(x, &k);
  VD v = choose(odd_quarter(k), sin_near(r), cos_near(r));
  return (VD)((VL)v ^ half_turn(k + 1));
}

INLINE VD d_tan(VD x) {
  VL k;
  VD r = quarter(x, &k), s = sin_near(r), c = cos_near(r);
  VL odd = odd_quarter(k);
  return choose(x == 0, x, choose(odd, -c, s) / choose(odd, s, c));
}

INLINE VD d_cbrt(VD x) {
  VD l = d_log(magn(x)) * (1.0 / 3);
  return choose((x == 0) | (x - x != 0), x, signed_as(d_exp(l), x));
}

// d_erf has erf(x)/x as a polynomial in x*x, shifted and scaled to [-1, 1].
INLINE VD d_erf(VD x) {
  static const double c[] = {0.359180967291461441, -0.179347463136542541, 0.133568893114560878, -0.108874678933351932,
      0.0905519158164575579, -0.0741908266616048783, 0.0585716377628632029, -0.0439410794055817841,
      0.0310729837200586049, -0.0206263486204625973, 0.0128434020012478819, -0.00751694506570895678,
      0.00412079855697774229, -0.00209566864459675718, 0.0010258647178940942, -0.000514450050371069881,
      0.000220046877686766118, -0.0000576956500227864658, 0.0000249002509420418872, -0.000024303653412537959,
      8.29715992871804486e-6};
  VD z = at_most(x * x, 15.5) * (2 / 15.5) - 1, q = all(c[20]);
  for (int i = 19; i >= 0; i--)
    q = c[i] + z * q;
  q *= x;
  q = choose(magn(x) > 3.93, signed_as(all(1), x), q);
  return choose(x == 0, x, q);
}

// d_erfc has the coefficients of the Cephes library.
INLINE VD d_erfc(VD x) {
  static const double c[7] = {7.853861353153693e-5, -8.010193625184903e-4, 5.188327685732524e-3,
      -2.685381193529856e-2, 1.128358514861418e-1, -3.761262582423300e-1, 1.128379165726710};
  static const double p[9] = {2.326819970068386e-2, -1.387039388740657e-1, 3.687424674597105e-1,
      -5.824733027278666e-1, 6.210004621745983e-1, -4.944515323274145e-1, 3.404879937665872e-1,
      -2.741127028184656e-1, 5.638259427386472e-1};
  static const double q[9] = {0, -1.047766399936249e1, 1.297719955372516e1, -7.495518717768503, 2.921019019210786,
      -1.015265279202700, 4.218463358204948e-1, -2.820767439740514e-1, 5.641895067754075e-1};
  VD a = magn(x), z = x * x, w = 1 / z, near = all(c[0]), u = all(p[0]), v = all(q[0]);
  for (int i = 1; i < 7; i++)
    near = c[i] + z * near;
  for (int i = 1; i < 9; i++) {
    u = p[i] + w * u;
    v = q[i] + w * v;
  }
  VD far = choose(z > 88.72283905206835, all(0), d_exp(-z) / a * choose(a < 2, u, v));
  far = choose(x < 0, 2 - far, far);
  return choose(a < 1, 1 - x * near, far);
}

INLINE VD d_erf_inv(VD x) {
  for (size_t i = 0; i < VB / sizeof(double); i++)
    x[i] = inverse_erf(x[i]);
  return x;
}

// d_power is x^y for x above 0 and below infinity; powers repairs the rest: 0, infinity, NaN, and 1 to an infinite
// power.
#if defined(__x86_64__) && VB == 64
// of16 is the number of a table for each place: that of the four lowest bits of i.
INLINE VD of16(const double *table, VL i) {
  return (VD)_mm512_permutex2var_pd(*(const __m512d *)table, (__m512i)i, *(const __m512d *)(table + 8));
}

// log2_of takes a number c near the mantissa m, from 3/4 to 3/2, out of 16: log2(x) is e - log2(1/c) + log2(m/c).
INLINE VD log2_of(VD x) {
  static const double inverses[16] __attribute__((aligned(64))) = {1, 0x1.d41d42p-1, 0x1.bacf92p-1, 0x1.a41a42p-1,
      0x1.8f9c18p-1, 0x1.7d05f4p-1, 0x1.6c16c2p-1, 0x1.5c9882p-1, 0x1.4e5e0ap0, 0x1.414142p0, 0x1.3521dp0,
      0x1.29e412p0, 0x1.1f7048p0, 0x1.15b1e6p0, 0x1.0c9714p0, 1};
  static const double logs[16] __attribute__((aligned(64))) = {0, 0x1.08c587b8a8459p-3, 0x1.acf5de2afc49ap-3,
      0x1.2440796db68c3p-2, 0x1.6e22207523f6dp-2, 0x1.b47ebfcfdd47ap-2, 0x1.f7a85434872d2p-2, 0x1.1bf31371c6bf0p-1,
      -0x1.8a897eb027b02p-2, -0x1.4f6fbe9a14f18p-2, -0x1.169c06a7938bbp-2, -0x1.bfc6745e58544p-3,
      -0x1.563dc4114f416p-3, -0x1.e0b1af47da109p-4, -0x1.1bb314bc1250dp-4, 0};
  const VD m = (VD)_mm512_getmant_pd((__m512d)x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero);
  const VD e = (VD)_mm512_getexp_pd((__m512d)(x * 0x1.555556p0)); // 4/3: one more from 3/2 on
  const VL i = (VL)((VUL)m >> 48);
  const VD r = m * of16(inverses, i) - 1;
  VD q = 0x1.276d390a17505p-2 + r * -0x1.c80d00ab8a1b0p-3;
  q = 0x1.ec70abfe58a1bp-2 + r * (-0x1.715aff0e33de2p-2 + r * q);
  q = 0x1.715476529b30cp0 + r * (-0x1.715476102f694p-1 + r * q);
  return (e + of16(logs, i)) + r * q;
}

INLINE VD d_power(VD x, VD y) {
  static const double powers[16] __attribute__((aligned(64))) = {1, 0x1.0b5586cf9890fp0, 0x1.172b83c7d517bp0,
      0x1.2387a6e756238p0, 0x1.306fe0a31b715p0, 0x1.3dea64c123422p0, 0x1.4bfdad5362a27p0, 0x1.5ab07dd485429p0,
      0x1.6a09e667f3bcdp0, 0x1.7a11473eb0187p0, 0x1.8ace5422aa0dbp0, 0x1.9c49182a3f090p0, 0x1.ae89f995ad3adp0,
      0x1.c199bdd85529cp0, 0x1.d5818dcfba487p0, 0x1.ea4afa2a490dap0};
  const VD p = (VD)_mm512_range_pd((__m512d)(y * log2_of(x)), (__m512d)all(300), 2); // the smaller in magnitude
  const VD u = p + SHIFTER / 16, t = u - SHIFTER / 16, r = p - t, s = of16(powers, (VL)u);
  const VD q = r * (0x1.62e42feb1d03bp-1 + r * (0x1.ebfff49574642p-3 + r * 0x1.c6b46a387819ap-5));
  return (VD)_mm512_scalef_pd((__m512d)(s + s * q), (__m512d)t);
}
#else
// log2_of is e + log2(m) for m from sqrt(1/2) to sqrt(2), which is 2/log(2)*atanh((m-1)/(m+1)).
INLINE VD log2_of(VD x) {
  VD e, m = log_parts(x, &e);
  const VD s = (m - 1) / (m + 1), z = s * s;
  VD q = 0x1.27777fe711c0fp-1 + z * (0x1.a58d897c527dep-2 + z * 0x1.5ce84718fca7bp-2);
  q = 0x1.71547652bedf4p+1 + z * (0x1.ec709d12d163bp-1 + z * q);
  return e + s * q;
}

INLINE VD d_power(VD x, VD y) {
  const VD p = at_least(at_most(y * log2_of(x), 300), -300), u = p + SHIFTER, r = p - (u - SHIFTER);
  const VD s = (VD)((VUL)((VUL)u + 1023) << 52);
  VD q = 0x1.3b2b9fc1f1a7ep-7 + r * (0x1.5f07b45ce5d40p-10 + r * 0x1.4308f7332c660p-13);
  q = 0x1.62e4302eeb405p-1 + r * (0x1.ebfbdec2981f8p-3 + r * (0x1.c6af6e92c6a90p-5 + r * q));
  return s + s * (r * q);
}
#endif
