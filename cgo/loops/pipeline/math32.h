// math32.h: functions of vectors of floats for machines that multiply and add with one rounding, within 2 units in the
// last place, most of them within 1. The coefficients are ours: interpolation at Chebyshev's points.
#define SHIFT32 0x1.8p23f

// Of the places of a vector where something is so: a mask, in a register of its own where the machine has those. blend
// is x there and y elsewhere; keep is x there and 0 elsewhere. least and most are the second operand if either is NaN.
#if defined(__x86_64__) && VB == 64
typedef __mmask16 MASK;
#define COMPARE(x, y, how) _mm512_cmp_ps_mask((__m512)(x), (__m512)(y), how)
#define LESS(x, y) COMPARE(x, y, _CMP_LT_OQ)
#define EQUAL(x, y) COMPARE(x, y, _CMP_EQ_OQ)
#define NEGATIVE(x) _mm512_movepi32_mask((__m512i)(x))
#define ALL(m) ((m) == 0xffff)
INLINE VF blend(MASK m, VF x, VF y) { return (VF)_mm512_mask_blend_ps(m, (__m512)y, (__m512)x); }
INLINE VF keep(MASK m, VF x) { return (VF)_mm512_maskz_mov_ps(m, (__m512)x); }
INLINE VF least(F x, VF y) { return (VF)_mm512_min_ps((__m512)same(x), (__m512)y); }
INLINE VF most(F x, VF y) { return (VF)_mm512_max_ps((__m512)same(x), (__m512)y); }
// scaled is v*2^t for whole t.
INLINE VF scaled(VF v, VF t) { return (VF)_mm512_scalef_ps((__m512)v, (__m512)t); }
INLINE VF power2(VF t) { return scaled(same(1), t); }
// parts gives m from sqrt(1/2) to sqrt(2) and the whole number e so that x = m*2^e; m is NaN where x is negative.
INLINE VF parts(VF x, VF *e) {
  VF m = (VF)_mm512_getmant_ps((__m512)x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan);
  *e = (VF)_mm512_getexp_ps((__m512)x);
  MASK large = LESS(same(0x1.6a09e6p0f), m);
  *e = (VF)_mm512_mask_add_ps((__m512)*e, large, (__m512)*e, (__m512)same(1));
  return (VF)_mm512_mask_mul_ps((__m512)m, large, (__m512)m, (__m512)same(0.5f));
}
// inverse is 1/x but for the last place; x is neither 0 nor small, and NaN comes of infinities.
INLINE VF inverse(VF x) {
  VF r = (VF)_mm512_rcp14_ps((__m512)x);
  return r + r * (1 - x * r);
}
#else
typedef VI MASK;
#define LESS(x, y) ((VF)(x) < (VF)(y))
#define EQUAL(x, y) ((VF)(x) == (VF)(y))
#define NEGATIVE(x) ((VI)(x) < 0)
#define ALL(m) 0
INLINE VF blend(MASK m, VF x, VF y) { return pickf(m, x, y); }
INLINE VF keep(MASK m, VF x) { return (VF)(m & (VI)x); }
INLINE VF least(F x, VF y) { return pickf(y > x, same(x), y); }
INLINE VF most(F x, VF y) { return pickf(y < x, same(x), y); }
// whole is the integer of a whole float.
INLINE VI whole(VF t) { return (VI)(t + SHIFT32) - (VI)same(SHIFT32); }
// power2 is 2^t for whole t from -126 to 127.
INLINE VF power2(VF t) { return (VF)((whole(t) + 127) << 23); }
// scaled is v*2^t, in two steps since t may be beyond the exponents of a float.
INLINE VF scaled(VF v, VF t) {
  VI k = whole(t), h = k >> 1;
  return v * (VF)((h + 127) << 23) * (VF)((k - h + 127) << 23);
}
INLINE VF parts(VF x, VF *e) {
  VI tiny = x < 0x1p-126f;
  VF y = pickf(tiny, x * 0x1p25f, x);
  VI k = ((VI)y - 0x3f3504f3) >> 23;
  VF m = (VF)((VI)y - (VI)((VU)k << 23));
  *e = __builtin_convertvector(k, VF) - pickf(tiny, same(25), same(0));
  *e = pickf(x == 0, same(-INFINITY), pickf(x == INFINITY, x, *e));
  return pickf(x < 0, same(NAN), pickf((x == 0) | (x == INFINITY), same(1), pickf(x != x, x, m)));
}
INLINE VF inverse(VF x) { return 1 / x; }
#endif

