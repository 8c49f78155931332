// Complex numbers. Functions are computed in f64 for both widths; sums, differences and products in their own.
template <class T> struct cx { T re, im; };
typedef cx<f32> c64;
typedef cx<f64> c128;
#define INF float_of(0x7ff0000000000000ull)
#define NAN64 float_of(0x7ff8000000000000ull)

FN c128 c(f64 re, f64 im) { return c128{re, im}; }
FN c128 wide(c64 a) { return c(a.re, a.im); }
FN c64 narrow(c128 a) { return c64{(f32)a.re, (f32)a.im}; }
template <class T> FN cx<T> x_add(cx<T> a, cx<T> b) { return cx<T>{a.re + b.re, a.im + b.im}; }
template <class T> FN cx<T> x_sub(cx<T> a, cx<T> b) { return cx<T>{a.re - b.re, a.im - b.im}; }
template <class T> FN cx<T> x_neg(cx<T> a) { return cx<T>{-a.re, -a.im}; }
// Of c64 one product of each part is rounded before the sum, the other is not, as XLA's CPU code has it.
FN c64 x_mul(c64 a, c64 b) { return c64{fmaf(a.re, b.re, -(a.im * b.im)), fmaf(a.im, b.re, a.re * b.im)}; }
FN c128 x_mul(c128 a, c128 b) { return c(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }
template <class T> FN cx<T> lane_xor(cx<T> v, int n) { return cx<T>{lane_xor(v.re, n), lane_xor(v.im, n)}; }
template <class T> FN cx<T> lane_down(cx<T> v, int n) { return cx<T>{lane_down(v.re, n), lane_down(v.im, n)}; }
template <class T> FN cx<T> lane_first(cx<T> v, int n) { return cx<T>{lane_first(v.re, n), lane_first(v.im, n)}; }
template <class T> FN bool x_eq(cx<T> a, cx<T> b) { return a.re == b.re && a.im == b.im; }
template <class T> FN bool less(cx<T> a, cx<T> b) { return a.re < b.re || (a.re == b.re && a.im < b.im); }
template <class T> FN bool no_number(cx<T> a) { return a.re != a.re || a.im != a.im; }
template <class T> FN cx<T> x_max(cx<T> a, cx<T> b) { return no_number(a) || (!no_number(b) && !less(a, b)) ? a : b; }
template <class T> FN cx<T> x_min(cx<T> a, cx<T> b) { return no_number(a) || (!no_number(b) && less(a, b)) ? a : b; }
template <class T> FN bool finite(cx<T> a) { return x_finite(a.re) && x_finite(a.im); }
FN f64 x_abs(c128 a) { return hypot(a.re, a.im); }
FN f32 x_abs(c64 a) { return (f32)hypot((f64)a.re, (f64)a.im); }
FN bool infinite(f64 v) { return x_abs(v) == INF; }

// Division as Annex G of C has it.
FN f64 boxed(f64 v) { return copysign(infinite(v) ? 1.0 : 0.0, v); }
FN c128 divide_special(c128 z, c128 w) {
  c128 v = x_mul(z, c(w.re, -w.im));
  f64 n = w.re * w.re + w.im * w.im, re = v.re / n, im = v.im / n;
  if (re == re || im == im) return c(re, im);
  if (w.re == 0 && w.im == 0 && (z.re == z.re || z.im == z.im)) {
    f64 inf = copysign(INF, w.re);
    return c(inf * z.re, inf * z.im);
  }
  if ((infinite(z.re) || infinite(z.im)) && finite(w)) {
    v = x_mul(c(boxed(z.re), boxed(z.im)), c(w.re, -w.im));
    return c(INF * v.re, INF * v.im);
  }
  if ((infinite(w.re) || infinite(w.im)) && finite(z)) {
    v = x_mul(z, c(boxed(w.re), -boxed(w.im)));
    return c(0 * v.re, 0 * v.im);
  }
  return c(re, im);
}
// The exponent e with v about 2^e, 0 for 0.
FN int exponent(f64 v) {
  int e;
  frexp(v, &e);
  return v == 0 ? 0 : e;
}
// a*b + c*d with the products' rounding errors added back.
FN f64 sum2(f64 a, f64 b, f64 c, f64 d) {
  f64 p = a * b, q = c * d, s = p + q, bb = s - p;
  f64 low = fma(a, b, -p) + fma(c, d, -q) + ((p - (s - bb)) + (q - bb));
  return s + low;
}
FN c128 x_div(c128 z, c128 w) {
  if (!finite(z) || !finite(w) || (w.re == 0 && w.im == 0)) return divide_special(z, w);
  if (w.im == 0) return c(z.re / w.re, z.im / w.re);
  int e = exponent(x_max(x_abs(z.re), x_abs(z.im))), f = exponent(x_max(x_abs(w.re), x_abs(w.im)));
  f64 a = ldexp(z.re, -e), b = ldexp(z.im, -e), g = ldexp(w.re, -f), d = ldexp(w.im, -f), n = sum2(g, g, d, d);
  return c(ldexp(sum2(a, g, b, d) / n, e - f), ldexp(sum2(b, g, -a, d) / n, e - f));
}

FN f64 log_abs(f64 x, f64 y) {
  f64 big = x_max(x_abs(x), x_abs(y)), small = x_min(x_abs(x), x_abs(y));
  if (big > 0.5 && big < 2) return 0.5 * log1p(sum2(big - 1, big + 1, small, small));
  if (!(big > 0 && big < INF)) return log(hypot(x, y));
  f64 q = small / big;
  return log(big) + 0.5 * log1p(q * q);
}
FN c128 x_log(c128 z) { return c(log_abs(z.re, z.im), atan2(z.im, z.re)); }
FN c128 x_log1p(c128 z) {
  f64 n = hypot(1 + z.re, z.im);
  f64 re = n < 0.5 || n > 2 || n != n ? log(n) : 0.5 * log1p(sum2(z.re, 2 + z.re, z.im, z.im));
  return c(re, atan2(z.im, 1 + z.re));
}
FN c128 x_exp(c128 z) {
  if (z.im == 0) return c(exp(z.re), z.im);
  if (z.re == -INF && !x_finite(z.im)) return c(NAN64, NAN64);
  if (infinite(z.re) && !x_finite(z.im)) return c(NAN64, NAN64);
  f64 s = sin(z.im), k = cos(z.im), h = exp(z.re * 0.5);
  if (x_abs(z.re) > 700) return c(h * k * h, h * s * h);
  h = exp(z.re);
  return c(h * k, h * s);
}
FN c128 x_expm1(c128 z) {
  if (!finite(z) || x_abs(z.re) > 300) return x_sub(x_exp(z), c(1, 0));
  f64 h = sin(z.im * 0.5), p = expm1(z.re);
  return c(sum2(p, cos(z.im), -2 * h, h), z.im == 0 ? z.im : (1 + p) * sin(z.im));
}
FN c128 x_sqrt(c128 z) {
  if (z.re == 0 && z.im == 0) return c(0, z.im);
  if (infinite(z.im)) return c(INF, z.im);
  if (z.re == INF) return c(INF, z.im == z.im ? copysign(0.0, z.im) : z.im);
  if (z.re == -INF) return c(z.im == z.im ? 0 : z.im, copysign(INF, z.im));
  if (no_number(z)) return c(NAN64, NAN64);
  int e = exponent(x_max(x_abs(z.re), x_abs(z.im))) & ~1;
  f64 x = ldexp(z.re, -e), y = ldexp(z.im, -e), t = sqrt((x_abs(x) + hypot(x, y)) * 0.5);
  t = ldexp(t, e / 2);
  f64 u = z.im / (2 * t);
  return z.re >= 0 ? c(t, u) : c(x_abs(u), copysign(t, z.im));
}
FN c128 x_rsqrt(c128 z) { return x_div(c(1, 0), x_sqrt(z)); }
FN c128 x_sinh(c128 z) {
  if (z.im == 0) return c(sinh(z.re), z.im);
  if (z.re == 0 && !x_finite(z.im)) return c(z.re, NAN64);
  if (infinite(z.re) && !x_finite(z.im)) return c(z.re, NAN64);
  f64 h = 0.5 * x_abs(z.re);
  if (x_abs(z.re) > 700 && x_finite(z.re)) {
    h = exp(h);
    return c(copysign(0.5, z.re) * h * cos(z.im) * h, 0.5 * h * sin(z.im) * h);
  }
  return c(sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im));
}
FN c128 x_cosh(c128 z) {
  if (z.im == 0) return c(cosh(z.re), z.re == 0 || z.re != z.re ? copysign(0.0, z.im) : copysign(1.0, z.re) * z.im);
  if (z.re == 0 && !x_finite(z.im)) return c(NAN64, z.re);
  if (infinite(z.re) && !x_finite(z.im)) return c(INF, NAN64);
  f64 h = 0.5 * x_abs(z.re);
  if (x_abs(z.re) > 700 && x_finite(z.re)) {
    h = exp(h);
    return c(0.5 * h * cos(z.im) * h, copysign(0.5, z.re) * h * sin(z.im) * h);
  }
  return c(cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im));
}
FN c128 x_tanh(c128 z) {
  if (infinite(z.re)) return c(copysign(1.0, z.re), copysign(0.0, x_finite(z.im) ? sin(2 * z.im) : z.im));
  if (!finite(z)) return c(z.im == 0 || z.re != z.re ? z.re : NAN64, z.im == 0 ? z.im : NAN64);
  f64 s = sin(z.im), k = cos(z.im);
  if (x_abs(z.re) > 300) return c(copysign(1.0, z.re), 4 * s * k * exp(-2 * x_abs(z.re)));
  f64 h = sinh(z.re), d = sum2(k, k, h, h);
  return c(h * cosh(z.re) / d, s * k / d);
}
FN c128 times_i(c128 z) { return c(-z.im, z.re); }
FN c128 over_i(c128 z) { return c(z.im, -z.re); }
FN c128 x_sin(c128 z) { return over_i(x_sinh(times_i(z))); }
FN c128 x_cos(c128 z) { return x_cosh(times_i(z)); }
FN c128 x_tan(c128 z) { return over_i(x_tanh(times_i(z))); }
FN c128 x_logistic(c128 z) {
  if (finite(z) && z.re < -300) return x_exp(z);
  return x_div(c(1, 0), x_add(c(1, 0), x_exp(x_neg(z))));
}
FN c128 x_sign(c128 z) {
  if (no_number(z)) return c(NAN64, NAN64);
  if (z.re == 0 && z.im == 0) return c(0, 0);
  int e = finite(z) ? exponent(x_max(x_abs(z.re), x_abs(z.im))) : 0;
  z = c(ldexp(z.re, -e), ldexp(z.im, -e));
  f64 r = hypot(z.re, z.im);
  return c(z.re / r, z.im / r);
}
FN c128 x_atan2(c128 y, c128 x) {
  return over_i(x_log(x_div(x_add(x, times_i(y)), x_sqrt(x_add(x_mul(x, x), x_mul(y, y))))));
}
FN c128 x_cbrt(c128 z) {
  if (z.re == 0 && z.im == 0) return c(0, 0);
  if (x_abs(z.im) < 1e-18 * z.re) return c(cbrt(z.re), cbrt(z.re) / z.re / 3 * z.im);
  int e = finite(z) ? exponent(x_max(x_abs(z.re), x_abs(z.im))) / 3 : 0;
  f64 r = ldexp(cbrt(hypot(ldexp(z.re, -3 * e), ldexp(z.im, -3 * e))), e), a = atan2(z.im, z.re) / 3;
  return c(r * cos(a), r * sin(a));
}
// Powers of infinities and NaN.
FN c128 pow_special(c128 z, c128 w) {
  f64 m = x_abs(z), r = pow(m, w.re), a = atan2(z.im, z.re), t = w.re * a;
  if (m != m && w.re == 0 && w.im == 0) return c(1, 0);
  if (w.im != 0) {
    r *= exp(-w.im * a);
    t += w.im * log(m);
  }
  return c(r * cos(t), r * sin(t));
}
FN c128 x_pow(c128 z, c128 w) {
  if ((w.re == 0 && w.im == 0) || (z.re == 1 && z.im == 0)) return c(1, 0);
  if (z.re == 0 && z.im == 0 && w.re > 0) return c(0, 0);
  if (z.re == INF && z.im == 0 && w.im == 0 && w.re != 0) return c(w.re > 0 ? INF : 0, 0);
  if (z.re == 0 && z.im == 0 && !no_number(w)) return w.re == 0 ? c(1, 0) : w.im == 0 ? c(INF, 0) : c(INF, INF);
  if (z.re == 0 && z.im == 0) return c(NAN64, NAN64);
  if (!finite(z) || !finite(w)) return pow_special(z, w);
  if (w.im == 0 && w.re == floor(w.re) && x_abs(w.re) <= 16 && finite(z)) {
    c128 p = c(1, 0);
    for (int i = 0; i < (int)x_abs(w.re); i++) p = c(sum2(p.re, z.re, -p.im, z.im), sum2(p.re, z.im, p.im, z.re));
    return w.re > 0 ? p : x_div(c(1, 0), p);
  }
  if (w.im == 0 && x_abs(z.im) < 1e-18 * z.re) {
    f64 r = pow(z.re, w.re);
    return c(r, r / z.re * w.re * z.im);
  }
  c128 l = x_log(z);
  return x_exp(c(sum2(l.re, w.re, -l.im, w.im), sum2(l.re, w.im, l.im, w.re)));
}
// Inverse functions by Kahan's formulas.
FN c128 with_signs(f64 re, f64 im, f64 x, f64 y) { return c(copysign(re, x), copysign(im, y)); }
FN c128 asin_special(c128 z) {
  if (z.im != z.im) return z.re == 0 ? c(z.re, NAN64) : infinite(z.re) ? c(NAN64, z.re) : c(NAN64, NAN64);
  if (infinite(z.im)) {
    if (z.re != z.re) return z;
    return c(copysign(infinite(z.re) ? 0.7853981633974483 : 0.0, z.re), z.im);
  }
  return infinite(z.re) ? c(copysign(1.5707963267948966, z.re), copysign(z.re, z.im)) : c(NAN64, NAN64);
}
FN c128 x_asin(c128 z) {
  if (!finite(z)) return asin_special(z);
  f64 x = x_abs(z.re), y = x_abs(z.im);
  if (!(x_max(x, y) <= 1e18)) return with_signs(atan2(x, y), 0.6931471805599453 + log_abs(x, y), z.re, z.im);
  c128 a = x_sqrt(c(1 - x, -y)), b = x_sqrt(c(1 + x, y));
  return with_signs(atan2(x, sum2(a.re, b.re, -a.im, b.im)), asinh(x_abs(sum2(a.re, b.im, -a.im, b.re))), z.re, z.im);
}
FN c128 acos_parts(f64 x, f64 y) {
  if (!(x_max(x_abs(x), y) <= 1e18)) return c(atan2(y, x), 0.6931471805599453 + log_abs(x, y));
  c128 a = x_sqrt(c(1 - x, -y)), b = x_sqrt(c(1 + x, y));
  return c(2 * atan2(a.re, b.re), asinh(x_abs(sum2(a.re, b.im, -a.im, b.re))));
}
FN c128 x_acos(c128 z) {
  if (!finite(z)) {
    c128 w = asin_special(z);
    return c(1.5707963267948966 - w.re, -w.im);
  }
  c128 a = acos_parts(z.re, x_abs(z.im));
  return with_signs(a.re, a.im, 1, -z.im);
}
FN c128 x_acosh(c128 z) {
  if (!finite(z)) {
    c128 w = x_acos(z);
    return w.im <= 0 ? times_i(w) : over_i(w);
  }
  c128 a = acos_parts(z.re, x_abs(z.im));
  return with_signs(a.im, a.re, 1, z.im);
}
FN c128 x_asinh(c128 z) { return over_i(x_asin(times_i(z))); }
// atan of z with an infinity or a NaN.
FN c128 atan_special(c128 z) {
  if (z.im == 0) return c(atan(z.re), z.im);
  if (infinite(z.im) || infinite(z.re))
    return c(z.re != z.re ? z.re : copysign(1.5707963267948966, z.re), copysign(0.0, z.im));
  return c(NAN64, NAN64);
}
FN c128 x_atanh(c128 z) {
  if (!finite(z)) return over_i(atan_special(times_i(z)));
  f64 x = x_abs(z.re), y = x_abs(z.im), m = x_max(x, y);
  if (!(m <= 1e18)) {
    f64 p = x / m, q = y / m, r = p / (p * p + q * q) / m;
    return with_signs(r, 1.5707963267948966, z.re, z.im);
  }
  f64 im = 0.5 * atan2(2 * y, sum2(1 - x, 1 + x, -y, y));
  if (x == 1 && y < 1e-120) return with_signs(y == 0 ? INF : 0.5 * (0.6931471805599453 - log(y)), im, z.re, z.im);
  return with_signs(0.25 * log1p(4 * x / sum2(1 - x, 1 - x, y, y)), im, z.re, z.im);
}
FN c128 x_atan(c128 z) { return over_i(x_atanh(times_i(z))); }

