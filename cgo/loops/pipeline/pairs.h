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

// split_pairs takes a block apart into two rooms, and leaves the registers as they are.
#define SPLIT1(a, k)                                                                                                   \
  {                                                                                                                    \
    const VI x = LOAD(q, 2 * k), y = LOAD(q, 2 * k + 1);                                                               \
    *(VIm *)(re + k * VB) = EVERY_SECOND(x, y, 0);                                                                     \
    *(VIm *)(im + k * VB) = EVERY_SECOND(x, y, 1);                                                                     \
  }
#define SPLIT(name)                                                                                                    \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    const char *q = p[s->a & 0xff];                                                                                    \
    char *re = p[s->a >> 8], *im = p[s->b];                                                                            \
    EACH(SPLIT1) NEXT;                                                                                                 \
  }

// Operations on both parts leave the imaginary part of their value in a room, which may be that of an operand: PAIR1 on
// x + iy, PAIR2 with u + iv, and a choice between two that are in memory by a mask in the registers. A product rounds
// as the reference does: of floats one product of each part is not rounded before the sum.
#if LANE == 32
#define PRODUCT_RE(x, y, u, v) fused(x, u, -rounded(y * v))
#define PRODUCT_IM(x, y, u, v) fused(y, u, rounded(x * v))
#else
#define PRODUCT_RE(x, y, u, v) rounded(x * u) - rounded(y * v)
#define PRODUCT_IM(x, y, u, v) rounded(x * v) + rounded(y * u)
#endif
#define OF_PAIR(name, each, ready)                                                                                     \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    const char *im = p[s->a & 0xff], *c = p[s->a >> 8 & 0xff], *d = p[ready];                                          \
    char *out = p[s->a >> 16];                                                                                         \
    (void)c, (void)d;                                                                                                  \
    each(0, a0, name) each(1, a1, name) each(2, a2, name) each(3, a3, name)                                            \
    each(4, a4, name) each(5, a5, name) each(6, a6, name) each(7, a7, name) NEXT;                                      \
  }
#define PARTS_OF(k, a, u, v, name)                                                                                     \
  {                                                                                                                    \
    const VF x = F(a), y = F(LOAD(im, k));                                                                             \
    a = I(re_##name(x, y, u, v));                                                                                      \
    *(VIm *)(out + k * VB) = I(im_##name(x, y, u, v));                                                                 \
  }
#define OF_ONE(k, a, name) PARTS_OF(k, a, x, y, name)
#define OF_TWO(k, a, name) PARTS_OF(k, a, F(LOAD(c, k)), F(LOAD(d, k)), name)
#define PAIR_FUNCTIONS(name, re, im)                                                                                   \
  INLINE VF re_##name(VF x, VF y, VF u, VF v) { (void)y, (void)v; return re; }                                         \
  INLINE VF im_##name(VF x, VF y, VF u, VF v) { (void)x, (void)u; return im; }
#define PAIR1(name, re, im) PAIR_FUNCTIONS(name, re, im) OF_PAIR(name, OF_ONE, s->b)
#define PAIR2(name, re, im) PAIR_FUNCTIONS(name, re, im) OF_PAIR(name, OF_TWO, s->b)
#define CHOOSE_PAIR1(a, k)                                                                                             \
  *(VIm *)(out + k * VB) = pick(a, LOAD(v, k), LOAD(d, k));                                                            \
  a = pick(a, LOAD(u, k), LOAD(c, k));
#define CHOOSE_PAIR(name)                                                                                              \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    const char *u = p[s->a & 0xff], *c = p[s->a >> 8 & 0xff], *v = p[s->b & 0xff], *d = p[s->b >> 8 & 0xff];           \
    char *out = p[s->a >> 16];                                                                                         \
    EACH(CHOOSE_PAIR1) NEXT;                                                                                           \
  }

// Complex numbers of floats are lanes of 64 bits.
#if LANE == 64
typedef uint32_t VHU __attribute__((vector_size(VB / 2)));
INLINE VU half_bits(VF x) { return __builtin_convertvector((VHU)__builtin_convertvector(x, VH), VU); }
INLINE VI join_halves(VF x, VF y) { return (VI)(half_bits(x) | half_bits(y) << 32); }
INLINE VF half_of(VI x, int from) {
  return __builtin_convertvector((VH)__builtin_convertvector((VU)x >> from, VHU), VF);
}
#else
INLINE VI join_halves(VF x, VF y) { return I(x) ^ I(y); } // there are no such lanes
INLINE VF half_of(VI x, int from) { return F(x << from); }
#endif

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