// ROUNDED keeps the compiler from rounding a product only after something is added to it.
#if defined(__x86_64__)
#define ROUNDED(v) __asm__("" : "+v"(v))
#else
#define ROUNDED(v) __asm__("" : "+w"(v))
#endif

// exp32_parts gives r and the whole number t so that x = t*log(2) + r, and q so that exp(r) = 1 + q.
INLINE VF exp32_parts(VF x, VF *t) {
  *t = (x * 0x1.715476p0f + SHIFT32) - SHIFT32;
  VF r = x - *t * 0x1.62e400p-1f;
  r = r - *t * 0x1.7f7d1cp-20f;
  VF q = 0.04166838908f + r * (0.008368715188f + r * 0.001381448171f);
  q = 0.4999999345f + r * (0.1666652065f + r * q);
  return r + r * r * q;
}

#if VB == 64
// looked_up is the number of a table for each place: that of the four lowest bits of i.
INLINE VF looked_up(const float *table, VI i) {
  return (VF)_mm512_permutexvar_ps((__m512i)i, *(const __m512 *)table);
}

// power16 is the power of 2^(1/16) that the four lowest bits of k say, and q so that exp(r) = 1 + q for r of at most
// log(2)/32. Far beyond the numbers that have an exponential, r is anything; then q is 0.
INLINE VF power16(VI k, VF r, VF *q) {
  static const float powers[16] __attribute__((aligned(64))) = {
      0x1p0f, 0x1.0b5586p0f, 0x1.172b84p0f, 0x1.2387a6p0f, 0x1.306fep0f, 0x1.3dea64p0f, 0x1.4bfdaep0f, 0x1.5ab07ep0f,
      0x1.6a09e6p0f, 0x1.7a1148p0f, 0x1.8ace54p0f, 0x1.9c4918p0f, 0x1.ae89fap0f, 0x1.c199bep0f, 0x1.d5818ep0f,
      0x1.ea4afap0f};
  const VF z = r * r, c = 0.500009774918f + r * 0.166668621646f;
  *q = (VF)_mm512_maskz_fmadd_ps(LESS(z, same(1)), (__m512)z, (__m512)c, (__m512)r);
  return looked_up(powers, k);
}

INLINE VF f_expf(VF x) {
  const VF y = x * 0x1.715476p0f + SHIFT32 / 16, t = y - SHIFT32 / 16;
  const VF r = x - t * 0x1.62e400p-1f;
  VF q, s = power16((VI)y, r - t * 0x1.7f7d1cp-20f, &q);
  return scaled(s + s * q, t);
}

// exp32_square gives s, q and t so that exp(-x*x) = s*(1+q)*2^floor(t); z is x*x rounded. No square is rounded where it
// matters, nor the product that it is added to, which has few bits.
INLINE VF exp32_square(VF x, VF z, VF *q, VF *t) {
  const VF y = SHIFT32 / 16 - z * 0x1.715476p0f;
  *t = y - SHIFT32 / 16;
  const VF r = rounded(*t * -0x1.62ep-1f) - x * x;
  return power16((VI)y, r - *t * 0x1.0bfbe8p-15f, q);
}
#else
INLINE VF f_expf(VF x) {
  VF t, q = exp32_parts(most(-104, least(89, x)), &t);
  return scaled(1 + q, t);
}
#endif

// f_logisticf adds 1 to exp(-x) without rounding that first, and what rounding 1 + s has lost.
INLINE VF f_logisticf(VF x) {
  VF t, y = most(-60, least(104, -x));
  VF q = exp32_parts(y, &t);
  VF small = scaled(1 / (1 + q), -t); // where exp(-x) is so large that adding 1 makes no difference
  VF s = power2(least(60, t));
  VF w = 1 + s, lost = 1 - (w - s);
  VF r = 1 / (w + (s * q + lost));
  return blend(LESS(same(40), y), small, r);
}

// f_expm1f takes 1 off 2^t, which is exact, before it adds what is left; its sign is that of x, of zero too.
INLINE VF f_expm1f(VF x) {
  VF t, y = most(-20, least(89, x));
  VF q = exp32_parts(y, &t);
  VF s = power2(least(60, t));
  VF v = blend(LESS(same(40), y), scaled(1 + q, t), (s - 1) + s * q);
  return (VF)((VI)v | ((VI)x & SIGN));
}

