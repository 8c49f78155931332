// complex.h: functions of complex numbers whose parts are vectors of doubles, and the stages made of them. Each is
// within 2 units in the last place of both parts, and returns where it is not: that is left to exact.c. Numbers that
// were floats need no more than doubles; of doubles what rounding loses goes along.
#include "exact.h"

// wild says where a number is so far from 1 that its square, or that of its inverse, is none: infinities, NaN, 0 are.
INLINE VL wild(VD x) {
  const VUL least = (VUL)all(0x1p-400), most = (VUL)all(0x1p400);
  return ((VUL)magn(x) - least) >= (most - least);
}

#if LANE == 32
// inverse64 is 1/x but for the last places; x is about the square of a float, or of a float's inverse.
INLINE VD inverse64(VD x) {
#if defined(__x86_64__) && VB == 64
  VD r = (VD)_mm512_rcp14_pd((__m512d)x);
  r = r + r * (1 - x * r);
  return r + r * (1 - x * r);
#else
  return 1 / x;
#endif
}

// c_divide of floats, whose products are exact: by a real number the sign of a zero is that of one quotient.
INLINE VL c_divide(VD *x, VD *y, VD c, VD d) {
  const VD a = *x, b = *y, n = c * c + d * d, r = inverse64(n);
  const VL real = d == 0;
  *x = choose(real, a * c, a * c + b * d) * r;
  *y = choose(real, b * c, b * c - a * d) * r;
  return ~((n > 0) & (n < INFINITY) & (magn(a) < INFINITY) & (magn(b) < INFINITY));
}
#else
INLINE VL c_divide(VD *x, VD *y, VD c, VD d) {
  const VD a = *x, b = *y;
  const VL real = d == 0;
  const sum n = sum2(c, c, d, d);
  *x = choose(real, a / c, ratio(sum2(a, c, b, d), n));
  *y = choose(real, b / c, ratio(sum2(b, c, -a, d), n));
  const VL odd = wild(c) & ~(c == 0) | wild(d) & ~real | (c == 0) & real;
  return odd | wild(a) & ~(a == 0) | wild(b) & ~(b == 0);
}
#endif

// exp_sum is exp(x)/2^k for t = k + SHIFTER.
INLINE sum exp_sum(VD x, VD *t) {
  VD r, w = exp64_parts(x, t, &r);
  const VD s = 1 + r, v = (r - (s - 1)) + w, hi = s + v;
  return (sum){hi, v - (hi - s)};
}

// joined is a + b, both_of a*b, and value that as one number, which keeps the sign of a zero.
INLINE sum joined(VD a, VD b) { return DOUBLES ? plus(a, b) : (sum){a + b, all(0)}; }
INLINE sum both_of(sum a, sum b) {
  if (!DOUBLES)
    return (sum){a.hi * b.hi, all(0)};
  const sum p = times(a.hi, b.hi);
  return (sum){p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi)};
}
INLINE VD value(sum a, sum b) {
  const sum p = both_of(a, b);
  return DOUBLES ? choose(p.hi == 0, p.hi, p.hi + p.lo) : p.hi;
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

// log_abs is log|x+iy|.
INLINE VD log_abs(VD x, VD y) {
  const sum p = times(x, x), q = times(y, y), s = plus(p.hi, q.hi);
  if (!DOUBLES)
    return log_sum(s.hi, s.lo, all(0));
  const sum l = plus(p.lo, q.lo), t = plus(s.lo, l.hi);
  return log_sum(s.hi, t.hi, t.lo + l.lo);
}

INLINE VL c_log(VD *x, VD *y) {
  const VD a = *x, b = *y;
  *x = log_abs(a, b);
  *y = angle(b, a);
  return wild(a) & ~(a == 0) | wild(b) & ~(b == 0) | (a == 0) & (b == 0);
}

// c_log1p takes 1 from |1+z|^2 before anything is rounded: f is 2x + x^2 + y^2.
INLINE VL c_log1p(VD *x, VD *y) {
  const VD a = *x, b = *y;
  const sum p = times(a, a), q = times(b, b), s = plus(p.hi, q.hi), f = plus(a + a, s.hi);
  const VD lost = f.lo + (s.lo + (p.lo + q.lo));
  const sum u = plus(all(1), f.hi);
  const VD near = log_near(f.hi, all(0), lost - lost * f.hi), far = log_twice(u.hi, u.lo + lost, all(0));
  *x = 0.5 * choose(magn(f.hi) < 0.25, near, far);
  *y = angle(b, 1 + a);
  const VL none = (a == 0) & (b == 0) | ~(u.hi > 0x1p-40) | (magn(f.hi) < 0x1p-40 * magn(a));
  return wild(a) & ~(a == 0) | wild(b) & ~(b == 0) | none;
}

// sinh_cosh makes both of e = exp(|x|)-1 and q = 1-exp(-|x|), which is e/(1+e).
INLINE void sinh_cosh(VD x, sum *sinh, sum *cosh) {
  VD t, r, w = exp64_parts(magn(x), &t, &r);
  const VD k = power64(t);
  sum e = joined(k - 1, k * r);
  e = joined(e.hi, e.lo + k * w);
  sum u = joined(all(1), e.hi);
  u.lo += e.lo;
  const VD q = ratio(e, u);
  const sum a = joined(e.hi, q), b = joined(e.hi, -q), c = joined(all(1), 0.5 * b.hi);
  const VL sign = (VL)x & INT64_MIN;
  *sinh = (sum){(VD)((VL)(0.5 * a.hi) ^ sign), (VD)((VL)(0.5 * (a.lo + e.lo)) ^ sign)};
  *cosh = (sum){c.hi, c.lo + 0.5 * (b.lo + e.lo)};
}

// strays says where exp(x) or the angle y is beyond what is computed here, or a product would be sub-normal.
INLINE VL tiny(VD v) { return (magn(v) < 0x1p-400) & (v != 0); }
INLINE VL strays(VD x, VD y) { return ~(magn(x) <= 300) | ~(magn(y) <= LIMIT) | tiny(x) | tiny(y); }

// Of sinh(x)cos(y) + i cosh(x)sin(y) and cosh(x)cos(y) + i sinh(x)sin(y), RE and IM are what x is in.
#define HYPERBOLIC(name, RE, IM)                                                                                       \
  INLINE VL c_##name(VD *x, VD *y) {                                                                                   \
    const VL odd = strays(*x, *y);                                                                                     \
    sum s, c, sh, ch;                                                                                                  \
    sin_cos(*y, &s, &c);                                                                                               \
    sinh_cosh(*x, &sh, &ch);                                                                                           \
    *x = value(RE, c);                                                                                                 \
    *y = value(IM, s);                                                                                                 \
    return odd;                                                                                                        \
  }
