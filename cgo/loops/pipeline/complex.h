// complex.h: functions of complex numbers whose parts are vectors of doubles, and the stages made of them. Each is
// within 2 units in the last place of both parts, and returns where it is not: that is left to exact.c. Numbers that
// were floats need no more than doubles; of doubles what rounding loses goes along.
#include "exact.h"

#define DOUBLES (LANE == 64)

// sum is hi + lo.
typedef struct {
  VD hi, lo;
} sum;

// fma64 is x*y + z rounded once, product x*y rounded.
#if defined(__x86_64__) && VB == 64
INLINE VD fma64(VD x, VD y, VD z) { return (VD)_mm512_fmadd_pd((__m512d)x, (__m512d)y, (__m512d)z); }
INLINE int any64(VL m) { return _mm512_movepi64_mask((__m512i)m) != 0; }
#elif defined(__x86_64__) && VB == 32
INLINE VD fma64(VD x, VD y, VD z) { return (VD)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)z); }
INLINE int any64(VL m) { return _mm256_movemask_pd((__m256d)m) != 0; }
#else
INLINE VD fma64(VD x, VD y, VD z) {
  for (size_t i = 0; i < VB / sizeof(double); i++)
    z[i] = __builtin_fma(x[i], y[i], z[i]);
  return z;
}
INLINE int any64(VL m) { return (m[0] | m[1]) != 0; }
#endif
INLINE VD product(VD x, VD y) {
  VD p = x * y;
#if defined(__aarch64__)
  __asm__("" : "+w"(p));
#else
  __asm__("" : "+v"(p));
#endif
  return p;
}

INLINE sum plus(VD a, VD b) {
  const VD s = a + b, t = s - a;
  return (sum){s, (a - (s - t)) + (b - t)};
}

// times is x*y: of floats it is exact.
INLINE sum times(VD x, VD y) {
  if (!DOUBLES)
    return (sum){x * y, all(0)};
  const VD p = product(x, y);
  return (sum){p, fma64(x, y, -p)};
}

// sum2 is a*b + c*d.
INLINE sum sum2(VD a, VD b, VD c, VD d) {
  const sum p = times(a, b), q = times(c, d);
  if (!DOUBLES)
    return (sum){p.hi + q.hi, all(0)};
  const sum s = plus(p.hi, q.hi);
  return (sum){s.hi, s.lo + (p.lo + q.lo)};
}

// ratio is n/d.
INLINE VD ratio(sum n, sum d) {
  const VD q = n.hi / d.hi;
  return DOUBLES ? q + (fma64(-q, d.hi, n.hi) + (n.lo - q * d.lo)) / d.hi : q;
}

// wild says where a number is so far from 1 that its square, or that of its inverse, is none: infinities, NaN, 0 are.
INLINE VL wild(VD x) {
  const VUL least = (VUL)all(0x1p-400), most = (VUL)all(0x1p400);
  return ((VUL)magn(x) - least) >= (most - least);
}

INLINE VL c_divide(VD *x, VD *y, VD c, VD d) {
  const VD a = *x, b = *y;
  const VL real = d == 0;
  const sum n = sum2(c, c, d, d);
  *x = choose(real, a / c, ratio(sum2(a, c, b, d), n));
  *y = choose(real, b / c, ratio(sum2(b, c, -a, d), n));
  const VL odd = wild(c) & ~(c == 0) | wild(d) & ~real | (c == 0) & real;
  return odd | wild(a) & ~(a == 0) | wild(b) & ~(b == 0);
}

// exp_sum is exp(x)/2^k for t = k + SHIFTER.
INLINE sum exp_sum(VD x, VD *t) {
  VD r, w = exp64_parts(x, t, &r);
  const VD s = 1 + r, v = (r - (s - 1)) + w, hi = s + v;
  return (sum){hi, v - (hi - s)};
}

// quarter64 is x - k*pi/2 for x of at most LIMIT.
INLINE sum quarter64(VD x, VL *k) {
  VD t = x * 0x1.45f306dc9c883p-1 + SHIFTER;
  *k = (VL)t;
  t -= SHIFTER;
  const VD r = x - t * 0x1.921fb544p0; // exact, as is the next product
  const sum a = plus(r, -(t * 0x1.0b4611a6p-34)), b = plus(a.hi, -product(t, all(0x1.3198a2e037073p-69)));
  return (sum){b.hi, a.lo + b.lo};
}