// f_cbrtf takes y near a^(-1/3), by a third of a's bits taken as an integer, nearer in two steps of which each leaves
// the cube of the error, and then corrects a*y^2. Numbers whose cubes would not be ordinary are scaled.
INLINE VF f_cbrtf(VF x) {
  VF a = magnitude(x);
  MASK small = LESS(a, same(0x1p-90f)), large = LESS(same(0x1p90f), a);
  a = blend(small, a * 0x1p60f, blend(large, a * 0x1p-60f, a));
  VF third = __builtin_convertvector((VI)a, VF) * (1.0f / 3);
  VF y = (VF)(0x54a20000 - __builtin_convertvector(third, VI));
  for (int i = 0; i < 2; i++) {
    VF c = 1 - (a * y) * (y * y);
    y = y + y * c * (0x1.555556p-2f + c * (0x1.c71c72p-3f));
  }
  VF z = y * y, v = a * z;
  v = v + (a - v * v * v) * z * 0x1.555556p-2f;
  v = blend(small, v * 0x1p-20f, blend(large, v * 0x1p20f, v));
  return blend(EQUAL(x - x, same(0)), with_sign(v, x), x);
}

INLINE VF f_tanhf(VF x) {
  VF a = magnitude(x), z = x * x, t;
  VF q = exp32_parts(2 * least(10, a), &t);
  VF s = power2(t);
  VF far = with_sign(1 - 2 / ((1 + s) + s * q), x);
  VF p = 0.021788322f + z * (-0.008410070802f + z * 0.00237076564f);
  p = -0.3333333323f + z * (0.1333331287f + z * (-0.05396155178f + z * p));
  VF near = x + x * z * p;
  return blend(LESS(a, same(0.6f)), near, far);
}

// log32 is log(2^e*(1+f)) for 1+f from sqrt(1/2) to sqrt(2).
INLINE VF log32(VF f, VF e) {
  VF p = 0.1168541992f + f * (-0.1147973385f + f * 0.06971611471f);
  p = -0.1666780232f + f * (0.1424905765f + f * (-0.1242568733f + f * p));
  p = 0.3333333118f + f * (-0.2499999696f + f * (0.2000071575f + f * p));
  VF g = f * f;
  VF l = e * 0x1.7f7d1cp-20f + f * g * p;
  l = l - 0.5f * g;
  return e * 0x1.62e400p-1f + (f + l);
}

INLINE VF f_logf(VF x) {
  VF e, m = parts(x, &e);
  return log32(m - 1, e);
}

// f_log1pf is log(1+x) with what rounding 1+x drops, which matters as long as that is small.
INLINE VF f_log1pf(VF x) {
  VF u = 1 + x, e, m = parts(u, &e);
  VF c = blend(LESS(same(1), x), 1 - (u - x), x - (u - 1));
  c = keep(LESS(x, same(0x1p24f)), keep(LESS(same(-1), x), c));
  VF l = log32((m - 1) + scaled(c, -most(-30, least(30, e))), e);
  return (VF)((VI)l | ((VI)x & SIGN));
}

INLINE VF f_erff(VF x) {
  VF a = magnitude(x), z = x * x, t;
  VF p = 0.005201456326f + z * (-0.0008147081117f + z * 8.387074557e-5f);
  p = -0.3761263402f + z * (0.1128369935f + z * (-0.02685958812f + z * p));
  VF near = x * 0x1.06eba8p-3f + x * (z * p); // 1.128379167 = 1 + 0.128379167
  near = x + near;
  VF y = least(3.925f, a);
  VF l = -0.004775956548f + y * (0.000600684201f + y * (-4.65619265e-5f + y * 1.664758188e-6f));
  l = -0.6317707067f + y * (-0.1101425082f + y * (0.02646223236f + y * l));
  l = 0.0003247762472f + y * (-1.130259149f + y * l);
  VF q = exp32_parts(l, &t);
  VF s = power2(t);
  VF far = with_sign(blend(LESS(same(3.925f), a), same(1), 1 - (s + s * q)), x);
  return blend(LESS(a, same(0.9219f)), near, far);
}

