// erfc32.h: the complement of the error function of vectors of floats. The coefficients are ours, as those of math32.h.

// f_erfcf is exp(-x^2) times erfc(a)*exp(a^2) for a = |x|, with what rounding the square and products has lost, and 0
// where the operations have that which programs write for it.
INLINE VF erfc32_of(VF x, VF z, VF far) {
  far = blend(LESS(same(88.72283905206835f), z), same(0), far);
  return blend(NEGATIVE(x), 2 - far, far);
}

// lost32 is what rounding x*y to v has lost.
INLINE VF lost32(VF x, VF y, VF v) { return rounded(x) * y - v; }

#if VB == 64
// far_erfc32 has erfc(a)*exp(a^2)*a as a polynomial in 1/a^2 for a from 3.9 on.
static __attribute__((noinline)) VF far_erfc32(VF x) {
  static const float lows[16] __attribute__((aligned(64))) = {0, 4.83347014e-08f, -1.30775402e-08f, 5.38622214e-08f,
      3.79763539e-08f, 4.49683815e-08f, -4.01899938e-08f, -1.0123349e-08f, 2.42032342e-08f, -4.5008987e-08f,
      8.07090469e-09f, 9.8362172e-09f, -2.47553273e-08f, -9.23577034e-09f, -1.12392781e-08f, 9.84532845e-09f};
  const VF a = magnitude(x), y = inverse(a), w = y * y;
  VF z = a * a, q, t;
  ROUNDED(z);
  const VF s = exp32_square(x, z, &q, &t), m = rounded(s * y);
  const VF ml = lost32(s, y, m) + looked_up(lows, (VI)(t + SHIFT32 / 16)) * y;
  VF p = w * (-0.2820439935f + w * (0.4196328223f + w * (-0.943190217f + w * 1.791747093f)));
  const VF v = 0.5641893148f + p;
  p = ((0.5641893148f - v) + p) + v * (1 - a * y);
  const VF b = rounded(m * v), bl = lost32(m, v, b) + (m * p + ml * v);
  return erfc32_of(x, z, scaled(b + (b * q + bl), t));
}

