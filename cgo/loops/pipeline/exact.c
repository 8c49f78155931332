//go:build linux

// exact.c: functions of one complex number. Numbers are computed in long double, whose exponents are beyond those of
// all products here, and rounded once; infinities and NaN follow C99's Annex G, or else what xla/hlo has.
#include "exact.h"

#include <math.h>

typedef long double ld;

static void set(double *x, double *y, ld re, ld im) {
  *x = (double)re;
  *y = (double)im;
}

// sum2 is a*b + c*d, to all places even where they cancel.
static ld sum2(ld a, ld b, ld c, ld d) {
  const ld p = a * b, q = c * d;
  return (p + q) + (fmal(a, b, -p) + fmal(c, d, -q));
}

// boxed is 1 for infinities and 0 for the rest, signs kept.
static double boxed(double v) { return copysign(isinf(v) ? 1 : 0, v); }

// divide_special is Annex G.5.1 for operands with an infinity, a NaN or a divisor of 0.
static void divide_special(double *x, double *y, double c, double d) {
  double a = *x, b = *y;
  const double n = c * c + d * d, re = (a * c + b * d) / n, im = (b * c - a * d) / n;
  if (!isnan(re) || !isnan(im)) {
    set(x, y, re, im);
  } else if (c == 0 && d == 0 && (!isnan(a) || !isnan(b))) {
    set(x, y, copysign(INFINITY, c) * a, copysign(INFINITY, c) * b);
  } else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {
    a = boxed(a), b = boxed(b);
    set(x, y, INFINITY * (a * c + b * d), INFINITY * (b * c - a * d));
  } else if ((isinf(c) || isinf(d)) && isfinite(a) && isfinite(b)) {
    c = boxed(c), d = boxed(d);
    set(x, y, 0 * (a * c + b * d), 0 * (b * c - a * d));
  } else {
    set(x, y, re, im);
  }
}

void halo_exact_divide(double *x, double *y, double c, double d) {
  const double a = *x, b = *y;
  if (!isfinite(a) || !isfinite(b) || !isfinite(c) || !isfinite(d) || (c == 0 && d == 0)) {
    divide_special(x, y, c, d);
  } else if (d == 0) {
    set(x, y, (ld)a / c, (ld)b / c);
  } else {
    const ld n = sum2(c, c, d, d);
    set(x, y, sum2(a, c, b, d) / n, sum2(b, c, -a, d) / n);
  }
}

void halo_exact_exp(double *x, double *y) {
  const ld e = expl(*x);
  if (*y == 0)
    set(x, y, e, *y);
  else
    set(x, y, e * cosl(*y), e * sinl(*y));
}

// log_abs is log|x+iy|, whose logarithm is small if |x+iy| is near 1.
static ld log_abs(ld x, ld y) {
  const ld r = hypotl(x, y), a = fabsl(x), b = fabsl(y);
  if (!(r > 0.5L && r < 2))
    return logl(r);
  return log1pl(a > b ? sum2(a - 1, a + 1, b, b) : sum2(b - 1, b + 1, a, a)) / 2;
}

void halo_exact_log(double *x, double *y) { set(x, y, log_abs(*x, *y), atan2l(*y, *x)); }

// root is the principal root.
static void root(ld x, ld y, ld *re, ld *im) {
  const ld t = isinf(y) ? INFINITY : sqrtl((fabsl(x) + hypotl(x, y)) / 2);
  const ld u = y == 0 || isinf(y) ? y : isinf(t) && !isnan(y) ? 0 * y : y / (2 * t);
  const int left = x < 0 && !isinf(y);
  *re = left ? fabsl(u) : t;
  *im = !left ? u : isnan(y) ? t : copysignl(t, y);
}

void halo_exact_sqrt(double *x, double *y) {
  ld re, im;
  root(*x, *y, &re, &im);
  set(x, y, re, im);
}

void halo_exact_rsqrt(double *x, double *y) {
  ld re, im;
  root(*x, *y, &re, &im);
  if (isfinite(*x) && isfinite(*y) && !(*x == 0 && *y == 0)) {
    const ld n = hypotl(*x, *y);
    set(x, y, re / n, -im / n);
    return;
  }
  const double c = (double)re, d = (double)im;
  *x = 1, *y = 0;
  divide_special(x, y, c, d);
}

// halo_exact_log1p takes 1 from |1+z|^2 where that is near 1: 2x + x^2 + y^2, to all places even where they cancel.
void halo_exact_log1p(double *x, double *y) {
  const ld a = *x, b = *y, r = hypotl(1 + a, b);
  if (!isfinite(*x) || !isfinite(*y) || !(r > 0.5L && r < 2)) {
    set(x, y, logl(r), atan2l(b, 1 + a));
    return;
  }
  const ld p = a * a, q = b * b, s = p + q, v = s - p, f = 2 * a + s, w = f - 2 * a;
  const ld lost = ((2 * a - (f - w)) + (s - w)) + ((p - (s - v)) + (q - v)) + (fmal(a, a, -p) + fmal(b, b, -q));
  set(x, y, log1pl(f + lost) / 2, atan2l(b, 1 + a));
}