// f_erfcf is exp(-x^2) times a polynomial, with what rounding the square has lost, and 0 where the operations have that
// which programs write for it.
#if VB == 64
// erfcx32 is erfc(a)*exp(a^2) by polynomials in the distance from one of 16 numbers near a, for a from 0 to 9.5. They
// are such whose erfcx is nearly a float, so that the first coefficients have no error.
INLINE VF erfcx32(VF a) {
  static const float at[16] __attribute__((aligned(64))) = {
      1.56413162f, 2.06321216f, 2.56364703f, 3.06603122f, 3.88074279f, 4.88178778f, 5.87694311f, 6.87970495f,
      8.5074873f, 9.41226292f, 0.0786622465f, 0.203587502f, 0.407351434f, 0.657247007f, 0.907038152f, 1.15775239f};
  static const float c[6][16] __attribute__((aligned(64))) = {
      {0.311396748f, 0.248808056f, 0.206173375f, 0.175478876f, 0.140970528f, 0.113284171f, 0.0946671367f,
      0.0811675861f, 0.0658678785f, 0.0596092343f, 0.917079031f, 0.806140721f, 0.666460931f, 0.543163955f,
      0.454382509f, 0.388036102f},
      {-0.154248506f, -0.101691663f, -0.0712676793f, -0.0523317605f, -0.0342385918f, -0.0223206449f, -0.0156724248f,
      -0.0115610827f, -0.00763892243f, -0.00626359554f, -0.984100223f, -0.800138831f, -0.585411787f, -0.414393514f,
      -0.304094672f, -0.229879737f},
      {0.0701320916f, 0.0389967225f, 0.0234682634f, 0.0150281088f, 0.00809991825f, 0.00431969715f, 0.00256125163f,
      0.00163077761f, 0.000880134816f, 0.000654623611f, 0.839667439f, 0.643242359f, 0.427992344f, 0.270805001f,
      0.178556994f, 0.121892288f},
      {-0.0296670906f, -0.0141444188f, -0.00739840697f, -0.00416852115f, -0.00186616951f, -0.0008209261f,
      -0.000413103175f, -0.000227765835f, -0.000100546f, -6.80655867e-05f, -0.611973763f, -0.446097285f, -0.273941487f,
      -0.157557711f, -0.0947362408f, -0.059161786f},
      {0.0118878325f, 0.00491247373f, 0.00225176383f, 0.00112329167f, 0.000423998077f, 0.000154383684f,
      6.61152517e-05f, 3.16190235e-05f, 1.15282919e-05f, 7.30149486e-06f, 0.39606306f, 0.276390165f, 0.158502176f,
      0.083755143f, 0.046375405f, 0.0267249178f},
      {-0.00519689824f, -0.00184743595f, -0.000737787632f, -0.000325776229f, -0.000112474081f, -3.31633128e-05f,
      -1.18332891e-05f, -4.85971123e-06f, -1.5769582e-06f, 7.3055844e-07f, -0.24750936f, -0.164001256f, -0.0926219448f,
      -0.0450524539f, -0.0229669139f, -0.0122527033f}};
  const VI i = (VI)((VU)(a + 0.75f) >> 21);
  const VF h = a - looked_up(at, i);
  VF p = looked_up(c[4], i) + h * looked_up(c[5], i);
  p = looked_up(c[2], i) + h * (looked_up(c[3], i) + h * p);
  return looked_up(c[0], i) + h * (looked_up(c[1], i) + h * p);
}
#else
// erfcx32 is a polynomial in (a-3)/(a+3).
INLINE VF erfcx32(VF a) {
  VF y = (a - 3) / (a + 3);
  VF p = -0.0005951704294f + y * (2.76838674e-5f + y * 5.541645305e-5f);
  p = -0.0243942767f + y * (0.004269296849f + y * (0.0007162207229f + y * p));
  p = 0.2456038021f + y * (-0.1501157826f + y * (0.07166578669f + y * p));
  return 0.1790011512f + y * (-0.3262335637f + y * p);
}
INLINE VF exp32_square(VF x, VF z, VF *q, VF *t) {
  *q = exp32_parts(-z, t);
  const VF low = z - x * x;
  *q = *q + (low + low * *q);
  return same(1);
}
#endif

INLINE VF f_erfcf(VF x) {
  VF a = magnitude(x), z = a * a, q, t;
  ROUNDED(z);
  VF p = exp32_square(x, z, &q, &t);
  p = p * erfcx32(a);
  VF far = scaled(p + p * q, t);
  far = blend(LESS(same(88.72283905206835f), z), same(0), far);
  return blend(NEGATIVE(x), 2 - far, far);
}