HYPERBOLIC(sinh, sh, ch)
HYPERBOLIC(cosh, ch, sh)

// c_tanh is (sinh(x)cosh(x) + i sin(y)cos(y)) / (cos(y)^2 + sinh(x)^2).
INLINE VL c_tanh(VD *x, VD *y) {
  const VD a = *x, b = *y;
  sum s, c, sh, ch;
  sin_cos(b, &s, &c);
  sinh_cosh(a, &sh, &ch);
  const sum p = both_of(c, c), q = both_of(sh, sh);
  sum n = joined(p.hi, q.hi);
  n.lo += p.lo + q.lo;
  *x = choose(a == 0, a, ratio(both_of(sh, ch), n));
  *y = choose(b == 0, b, ratio(both_of(s, c), n));
  return strays(a, b);
}

// The others are those of a number that is turned by a quarter, turned back.
#define TURNED(name, of)                                                                                               \
  INLINE VL c_##name(VD *x, VD *y) {                                                                                   \
    VD u = -*y, v = *x;                                                                                                \
    const VL odd = c_##of(&u, &v);                                                                                     \
    *x = v;                                                                                                            \
    *y = -u;                                                                                                           \
    return odd;                                                                                                        \
  }
TURNED(sin, sinh)
TURNED(tan, tanh)
INLINE VL c_cos(VD *x, VD *y) {
  VD u = -*y, v = *x;
  const VL odd = c_cosh(&u, &v);
  *x = u;
  *y = v;
  return odd;
}

// cancels says where v, which doubles have to 2^-50 of 1, is no float to its last place: doubles would need more.
INLINE VL cancels(VD v) { return DOUBLES ? (v == v) | (v != v) : magn(v) < 0x1p-25; }

// c_expm1 has exp(x)cos(y) - 1 = expm1(x)cos(y) - (1-cos(y)).
INLINE VL c_expm1(VD *x, VD *y) {
  const VD a = *x, b = *y;
  VD t, r, w = exp64_parts(choose(strays(a, b), all(0), a), &t, &r);
  const VD k = power64(t), kw = k * (r + w), p = (k - 1) + kw, h = b * b;
  sum s, c;
  sin_cos(b, &s, &c);
  const VL small = magn(b) < 0x1p-12;
  const VD v = choose(small, h * (0.5 - h * (1.0 / 24)), 1 - c.hi);
  *x = p * c.hi - v;
  *y = (k + kw) * s.hi;
  return strays(a, b) | cancels(*x / choose(small & (v > 0), v, all(1)));
}

// c_logistic is 1/(1+exp(-z)).
INLINE VL c_logistic(VD *x, VD *y) {
  const VL odd = strays(*x, *y);
  VD t;
  const sum e = exp_sum(choose(odd, all(0), -*x), &t);
  sum s, c;
  sin_cos(*y, &s, &c);
  const VD k = power64(t), re = 1 + e.hi * k * c.hi, im = e.hi * k * s.hi, n = re * re + im * im;
  *x = re / n;
  *y = im / n;
  return odd | cancels(re);
}

// c_sign divides by what package math of Go has as |z|.
INLINE VL c_sign(VD *x, VD *y) {
  const VD a = magn(*x), b = magn(*y), most = choose(a > b, a, b), q = choose(a > b, b, a) / most;
  const VD r = most * root(1 + product(q, q));
  const VL odd = wild(a) & ~(a == 0) | wild(b) & ~(b == 0) | (most == 0);
  *x /= r;
  *y /= r;
  return odd;
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
    char *re = (char *)t, *im = p[s->a & 0xff];                                                                        \
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
// The parts of the second operand are in memory.
#define PARTS2(name)                                                                                                   \
  PARTS(c_##name, const VD c = doubles(p[s->a >> 8] + i); const VD d = doubles(p[s->b] + i);, c_##name(&u, &v, c, d),  \
        mend2(&u, &v, x, y, c, d, odd, halo_exact_##name))
