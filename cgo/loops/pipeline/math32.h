// math32.h: functions of vectors of floats for machines that multiply and add with one rounding, within 2 units in the
// last place, most of them within 1. The coefficients are ours: interpolation at Chebyshev's points.
#define SHIFT32 0x1.8p23f

// scaled is v*2^k, in two steps since k may be beyond the exponents of a float.
INLINE VF scaled(VF v, VI k) {
  VI h = k >> 1;
  VF a = (VF)((h + 127) << 23), b = (VF)((k - h + 127) << 23);
  return v * a * b;
}

// exp32_parts gives r and the whole number k so that x = k*log(2) + r, and q so that exp(r) = 1 + q.
INLINE VF exp32_parts(VF x, VI *k) {
  VF t = x * 0x1.715476p0f + SHIFT32;
  *k = (VI)t - (VI)same(SHIFT32);
  t -= SHIFT32;
  VF r = x - t * 0x1.62e400p-1f;
  r = r - t * 0x1.7f7d1cp-20f;
  VF q = 0.008333310915f + r * (0.00139336608f + r * 0.0001989100282f);
  q = 0.1666666668f + r * (0.04166646483f + r * q);
  return r + r * r * (0.5f + r * q);
}

INLINE VF f_expf(VF x) {
  VI k;
  x = pickf(x > 89, same(89), x);
  x = pickf(x < -104, same(-104), x);
  VF q = exp32_parts(x, &k);
  return scaled(1 + q, k);
}

// f_logisticf adds 1 to exp(-x) without rounding that first.
INLINE VF f_logisticf(VF x) {
  VI k;
  VF y = -x;
  y = pickf(y > 104, same(104), y);
  y = pickf(y < -60, same(-60), y);
  VF q = exp32_parts(y, &k);
  VF small = scaled(1 / (1 + q), -k); // where exp(-x) is so large that adding 1 makes no difference
  k = pick(k > 60, samei(60), k);
  VF s = (VF)((k + 127) << 23);
  VF r = 1 / ((1 + s) + s * q);
  return pickf(y > 40, small, r);
}

INLINE VF f_tanhf(VF x) {
  VI k;
  VF a = magnitude(x), z = x * x;
  VF y = 2 * pickf(a > 10, same(10), a);
  VF q = exp32_parts(y, &k);
  VF s = (VF)((k + 127) << 23);
  VF far = with_sign(1 - 2 / ((1 + s) + s * q), x);
  VF p = 0.021788322f + z * (-0.008410070802f + z * 0.00237076564f);
  p = -0.3333333323f + z * (0.1333331287f + z * (-0.05396155178f + z * p));
  VF near = x + x * z * p;
  return pickf(x != x, x, pickf(a < 0.6f, near, far));
}

INLINE VF f_logf(VF x) {
  VI tiny = x < 0x1p-126f;
  VF y = pickf(tiny, x * 0x1p25f, x);
  VI b = (VI)y - 0x3f3504f3;
  VI e = b >> 23;
  VF m = (VF)((VI)y - (VI)((VU)e << 23)), f = m - 1;
  VF n = __builtin_convertvector(e, VF) - pickf(tiny, same(25), same(0));
  VF p = 0.1168541992f + f * (-0.1147973385f + f * 0.06971611471f);
  p = -0.1666780232f + f * (0.1424905765f + f * (-0.1242568733f + f * p));
  p = 0.3333333118f + f * (-0.2499999696f + f * (0.2000071575f + f * p));
  VF g = f * f;
  VF l = n * 0x1.7f7d1cp-20f + f * g * p;
  l = l - 0.5f * g;
  l = n * 0x1.62e400p-1f + (f + l);
  l = pickf(x == 0, same(-INFINITY), pickf(x < 0, same(NAN), l));
  return pickf((x == INFINITY) | (x != x), x, l);
}