// f_erf_invf is Giles's polynomials in -log(1-x^2), with the square rounded as in the operations.
INLINE VF f_erf_invf(VF x) {
  VF v = x * x;
  ROUNDED(v);
  VF u = 1 - v, e, m = parts(u, &e);
  VF c = (1 - u) - v;
  VF w = -log32((m - 1) + scaled(c, -most(-30, e)), e);
  VF y = w - 2.5f;
  VF p = -3.5233877e-6f + y * (3.43273939e-7f + y * 2.81022636e-8f);
  p = -0.00125372503f + y * (0.00021858087f + y * (-4.39150654e-6f + y * p));
  p = 1.50140941f + y * (0.246640727f + y * (-0.00417768164f + y * p));
  MASK near = LESS(w, same(5));
  if (ALL(near))
    return p * x;
  y = square_root(w) - 3;
  VF r = 0.00134934322f + y * (0.000100950558f + y * -0.000200214257f);
  r = -0.0076224613f + y * (0.00573950773f + y * (-0.00367342844f + y * r));
  r = 2.83297682f + y * (1.00167406f + y * (0.00943887047f + y * r));
  return blend(EQUAL(v, same(1)), x * INFINITY, blend(near, p, r) * x);
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
  return blend(EQUAL(x, same(0)), x, (VF)((VI)v ^ turn32(k)));
}

INLINE VF f_cosf(VF x) {
  VI k;
  VF r = quarter32(x, &k);
  VF v = pickf(odd32(k), sin32_near(r), cos32_near(r));
  return (VF)((VI)v ^ turn32(k + 1));
}

// f_tanf keeps what rounding the reduced argument has lost, e, which matters where that is large, and what rounding the
// tangent has lost, low, for the reciprocal.
INLINE VF f_tanf(VF x) {
  VF t = x * 0x1.45f306p-1f + SHIFT32;
  const VI k = (VI)t;
  t -= SHIFT32;
  const VF a = x - t * 0x1.921fap0f, r = a - t * 0x1.54442p-20f, z = r * r;
  VF e = keep(LESS(same(0x1p-5f), magnitude(r)), (a - r) - t * 0x1.54442p-20f);
  e = e - t * 0x1.a308d4p-41f;
  VF p = 0.01082707662f + z * (9.887377382e-05f + z * 0.004372313153f);
  p = 0.133326754f + z * (0.05405890569f + z * (0.02128629759f + z * p));
  p = 0.3333334923f + z * p;
  const VF c = r * (z * p) + (e + e * (1.5f * z)), v = r + c, low = (r - v) + c, y = inverse(v);
  const VF w = -(y + y * ((1 - v * y) - low * y));
  return blend(EQUAL(x, same(0)), x, pickf(odd32(k), w, v));
}

// quotient32 is n/d for 0 <= n <= d, and what rounding it has lost; 0/0 is 0 and the quotient of infinities 1.
INLINE VF quotient32(VF n, VF d, VF *low) {
  d = most(0x1p-149f, d);
  const MASK one = EQUAL(n, d);
#if defined(__x86_64__) && VB == 64
  const VF e = least(300, (VF)_mm512_getexp_ps((__m512)d)), s = scaled(n, -e); // 2^-inf would make 0 of NaN
  const VF m = (VF)_mm512_getmant_ps((__m512)d, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src), r = inverse(m);
  VF q = s * r;
  q = blend(one, same(1), q + r * (s - m * q));
  *low = keep(LESS(q, same(1)), r * (s - m * q));
  return q;
#else
  *low = same(0);
  return blend(one, same(1), n / d);
#endif
}

INLINE VF f_atan2f(VF y, VF x) {
  const VF a = magnitude(y), b = magnitude(x);
  const MASK steep = LESS(b, a), back = NEGATIVE(x);
  VF low, q = quotient32(blend(steep, b, a), blend(steep, a, b), &low), z = q * q;
  VF p = -0.03112698905f + z * (0.0108873453f + z * -0.001787541085f);
  p = 0.109511748f + z * (-0.08400475234f + z * (0.05790654197f + z * p));
  p = -0.3333329856f + z * (0.1999853104f + z * (-0.1426405162f + z * p));
  const VF turn = keep(steep ^ back, (VF)samei(SIGN));
  const VF c = (VF)((VI)(q * (z * p) + low) ^ (VI)turn);
  q = (VF)((VI)q ^ (VI)turn);
  const VF base = blend(steep, same(0x1.921fb6p0f), keep(back, same(0x1.921fb6p1f))), v = base + q;
  return with_sign(v + (((base - v) + q) + (c + base * -0x1.de12cap-26f)), y);
}