// The root exp(sign * 2 pi i k / n), exact at quarters and the same at mirrored places.
FN c128 root_of_one(s64 k, s64 n, int sign) {
  s64 eighth = 8 * k / n;
  s64 quarter = (eighth + 1) >> 1;
  f64 x = (f64)(8 * k - 2 * quarter * n) / (f64)(4 * n);
  f64 s = sinpi(x), r = cospi(x);
  quarter &= 3;
  f64 re = quarter == 0 ? r : quarter == 1 ? -s : quarter == 2 ? -r : s;
  f64 im = quarter == 0 ? s : quarter == 1 ? r : quarter == 2 ? -s : -r;
  return c(re, sign < 0 ? -im : im);
}

#define COMPLEX1(name) FN c64 x_##name(c64 a) { return narrow(x_##name(wide(a))); }
#define COMPLEX2(name) FN c64 x_##name(c64 a, c64 b) { return narrow(x_##name(wide(a), wide(b))); }
COMPLEX1(acos)
COMPLEX1(acosh)
COMPLEX1(asin)
COMPLEX1(asinh)
COMPLEX1(atan)
COMPLEX1(atanh)
COMPLEX1(cbrt)
COMPLEX1(cos)
COMPLEX1(cosh)
COMPLEX1(exp)
COMPLEX1(expm1)
COMPLEX1(log)
COMPLEX1(log1p)
COMPLEX1(logistic)
COMPLEX1(rsqrt)
COMPLEX1(sign)
COMPLEX1(sin)
COMPLEX1(sinh)
COMPLEX1(sqrt)
COMPLEX1(tan)
COMPLEX1(tanh)
COMPLEX2(atan2)
COMPLEX2(div)
COMPLEX2(pow)