// sin_cos has Taylor's terms, those left out come to 2^-58.
INLINE void sin_cos(VD x, sum *sine, sum *cosine) {
  VL k;
  const sum r = quarter64(x, &k);
  const VD z = r.hi * r.hi, h = 0.5 * z;
  VD p = -1.0 / 1307674368000 + z * (1.0 / 355687428096000);
  p = 1.0 / 362880 + z * (-1.0 / 39916800 + z * (1.0 / 6227020800 + z * p));
  p = z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * p)));
  VD q = 1.0 / 20922789888000 + z * (-1.0 / 6402373705728000);
  q = -1.0 / 3628800 + z * (1.0 / 479001600 + z * (-1.0 / 87178291200 + z * q));
  q = z * z * (1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320 + z * q)));
  const VD ps = r.hi * p + (r.lo - r.lo * h), s = r.hi + ps;
  const VD w = 1 - h, pc = ((1 - w) - h) + (q - r.hi * r.lo), c = w + pc;
  const VD ls = ps - (s - r.hi), lc = pc - (c - w);
  const VL odd = odd_quarter(k);
  const VUL ns = (VUL)half_turn(k), nc = (VUL)half_turn(k + 1);
  *sine = (sum){choose(x == 0, x, (VD)((VUL)choose(odd, c, s) ^ ns)), (VD)((VUL)choose(odd, lc, ls) ^ ns)};
  *cosine = (sum){(VD)((VUL)choose(odd, s, c) ^ nc), (VD)((VUL)choose(odd, ls, lc) ^ nc)};
}

// value is a*b.
INLINE VD value(sum a, sum b) {
  if (!DOUBLES)
    return a.hi * b.hi;
  const sum p = times(a.hi, b.hi);
  return p.hi + (p.lo + (a.hi * b.lo + a.lo * b.hi));
}

INLINE VL c_exp(VD *x, VD *y) {
  VD t;
  const VL odd = ~(magn(*x) <= 700) | ~(magn(*y) <= LIMIT) | (magn(*y) < 0x1p-400) & (*y != 0);
  const sum e = exp_sum(choose(odd, all(0), *x), &t);
  sum s, c;
  sin_cos(*y, &s, &c);
  *x = scaled64(value(e, c), t);
  *y = scaled64(value(e, s), t);
  return odd;
}

// log_sum is log(s + t + u)/2: t is half a last place of s at most, u much less.
INLINE VD log_sum(VD s, VD t, VD u) {
  VD k, m = log_parts(s, &k);
  const VD scale = power64(SHIFTER - k);
  const sum f = plus(m - 1, t * scale);
  const VD g = f.hi, q = g / (2 + g), z = q * q, h = 0.5 * g * g;
  VD p = 2.0 / 17 + z * (2.0 / 19 + z * (2.0 / 21));
  p = 2.0 / 11 + z * (2.0 / 13 + z * (2.0 / 15 + z * p));
  p = z * (2.0 / 3 + z * (2.0 / 5 + z * (2.0 / 7 + z * (2.0 / 9 + z * p))));
  const VD lost = f.lo + u * scale, low = k * 0x1.a39ef35793c76p-33 + (lost - lost * g);
  return 0.5 * (k * 0x1.62e42feep-1 - ((h - (q * (h + p) + low)) - g));
}

// log_abs is log|x+iy|.
INLINE VD log_abs(VD x, VD y) {
  const sum p = times(x, x), q = times(y, y), s = plus(p.hi, q.hi);
  if (!DOUBLES)
    return log_sum(s.hi, s.lo, all(0));
  const sum l = plus(p.lo, q.lo), t = plus(s.lo, l.hi);
  return log_sum(s.hi, t.hi, t.lo + l.lo);
}

// angle is the angle of the point (x, y): atan(c) + atan(r) for the nearest of c = 0, 1/2 and 1, of y/x or x/y.
INLINE VD angle(VD y, VD x) {
  const VD a = magn(y), b = magn(x);
  const VL steep = a > b;
  const VD n = choose(steep, b, a), m = choose(steep, a, b);
  const VL half = n > 0.25 * m, one = n > 0.75 * m;
  const VD c = choose(one, all(1), choose(half, all(0.5), all(0)));
  const VD r = (n - c * m) / (m + c * n), z = r * r;
  VD p = 1.0 / 21 - z * (1.0 / 23 - z * (1.0 / 25 - z * (1.0 / 27)));
  p = 1.0 / 13 - z * (1.0 / 15 - z * (1.0 / 17 - z * (1.0 / 19 - z * p)));
  p = 1.0 / 3 - z * (1.0 / 5 - z * (1.0 / 7 - z * (1.0 / 9 - z * (1.0 / 11 - z * p))));
  p = -(r * z) * p;
  // hi + lo is what the angle has besides r + p, which is turned around where it is steep or x is negative
  VD hi = choose(one, all(0x1.921fb54442d18p-1), choose(half, all(0x1.dac670561bb4fp-2), all(0)));
  VD lo = choose(one, all(0x1.1a62633145c07p-55), choose(half, all(0x1.a2b7f222f65e2p-56), all(0)));
  sum s = plus(all(0x1.921fb54442d18p0), -hi);
  hi = choose(steep, s.hi, hi);
  lo = choose(steep, s.lo + (0x1.1a62633145c07p-54 - lo), lo);
  const VL left = (VL)x < 0;
  s = plus(all(0x1.921fb54442d18p1), -hi);
  hi = choose(left, s.hi, hi);
  lo = choose(left, s.lo + (0x1.1a62633145c07p-53 - lo), lo);
  const VL turn = (steep ^ left) & INT64_MIN;
  const VD rr = (VD)((VL)r ^ turn), pp = (VD)((VL)p ^ turn);
  s = plus(hi, rr);
  return signed_as(s.hi + (s.lo + (lo + pp)), y);
}