// near_erfc32 takes polynomials in the distance from the nearest of 32 eighths, within 1.5 units in the last place, for
// a from 0 to 3.9.
INLINE VF near_erfc32(VF a) {
  static const float c[7][32] __attribute__((aligned(64))) = {
      {1.0f, 0.859683812f, 0.723673582f, 0.595883071f, 0.479500115f, 0.376759112f, 0.288844377f, 0.215924934f,
      0.157299206f, 0.111611769f, 0.0770998746f, 0.0518299267f, 0.0338948518f, 0.0215562675f, 0.0133283287f,
      0.00800994225f, 0.0046777348f, 0.00265402929f, 0.00146271661f, 0.000782938208f, 0.000406952022f,
      0.000205375734f, 0.000100621925f, 4.78548391e-05f, 2.20904967e-05f, 9.89673481e-06f, 4.30277942e-06f,
      1.81528139e-06f, 7.43098383e-07f, 2.95140183e-07f, 1.13727253e-07f, 4.25139426e-08f},
      {-1.12837923f, -1.11088526f, -1.06001413f, -0.980352819f, -0.87878257f, -0.763499558f, -0.642931044f,
      -0.524745047f, -0.415107489f, -0.318273962f, -0.236521125f, -0.170359775f, -0.118930288f, -0.0804722607f,
      -0.0527749956f, -0.0335458294f, -0.0206669848f, -0.0123408204f, -0.00714231888f, -0.004006478f, -0.00217828434f,
      -0.0011478751f, -0.000586277223f, -0.000290228287f, -0.000139253054f, -6.47586858e-05f, -2.91890265e-05f,
      -1.27517415e-05f, -5.39942721e-06f, -2.2159204e-06f, -8.814323e-07f, -3.39822435e-07f},
      {4.87727991e-09f, 0.138860658f, 0.265003532f, 0.3676323f, 0.439391285f, 0.477187216f, 0.482198298f,
      0.459151924f, 0.415107489f, 0.358058214f, 0.295651406f, 0.234244689f, 0.178395435f, 0.13076742f, 0.0923562422f,
      0.0628984272f, 0.0413339697f, 0.0262242444f, 0.0160702169f, 0.00951538514f, 0.00544571038f, 0.00301317219f,
      0.00161226245f, 0.000834406295f, 0.000417759147f, 0.00020237088f, 9.48643356e-05f, 4.30371256e-05f,
      1.88979939e-05f, 8.03271087e-06f, 3.30537068e-06f, 1.31681179e-06f},
      {0.376125932f, 0.358723044f, 0.309170574f, 0.234876126f, 0.146463841f, 0.0556720272f, -0.0267885495f,
      -0.0929233506f, -0.138368964f, -0.162452206f, -0.167535752f, -0.15793772f, -0.138752073f, -0.114840701f,
      -0.0901573673f, -0.067441158f, -0.0482230112f, -0.0330374315f, -0.0217245631f, -0.0137305316f, -0.00835008267f,
      -0.00489041721f, -0.00276038004f, -0.0015025289f, -0.000789095415f, -0.00040001623f, -0.000195807443f,
      -9.25815839e-05f, -4.22947305e-05f, -1.86733232e-05f, -7.96939821e-06f, -3.288382e-06f},
      {2.14197626e-05f, -0.0687070191f, -0.126980737f, -0.16658324f, -0.183079571f, -0.176459759f, -0.150686935f,
      -0.11239659f, -0.069184646f, -0.0279733781f, 0.00615932839f, 0.0305005535f, 0.0445988253f, 0.0497188568f,
      0.0481022187f, 0.0422599018f, 0.0344449952f, 0.0263608471f, 0.0190833975f, 0.0131332213f, 0.00862237811f,
      0.00541429408f, 0.00325811259f, 0.00188175822f, 0.00104439608f, 0.000557572464f, 0.000286568247f,
      0.000141887285f, 6.77173521e-05f, 3.11683252e-05f, 1.38410915e-05f, 5.93243294e-06f},
      {-0.113340944f, -0.104017772f, -0.079942733f, -0.0454380363f, -0.00736006536f, 0.0273184441f, 0.0531168394f,
      0.0670888647f, 0.0690810457f, 0.0612580217f, 0.0471562184f, 0.030615624f, 0.0148986522f, 0.00217715302f,
      -0.00658297399f, -0.0114289057f, -0.013065991f, -0.0124826944f, -0.0106530832f, -0.0083582243f, -0.00612104777f,
      -0.00422252994f, -0.00276022241f, -0.00171687605f, -0.00101921766f, -0.000578783976f, -0.00031496014f,
      -0.000164473196f, -8.2514598e-05f, -3.98080992e-05f, -1.84824366e-05f, -8.26387532e-06f},
      {0.00586109189f, 0.0226245075f, 0.040466439f, 0.0500298254f, 0.0499731526f, 0.0412991531f, 0.0268567689f,
      0.0103803761f, -0.00457969075f, -0.0154956449f, -0.0212623496f, -0.0221321173f, -0.019310018f, -0.0144108282f,
      -0.00896802079f, -0.00411495287f, -0.00047013376f, 0.00181196025f, 0.00289752497f, 0.003110016f, 0.00279670558f,
      0.00224659452f, 0.00165793404f, 0.00114100054f, 0.000738961971f, 0.000453075627f, 0.000264086731f,
      0.000146783961f, 7.79785914e-05f, 3.96665673e-05f, 1.93488795e-05f, 9.06112746e-06f}};
  return by_table(c, (VI)(a + 0x1.8p20f), (VF)_mm512_reduce_ps((__m512)a, 3 << 4));
}

INLINE VF from2(MASK m, VF x) { return (VF)_mm512_mask_sub_ps((__m512)x, m, (__m512)same(2), (__m512)x); }

#define NEAR_ERFC 3.9f
INLINE VF f_erfcf(VF x) {
  const VF a = magnitude(x), p = from2(NEGATIVE(x), near_erfc32(a));
  const MASK near = LESS(a, same(NEAR_ERFC));
  return ALL(near) ? p : blend(near, p, far_erfc32(x));
}

// near_gelu32 is the complement of the error function of -x, if x is near; *most becomes the greatest of itself and the
// |x|, as whole numbers, where NaN is great.
INLINE VF near_gelu32(VF x, VI *most) {
  const VF a = magnitude(x);
  *most = (VI)_mm512_max_epi32((__m512i)*most, (__m512i)a);
  return from2(_mm512_testn_epi32_mask((__m512i)x, (__m512i)same(-0.0f)), near_erfc32(a));
}
INLINE int is_near_gelu32(VI most) { return !_mm512_cmpge_epi32_mask((__m512i)most, (__m512i)same(NEAR_ERFC)); }
INLINE VF f_gelu_erfcf(VF x) { return f_erfcf(x); }
#else
// erfc32_by is the complement of the error function of x from w*exp(-z), where z lacks low of x*x, and w lacks wl: for
// magnitudes below NEAR_ERFC, or for all.
#define NEAR_ERFC 9.3f
INLINE VF erfc32_by(VF x, VF z, VF w, VF low, VF wl, int near) {
  if (near) {
    VF s, q = expm1_of(-z, &s);
    low = w * low + wl;
    const VF v = s * (w + (w * q + (low + low * q)));
    return blend(NEGATIVE(x), 2 - v, v);
  }
  VF t, q = exp32_parts(-z, &t);
  low = w * low + wl;
  return erfc32_of(x, z, scaled(w + (w * q + (low + low * q)), t));
}

