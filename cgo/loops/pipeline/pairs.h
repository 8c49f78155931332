// pairs.h: stages that take a block of complex numbers apart, put one together, and what is done with both parts at
// once. Real parts are in the registers, imaginary ones in memory.
#define FOUR(from, step) (from), (from) + (step), (from) + 2 * (step), (from) + 3 * (step)
#define ZIP(from) (from), (from) + N, (from) + 1, (from) + 1 + N
#if VB * 8 / LANE == 16
#define EVERY_SECOND(x, y, k)                                                                                          \
  __builtin_shufflevector(x, y, FOUR(k, 2), FOUR(k + 8, 2), FOUR(k + 16, 2), FOUR(k + 24, 2))
#define ZIPPED(x, y, k) __builtin_shufflevector(x, y, ZIP(8 * k), ZIP(8 * k + 2), ZIP(8 * k + 4), ZIP(8 * k + 6))
#elif VB * 8 / LANE == 8
#define EVERY_SECOND(x, y, k) __builtin_shufflevector(x, y, FOUR(k, 2), FOUR(k + 8, 2))
#define ZIPPED(x, y, k) __builtin_shufflevector(x, y, ZIP(4 * k), ZIP(4 * k + 2))
#elif VB * 8 / LANE == 4
#define EVERY_SECOND(x, y, k) __builtin_shufflevector(x, y, FOUR(k, 2))
#define ZIPPED(x, y, k) __builtin_shufflevector(x, y, ZIP(2 * k))
#else
#define EVERY_SECOND(x, y, k) __builtin_shufflevector(x, y, k, k + 2)
#define ZIPPED(x, y, k) __builtin_shufflevector(x, y, k, k + 2)
#endif

#define APART1(a, k)                                                                                                   \
  {                                                                                                                    \
    const VI x = LOAD(q, 2 * k), y = LOAD(q, 2 * k + 1);                                                               \
    a = EVERY_SECOND(x, y, 0);                                                                                         \
    *(VIm *)(im + k * VB) = EVERY_SECOND(x, y, 1);                                                                     \
  }
#define PUT_AT(q, v) *(VIm *)(q) = v;
#define TOGETHER(a, k, put)                                                                                            \
  {                                                                                                                    \
    const VI y = LOAD(im, k);                                                                                          \
    put(q + 2 * k * VB, ZIPPED(a, y, 0)) put(q + (2 * k + 1) * VB, ZIPPED(a, y, 1))                                    \
  }
#define TOGETHER1(a, k) TOGETHER(a, k, PUT_AT)
#define TOGETHER_PAST1(a, k) TOGETHER(a, k, STREAM_AT)
#define LEAVE_PAIRS(name, each)                                                                                        \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    char *q = p[s->a];                                                                                                 \
    const char *im = p[s->b];                                                                                          \
    EACH(each) FINISH;                                                                                                 \
  }
#define COMPLEX(name)                                                                                                  \
  static void s_load_##name(ARGS) {                                                                                    \
    const char *q = p[s->a];                                                                                           \
    char *im = p[s->b];                                                                                                \
    EACH(APART1) NEXT;                                                                                                 \
  }                                                                                                                    \
  LEAVE_PAIRS(store_##name, TOGETHER1) LEAVE_PAIRS(stream_##name, TOGETHER_PAST1)

// PRODUCT rounds as the reference does: of floats one product of each part is not rounded before the sum.
#if LANE == 32
#define PRODUCT_RE fused(x, u, -rounded(y * v))
#define PRODUCT_IM fused(y, u, rounded(x * v))
#else
#define PRODUCT_RE rounded(x * u) - rounded(y * v)
#define PRODUCT_IM rounded(x * v) + rounded(y * u)
#endif
#define PRODUCT1(a, k)                                                                                                 \
  {                                                                                                                    \
    const VF x = F(a), y = F(LOAD(im, k)), u = F(LOAD(c, k)), v = F(LOAD(d, k));                                       \
    a = I(PRODUCT_RE);                                                                                                 \
    *(VIm *)(im + k * VB) = I(PRODUCT_IM);                                                                             \
  }
#define PRODUCT(name)                                                                                                  \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    char *im = p[s->a & 0xff];                                                                                         \
    const char *c = p[s->a >> 8], *d = p[s->b];                                                                        \
    EACH(PRODUCT1) NEXT;                                                                                               \
  }

// length is |x+iy|, computed of both divided by the power of two that the larger one begins with.
INLINE VI length(VI x, VI y) {
  const VI most = samei((I)(2 * BIAS - 1) << MANTISSA), least = samei((I)1 << MANTISSA), inf = samei(INFINITE);
  const VI a = x & ALLBUTSIGN, b = y & ALLBUTSIGN;
  VI e = pick(a > b, a, b) & INFINITE;
  e = pick(e > most, most, e);
  e = pick(e < least, least, e);
  const VF down = F(samei((I)(2 * BIAS) << MANTISSA) - e), u = F(a) * down, v = F(b) * down;
#if LANE == 64
  const sum n = sum2(u, u, v, v);
  VF r = root(n.hi);
  r = choose(n.hi == 0, n.hi, r + (fma64(-r, r, n.hi) + n.lo) / (r + r));
#elif defined(__x86_64__) && VB == 64
  VF r;
  half_inverse32(u * u + v * v, &r);
#else
  const VF r = square_root(u * u + v * v);
#endif
  return pick((a == inf) | (b == inf), inf, I(r * F(e)));
}