INLINE VL c_log(VD *x, VD *y) {
  const VD a = *x, b = *y;
  *x = log_abs(a, b);
  *y = angle(b, a);
  return wild(a) & ~(a == 0) | wild(b) & ~(b == 0) | (a == 0) & (b == 0);
}

// root_of is the root of the sum v.
INLINE sum root_of(sum v) {
  const VD r = root(v.hi);
  return (sum){r, DOUBLES ? (fma64(-r, r, v.hi) + v.lo) / (r + r) : all(0)};
}

// roots is the larger part of the root of x+iy, and |x+iy|.
INLINE sum roots(VD x, VD y, sum *r) {
  *r = root_of(sum2(x, x, y, y));
  sum w = plus(r->hi, magn(x));
  w = (sum){0.5 * w.hi, 0.5 * (w.lo + r->lo)};
  return root_of(w);
}

INLINE VL c_sqrt(VD *x, VD *y) {
  const VD a = *x, b = *y;
  sum r;
  const sum t = roots(a, b, &r), twice = {t.hi + t.hi, t.lo + t.lo};
  const VD u = ratio((sum){b, all(0)}, twice);
  const VL left = a < 0;
  *x = choose(left, magn(u), t.hi);
  *y = choose(left, signed_as(t.hi, b), choose(b == 0, b, u));
  return wild(a) & ~(a == 0) | wild(b) & ~(b == 0) | (a == 0) & (b == 0);
}

INLINE VL c_rsqrt(VD *x, VD *y) {
  const VD a = *x, b = *y;
  sum r;
  const sum t = roots(a, b, &r), twice = {t.hi + t.hi, t.lo + t.lo};
  // the smaller part is |y|/(2t)/r
  const VD large = ratio(t, r), over = ratio((sum){magn(b), all(0)}, twice), small = ratio((sum){over, all(0)}, r);
  const VL left = a < 0;
  *x = choose(left, small, large);
  *y = signed_as(choose(left, large, small), -b);
  return wild(a) & ~(a == 0) | wild(b) & ~(b == 0) | (a == 0) & (b == 0);
}

// The stages. What is in the registers is the real part; the imaginary one is in memory, and its value comes there.
#if LANE == 32
INLINE VD doubles(const char *q) { return widened(*(const VHm *)q); }
INLINE void set_part(char *q, VD v) { *(VHm *)q = __builtin_convertvector(v, VH); }
#else
typedef VD VDm __attribute__((aligned(1), may_alias));
INLINE VD doubles(const char *q) { return *(const VDm *)q; }
INLINE void set_part(char *q, VD v) { *(VDm *)q = v; }
#endif
enum { PART = VB / sizeof(double) * sizeof(F) }; // bytes of a vector of doubles' elements

// mend has what was x and y computed by exact where odd is set.
#define MEND(args, call)                                                                                               \
  for (size_t i = 0; i < VB / sizeof(double); i++)                                                                     \
    if (odd[i]) {                                                                                                      \
      double re = x[i], im = y[i];                                                                                     \
      call;                                                                                                            \
      (*u)[i] = re, (*v)[i] = im;                                                                                      \
    }
static __attribute__((noinline)) void mend1(VD *u, VD *v, VD x, VD y, VL odd, void (*exact)(double *, double *)) {
  MEND(, exact(&re, &im))
}
static __attribute__((noinline)) void mend2(VD *u, VD *v, VD x, VD y, VD c, VD d, VL odd,
                                            void (*exact)(double *, double *, double, double)) {
  MEND(, exact(&re, &im, c[i], d[i]))
}
#define PARTS(name, ready, f, mend)                                                                                    \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    PUT(F, t)                                                                                                          \
    char *re = (char *)t, *im = p[s->a];                                                                               \
    for (int i = 0; i < BLOCK * (int)sizeof(F); i += PART) {                                                           \
      const VD x = doubles(re + i), y = doubles(im + i);                                                               \
      VD u = x, v = y;                                                                                                 \
      ready                                                                                                            \
      const VL odd = f;                                                                                                \
      if (any64(odd))                                                                                                  \
        mend;                                                                                                          \
      set_part(re + i, u);                                                                                             \
      set_part(im + i, v);                                                                                             \
    }                                                                                                                  \
    GET(t) NEXT;                                                                                                       \
  }
#define PARTS1(name) PARTS(c_##name, , c_##name(&u, &v), mend1(&u, &v, x, y, odd, halo_exact_##name))
// The second operand is in two blocks, one after the other.
#define PARTS2(name)                                                                                                   \
  PARTS(c_##name, const VD c = doubles(p[s->b] + i); const VD d = doubles(p[s->b + 1] + i);, c_##name(&u, &v, c, d),   \
        mend2(&u, &v, x, y, c, d, odd, halo_exact_##name))