// f_erfcf has erfc(a)*exp(a^2) as t = 1/(a+2) times a polynomial in 1 - 3.4*t; a relative error e of t makes one of
// nearly e*(0.96+2.8*t).
INLINE VF any_erfc(VF x, int near) {
  const VF a = magnitude(x), d = a + 2, t = 1 / d, y = 1 - t * 3.40057063f;
  VF z = a * a;
  ROUNDED(z);
  const VF y2 = y * y, odd = 0.006476763636f + y2 * (4.463018558e-05f + y2 * -0.0003363813157f);
  VF p = -0.04913534224f + y2 * (0.009438378736f + y2 * (-0.002071711002f + y2 * 0.0003392640501f));
  p = 0.4073726535f + y * (-0.0319375135f + y * (p + y * odd));
  p = y * (-0.9275917411f + y * p);
  const VF v = 1.151572347f + p, w = rounded(t * v), e = (1 - t * d) - t * (a - (d - 2));
  const VF yl = (1 - y) - rounded(t) * 3.40057063f, vl = ((1.151572347f - v) + p) + yl * (0.815f * y - 0.928f);
  const VF wl = (lost32(t, v, w) + t * vl) + w * (e * (0.96f + 2.8f * t));
  return erfc32_by(x, z, w, z - x * x, wl, near);
}

// any_gelu_erfc, for GELU, has erfc(a)*exp(a^2) as a polynomial in (a-3)/(a+3) and does not keep what its products
// lose: it is within 5 units in the last place.
INLINE VF any_gelu_erfc(VF x, int near) {
  const VF a = magnitude(x), y = (a - 3) / (a + 3), y2 = y * y;
  VF z = a * a;
  ROUNDED(z);
  VF even = 0.07166578669f + y2 * (0.004269296849f + y2 * (-0.0005951704294f + y2 * 5.541645305e-5f));
  VF odd = -0.1501157826f + y2 * (-0.0243942767f + y2 * (0.0007162207229f + y2 * 2.76838674e-5f));
  const VF p = (0.1790011512f + y2 * (0.2456038021f + y2 * even)) + y * (-0.3262335637f + y2 * odd);
  if (near) {
    VF q, s = exp32_square(x, z, &q) * p;
    s = s + s * q;
    return blend(NEGATIVE(x), 2 - s, s);
  }
  return erfc32_by(x, z, p, z - x * x, same(0), near);
}

static __attribute__((noinline)) VF far_erfc(VF x) { return any_erfc(x, 0); }
static __attribute__((noinline)) VF far_gelu_erfc(VF x) { return any_gelu_erfc(x, 0); }
#if defined(__x86_64__)
#include "erfc8.h"
#else
INLINE VF near_f_erfcf(VF x, MASK *near) {
  *near &= LESS(magnitude(x), same(NEAR_ERFC));
  return any_erfc(x, 1);
}
#endif
INLINE VF near_f_gelu_erfcf(VF x, MASK *near) {
  *near &= LESS(magnitude(x), same(NEAR_ERFC));
  return any_gelu_erfc(x, 1);
}
INLINE VF f_erfcf(VF x) { return NEAR_OR(near_f_erfcf, x, far_erfc(x)); }
INLINE VF f_gelu_erfcf(VF x) { return NEAR_OR(near_f_gelu_erfcf, x, far_gelu_erfc(x)); }

// near_gelu32 is the complement of the error function of -x, if x is near; *most becomes the greatest of itself and the
// |x|, as whole numbers, where NaN is great.
INLINE VF near_gelu32(VF x, VI *most) {
  *most = larger_s(*most, I(magnitude(x)));
  return any_gelu_erfc(-x, 1);
}
INLINE int is_near_gelu32(VI most) { return ALL(most < I(same(NEAR_ERFC))); }
#endif