INLINE VF f_erff(VF x) {
  VI k;
  VF a = magnitude(x), z = x * x;
  VF p = 0.005201456326f + z * (-0.0008147081117f + z * 8.387074557e-5f);
  p = -0.3761263402f + z * (0.1128369935f + z * (-0.02685958812f + z * p));
  VF near = x * 0x1.06eba8p-3f + x * (z * p); // 1.128379167 = 1 + 0.128379167
  near = x + near;
  VF y = pickf(a > 3.925f, same(3.925f), a);
  VF l = -0.004775956548f + y * (0.000600684201f + y * (-4.65619265e-5f + y * 1.664758188e-6f));
  l = -0.6317707067f + y * (-0.1101425082f + y * (0.02646223236f + y * l));
  l = 0.0003247762472f + y * (-1.130259149f + y * l);
  VF q = exp32_parts(l, &k);
  VF s = (VF)((k + 127) << 23);
  VF far = with_sign(pickf(a > 3.925f, same(1), 1 - (s + s * q)), x);
  return pickf(x != x, x, pickf(a < 0.9219f, near, far));
}

// f_erfcf has the coefficients of the Cephes library, as the operations have that programs write for it.
INLINE VF f_erfcf(VF x) {
  VF a = magnitude(x), z = x * x, r = 1 / a, w = r * r;
  VI mid = a < 2;
  VF t = 5.188327685732524e-3f + z * (-8.010193625184903e-4f + z * 7.853861353153693e-5f);
  t = 1.128358514861418e-1f + z * (-2.685381193529856e-2f + z * t);
  t = 1.128379165726710f + z * (-3.761262582423300e-1f + z * t);
#define BOTH(p, q) pickf(mid, same(p), same(q))
  VF p = pickf(mid, same(2.326819970068386e-2f), same(0));
  p = BOTH(-1.387039388740657e-1f, -1.047766399936249e1f) + w * p;
  p = BOTH(3.687424674597105e-1f, 1.297719955372516e1f) + w * p;
  p = BOTH(-5.824733027278666e-1f, -7.495518717768503f) + w * p;
  p = BOTH(6.210004621745983e-1f, 2.921019019210786f) + w * p;
  p = BOTH(-4.944515323274145e-1f, -1.015265279202700f) + w * p;
  p = BOTH(3.404879937665872e-1f, 4.218463358204948e-1f) + w * p;
  p = BOTH(-2.741127028184656e-1f, -2.820767439740514e-1f) + w * p;
  p = BOTH(5.638259427386472e-1f, 5.641895067754075e-1f) + w * p;
  VF far = pickf(z > 88.72283905206835f, same(0), f_expf(-z) * r * p);
  far = pickf(x < 0, 2 - far, far);
  return pickf(a < 1, 1 - x * t, far);
}

// quarter32 reduces x to r = x - k*pi/2, for arguments up to LIMIT32.
#define LIMIT32 30000.0f
INLINE VF quarter32(VF x, VI *k) {
  VF t = x * 0x1.45f306p-1f + SHIFT32;
  *k = (VI)t;
  t -= SHIFT32;
  VF r = x - t * 0x1.921fap0f;
  r = r - t * 0x1.54442p-20f;
  return r - t * 0x1.a308d4p-41f;
}

INLINE VF sin32_near(VF r) {
  VF z = r * r;
  VF p = 0.008333331874f + z * (-0.0001984008655f + z * 2.724990116e-6f);
  return r + r * z * (-0.1666666666f + z * p);
}

INLINE VF cos32_near(VF r) {
  VF z = r * r;
  VF p = 0.04166666666f + z * (-0.001388888767f + z * (2.480060022e-5f + z * -2.730093863e-7f));
  return 1 + z * (-0.5f + z * p);
}

INLINE VI odd32(VI k) { return -(k & 1); }
INLINE VI turn32(VI k) { return (VI)((VU)k << 30) & SIGN; }

INLINE VF f_sinf(VF x) {
  VI k;
  VF r = quarter32(x, &k);
  VF v = pickf(odd32(k), cos32_near(r), sin32_near(r));
  return pickf(x == 0, x, (VF)((VI)v ^ turn32(k)));
}

INLINE VF f_cosf(VF x) {
  VI k;
  VF r = quarter32(x, &k);
  VF v = pickf(odd32(k), sin32_near(r), cos32_near(r));
  return (VF)((VI)v ^ turn32(k + 1));
}