// within keeps what is finite where exp does not overflow, so that nothing is infinite beside a 0.
static ld within(double x) { return isinf(x) || isnan(x) ? x : fmaxl(-3000, fminl(3000, x)); }

void halo_exact_sinh(double *x, double *y) {
  const ld a = within(*x), b = *y;
  if (!isfinite(*y) && (a == 0 || isinf(a)))
    *y = NAN;
  else if (b != 0 || isfinite(*x))
    set(x, y, sinhl(a) * cosl(b), coshl(a) * sinl(b));
}

void halo_exact_cosh(double *x, double *y) {
  const ld a = within(*x), b = *y;
  if (a == 0 && !isfinite(*y))
    set(x, y, NAN, a * copysignl(0, b));
  else if (isinf(a) && b == 0)
    set(x, y, INFINITY, b * copysignl(0, a));
  else if (isinf(a) && !isfinite(*y))
    set(x, y, INFINITY, NAN);
  else if (b != 0 || isfinite(*x))
    set(x, y, coshl(a) * cosl(b), sinhl(a) * sinl(b));
}

void halo_exact_tanh(double *x, double *y) {
  const ld a = *x, b = *y, s = sinl(b), c = cosl(b);
  if (isinf(a)) {
    set(x, y, copysignl(1, a), copysignl(0, isfinite(*y) ? s * c : b));
  } else if (fabsl(a) > 300 && isfinite(*y)) {
    set(x, y, copysignl(1, a), 4 * s * c * expl(-2 * fminl(fabsl(a), 1500)));
  } else if (!isnan(a) || b != 0) {
    const ld sh = sinhl(a), n = c * c + sh * sh;
    set(x, y, a == 0 && isfinite(*y) ? a : sh * coshl(a) / n, b == 0 ? b : s * c / n);
  }
}

// turned is f of a number that is turned by a quarter, turned back.
static void turned(double *x, double *y, void (*f)(double *, double *)) {
  double u = -*y, v = *x;
  f(&u, &v);
  *x = v, *y = -u;
}
void halo_exact_sin(double *x, double *y) { turned(x, y, halo_exact_sinh); }
void halo_exact_tan(double *x, double *y) { turned(x, y, halo_exact_tanh); }
void halo_exact_cos(double *x, double *y) {
  double u = -*y, v = *x;
  halo_exact_cosh(&u, &v);
  *x = u, *y = v;
}

// halo_exact_sign divides by what package math of Go has as |z|.
void halo_exact_sign(double *x, double *y) {
  double a = *x, b = *y;
  if (isnan(a) || isnan(b)) {
    set(x, y, NAN, NAN);
    return;
  }
  if (a == 0 && b == 0) {
    set(x, y, 0, 0);
    return;
  }
  if (isfinite(a) && isfinite(b)) {
    int e;
    frexp(fmax(fabs(a), fabs(b)), &e);
    a = ldexp(a, -(e & ~1)), b = ldexp(b, -(e & ~1));
  }
  const double most = fmax(fabs(a), fabs(b)), q = fmin(fabs(a), fabs(b)) / most;
  const double r = isinf(most) ? most : most * sqrt(1 + q * q);
  *x = a / r, *y = b / r;
}

void halo_exact_expm1(double *x, double *y) {
  if (!isfinite(*x) || !isfinite(*y) || fabs(*x) > 300) {
    halo_exact_exp(x, y);
    *x -= 1;
    return;
  }
  const ld p = expm1l(*x), h = sinl((ld)*y / 2);
  set(x, y, sum2(p, cosl(*y), -2 * h, h), *y == 0 ? *y : expl(*x) * sinl(*y));
}

void halo_exact_logistic(double *x, double *y) {
  double u = -*x, v = -*y;
  if (!isfinite(u) || !isfinite(v)) {
    halo_exact_exp(&u, &v);
    *x = 1, *y = 0;
    halo_exact_divide(x, y, 1 + u, 0 + v);
  } else if (u > 300) {
    halo_exact_exp(x, y);
  } else {
    const ld e = expl(u), c = cosl(v), h = cosl((ld)v / 2), im = e * sinl(v);
    const ld re = c < 0 ? 2 * e * h * h - expm1l(u) : 1 + e * c, n = re * re + im * im;
    set(x, y, re / n, -im / n);
  }
}
