// stages_impl.h: the stages of stages.def for the level and lane of lanes.h. Included once by each stages*_*.c.
#include "lanes.h"

#if LANE == 32
#define FMOD fmodf
#else
#define FMOD fmod
#endif

#include "floats.h"
#include "smallround.h"

// Integer helpers on one lane.
static inline U power_u(U x, U y) {
  U p = 1;
  for (; y; y >>= 1, x *= x)
    if (y & 1)
      p *= x;
  return p;
}
static inline I power_s(I x, I y) { return y >= 0 ? (I)power_u((U)x, (U)y) : x == 1 ? 1 : 0; }
#if LANE == 32
static inline I high_s(I x, I y) { return (I)(((int64_t)x * y) >> 32); }
static inline U high_u(U x, U y) { return (U)(((uint64_t)x * y) >> 32); }
#else
static inline I high_s(I x, I y) { return (I)(((__int128)x * y) >> 64); }
static inline U high_u(U x, U y) { return (U)(((unsigned __int128)x * y) >> 64); }
static double logistic(double x) {
  double e = exp(-fabs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}
static double cube_root(double x) {
  double y = cbrt(x);
  if (y == 0 || y - y != 0)
    return y;
  return y - (double)(((long double)y * y * y - x) / (3 * (long double)y * y));
}
#endif

// inverse_erf is Giles's polynomials in -log(1-x^2), with the square rounded to a float as the ops of f32 have it.
static __attribute__((unused)) double inverse_erf(double x) {
  static const float near[] = {2.81022636e-8f, 3.43273939e-7f, -3.5233877e-6f, -4.39150654e-6f, 0.00021858087f,
      -0.00125372503f, -0.00417768164f, 0.246640727f, 1.50140941f};
  static const float far[] = {-0.000200214257f, 0.000100950558f, 0.00134934322f, -0.00367342844f, 0.00573950773f,
      -0.0076224613f, 0.00943887047f, 1.00167406f, 2.83297682f};
  double w = -log1p(-(double)(float)(x * x)), y = w < 5 ? w - 2.5 : sqrt(w) - 3, p = 0;
  for (int i = 0; i < 9; i++)
    p = p * y + (double)(w < 5 ? near : far)[i];
  return fabs(x) == 1 ? x * INFINITY : p * x;
}

#include "math64.h"
#include "integers.h"
#if LANE == 32 && (VB > 16 || defined(__aarch64__))
#include "math32.h"
#endif
#include "exp64.h"
#include "sums64.h"
#if LANE == 64
#include "functions64.h"
#endif

// How the lines of stages.def become functions.
#define PUT(T, t)                                                                                                      \
  T t[BLOCK] __attribute__((aligned(64)));                                                                             \
  EACH(PUT1)
#define GET(t)                                                                                                         \
  EACH(GET1)
#define PUT1(a, k) *(VIm *)((char *)t + k * VB) = a;
#define GET1(a, k) a = *(VIm *)((char *)t + k * VB);

// TAKE loads what a stage begins with, FINISH goes on behind one that may be the last.
#define TAKE1(a, k) a = LOAD(from, k);
#define TAKE                                                                                                           \
  if (s->from) {                                                                                                       \
    const char *from = p[s->from - 1];                                                                                 \
    EACH(TAKE1)                                                                                                        \
  }
#define FINISH                                                                                                         \
  if (s->flags & HALO_LAST)                                                                                            \
    return again(p, s, a0, a1, a2, a3, a4, a5, a6, a7);                                                                \
  NEXT

// ask asks for what is wanted ahead, a block of it.
INLINE void ask(halo_loop *l) {
  for (int32_t i = 0; i < l->asks; i++) {
    for (int64_t line = 0; line < l->ask_bytes[i]; line += 64)
      __builtin_prefetch(l->ask[i] + line, 0, 2);
    l->ask[i] += l->ask_bytes[i];
  }
}

// again runs the stages on the next block, if there is one.
static void again(ARGS) {
  halo_loop *l = (halo_loop *)p[HALO_LOOP];
  ask(l);
  if (--l->left <= 0)
    return;
  for (int32_t i = 0; i < l->moves; i++)
    ((char **)p)[l->moved[i]] += l->bytes;
  for (int64_t i = 0; i < l->narrows; i++)
    ((char **)p)[l->narrow[i]] += l->narrow_bytes[i];
  s = l->first;
  return ((stage_fn)s->fn)(p, s, a0, a1, a2, a3, a4, a5, a6, a7);
}

#define UNARY(name, e)                                                                                                 \
  INLINE VI f_##name(VI x, const I imm) { (void)imm; return e; }                                                       \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    const I imm = s->a;                                                                                                \
    a0 = f_##name(a0, imm); a1 = f_##name(a1, imm); a2 = f_##name(a2, imm); a3 = f_##name(a3, imm);                    \
    a4 = f_##name(a4, imm); a5 = f_##name(a5, imm); a6 = f_##name(a6, imm); a7 = f_##name(a7, imm);                    \
    NEXT;                                                                                                              \
  }
#define BINARY(name, e)                                                                                                \
  INLINE VI f_##name(VI x, VI y, const stage *s) { (void)x, (void)s; return e; }                                       \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    const char *q = p[s->a];                                                                                           \
    if (s->flags & HALO_SPREAD) {                                                                                      \
      const VI y = samei(*(const Im *)q);                                                                              \
      a0 = f_##name(a0, y, s); a1 = f_##name(a1, y, s); a2 = f_##name(a2, y, s); a3 = f_##name(a3, y, s);              \
      a4 = f_##name(a4, y, s); a5 = f_##name(a5, y, s); a6 = f_##name(a6, y, s); a7 = f_##name(a7, y, s);              \
      NEXT;                                                                                                            \
    }                                                                                                                  \
    a0 = f_##name(a0, LOAD(q, 0), s); a1 = f_##name(a1, LOAD(q, 1), s); a2 = f_##name(a2, LOAD(q, 2), s);              \
    a3 = f_##name(a3, LOAD(q, 3), s); a4 = f_##name(a4, LOAD(q, 4), s); a5 = f_##name(a5, LOAD(q, 5), s);              \
    a6 = f_##name(a6, LOAD(q, 6), s); a7 = f_##name(a7, LOAD(q, 7), s);                                                \
    NEXT;                                                                                                              \
  }
// EXTREME is a maximum or minimum of floats, which is faster where no NaN is.
#ifdef UNORDERED
#define NUMBERS !(UNORDERED(a0, a1) | UNORDERED(a2, a3) | UNORDERED(a4, a5) | UNORDERED(a6, a7))
#define APART(k) (UNORDERED(a##k, LOAD(q, k)))
#define ORDERED !(APART(0) | APART(1) | APART(2) | APART(3) | APART(4) | APART(5) | APART(6) | APART(7))
#define EXTREME(name, e)                                                                                               \
  INLINE VI f_##name(VI x, VI y) { return e; }                                                                         \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    const char *q = p[s->a];                                                                                           \
    const VI y = samei(*(const Im *)q);                                                                                \
    const int one = s->flags & HALO_SPREAD;                                                                            \
    if (one && NUMBERS && !UNORDERED(y, y)) {                                                                          \
      EACH8(number_##name, y, y, y, y, y, y, y, y)                                                                     \
    } else if (one) {                                                                                                  \
      EACH8(f_##name, y, y, y, y, y, y, y, y)                                                                          \
    } else if (ORDERED) {                                                                                              \
      EACH8(number_##name, Y(0), Y(1), Y(2), Y(3), Y(4), Y(5), Y(6), Y(7))                                             \
    } else {                                                                                                           \
      EACH8(f_##name, Y(0), Y(1), Y(2), Y(3), Y(4), Y(5), Y(6), Y(7))                                                  \
    }                                                                                                                  \
    NEXT;                                                                                                              \
  }
#define Y(k) LOAD(q, k)
#define EACH8(f, y0, y1, y2, y3, y4, y5, y6, y7)                                                                       \
  a0 = f(a0, y0), a1 = f(a1, y1), a2 = f(a2, y2), a3 = f(a3, y3);                                                      \
  a4 = f(a4, y4), a5 = f(a5, y5), a6 = f(a6, y6), a7 = f(a7, y7);
#else
#define NUMBERS 0
#define EXTREME BINARY
#endif
#define TERNARY(name, e)                                                                                               \
  INLINE VI f_##name(VI x, VI y, VI z) { return e; }                                                                   \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    const char *q = p[s->a], *w = p[s->b];                                                                             \
    a0 = f_##name(a0, LOAD(q, 0), LOAD(w, 0)); a1 = f_##name(a1, LOAD(q, 1), LOAD(w, 1));                              \
    a2 = f_##name(a2, LOAD(q, 2), LOAD(w, 2)); a3 = f_##name(a3, LOAD(q, 3), LOAD(w, 3));                              \
    a4 = f_##name(a4, LOAD(q, 4), LOAD(w, 4)); a5 = f_##name(a5, LOAD(q, 5), LOAD(w, 5));                              \
    a6 = f_##name(a6, LOAD(q, 6), LOAD(w, 6)); a7 = f_##name(a7, LOAD(q, 7), LOAD(w, 7));                              \
    NEXT;                                                                                                              \
  }
// CHOICE compares two operands in memory, and chooses between x and a third one, whose number is in a above the first.
#define CHOICE(name) CHOICE_BY(where, name, x, y) CHOICE_BY(unless, name, y, x)
#define CHOICE_BY(prefix, name, holds, fails)                                                                          \
  INLINE VI f_##prefix##_##name(VI x, int k, const char *q, const char *w, const char *other, const stage *s) {        \
    const VI y = LOAD(other, k);                                                                                       \
    return pick(f_##name(LOAD(q, k), LOAD(w, k), s), holds, fails);                                                    \
  }                                                                                                                    \
  static void s_##prefix##_##name(ARGS) {                                                                              \
    TAKE                                                                                                               \
    const char *q = p[s->a & 0xff], *w = p[s->b], *other = p[s->a >> 8];                                               \
    CHOOSE2(f_##prefix##_##name, a0, a1, 0) CHOOSE2(f_##prefix##_##name, a2, a3, 2)                                    \
    CHOOSE2(f_##prefix##_##name, a4, a5, 4) CHOOSE2(f_##prefix##_##name, a6, a7, 6) NEXT;                              \
  }
#define CHOOSE2(f, a, b, k) a = f(a, k, q, w, other, s), b = f(b, k + 1, q, w, other, s);
#define SCALED(name, e)                                                                                                \
  TERNARY(name, e)                                                                                                     \
  static void s_##name##_k(ARGS) {                                                                                     \
    TAKE                                                                                                               \
    const char *q = p[s->a];                                                                                           \
    const VI z = LOAD(p[s->b], 0);                                                                                     \
    a0 = f_##name(a0, LOAD(q, 0), z); a1 = f_##name(a1, LOAD(q, 1), z); a2 = f_##name(a2, LOAD(q, 2), z);              \
    a3 = f_##name(a3, LOAD(q, 3), z); a4 = f_##name(a4, LOAD(q, 4), z); a5 = f_##name(a5, LOAD(q, 5), z);              \
    a6 = f_##name(a6, LOAD(q, 6), z); a7 = f_##name(a7, LOAD(q, 7), z);                                                \
    NEXT;                                                                                                              \
  }
#define ARRAY1(name, T, e)                                                                                             \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    PUT(T, t)                                                                                                          \
    for (int i = 0; i < BLOCK; i++) {                                                                                  \
      T x = t[i];                                                                                                      \
      t[i] = e;                                                                                                        \
    }                                                                                                                  \
    GET(t) NEXT;                                                                                                       \
  }
#define ARRAY2(name, T, e)                                                                                             \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    PUT(T, t)                                                                                                          \
    const char *q = p[s->a];                                                                                           \
    for (int i = 0; i < BLOCK; i++) {                                                                                  \
      T x = t[i], y;                                                                                                   \
      __builtin_memcpy(&y, q + i * sizeof y, sizeof y);                                                                \
      t[i] = e;                                                                                                        \
    }                                                                                                                  \
    GET(t) NEXT;                                                                                                       \
  }
// MIX adds x to an operand in memory, y, which becomes that, and rotates x before the new y changes its bits. INTO adds
// one operand in memory to another.
#define MIX1(a, k)                                                                                                     \
  {                                                                                                                    \
    VI y = (VI)((VU)LOAD(q, k) + (VU)a);                                                                               \
    *(VIm *)(q + k * VB) = y;                                                                                          \
    a = rotate(a, n) ^ y;                                                                                              \
  }
#define MIX(name)                                                                                                      \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    char *q = p[s->a];                                                                                                 \
    const I n = s->b;                                                                                                  \
    EACH(MIX1) NEXT;                                                                                                   \
  }
#define INTO1(a, k) *(VIm *)(q + k * VB) = (VI)((VU)LOAD(q, k) + (VU)LOAD(w, k));
#define INTO(name)                                                                                                     \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    char *q = p[s->a];                                                                                                 \
    const char *w = p[s->b];                                                                                           \
    EACH(INTO1) NEXT;                                                                                                  \
  }
// QUOTIENT divides by y, which is one number in all lanes, with its rounded inverse z: one correction of the product
// gives the rounded quotient, if nothing on the way leaves the normal numbers (docs/numerics.md). Else it divides.
#define DIVIDE1(a, k) a = I(F(a) / y);
#if LANE == 32 && (VB > 16 || defined(__aarch64__))
// divides reports whether quotients by y stay normal if the first two bits of the exponent of x differ: from -63 to 64.
INLINE int divides(VF y) { return ((VU)y)[0] << 1 >= 65u << 24 && ((VU)y)[0] << 1 < 190u << 24; }
#define DIFFER1(a, k) differ &= a ^ (VI)((VU)a << 1);
INLINE int all_differ(VI x) {
#if defined(__x86_64__) && VB == 64
  return _mm512_test_epi32_mask((__m512i)x, _mm512_set1_epi32(1 << 30)) == 0xffff;
#elif defined(__x86_64__)
  return _mm256_movemask_ps((__m256)(x << 1)) == 0xff;
#else
  return ((x[0] & x[1] & x[2] & x[3]) >> 30) & 1;
#endif
}
#define QUOTIENT1(a, k)                                                                                                \
  {                                                                                                                    \
    const VF x = F(a), r = x * z;                                                                                      \
    a = I(r + z * (x - r * y));                                                                                        \
  }
#define QUOTIENTS                                                                                                      \
  VI differ = samei(-1);                                                                                               \
  EACH(DIFFER1)                                                                                                        \
  QUOTIENTS_IF(normal && all_differ(differ))
#define QUOTIENTS_IF(can)                                                                                              \
  if (can) {                                                                                                           \
    EACH(QUOTIENT1)                                                                                                    \
  } else {                                                                                                             \
    EACH(DIVIDE1)                                                                                                      \
  }
#define QUOTIENT(name)                                                                                                 \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    const VF y = F(samei(*(const Im *)p[s->a])), z = F(samei(*(const Im *)p[s->b]));                                   \
    const int normal = divides(y);                                                                                     \
    QUOTIENTS                                                                                                          \
    NEXT;                                                                                                              \
  }
#else
#define QUOTIENT(name)                                                                                                 \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    const VF y = F(samei(*(const Im *)p[s->a]));                                                                       \
    EACH(DIVIDE1) NEXT;                                                                                                \
  }
#endif
#define STORE1(a, k) *(VIm *)(q + k * VB) = a;
#define STORE(name)                                                                                                    \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    char *q = p[s->a];                                                                                                 \
    EACH(STORE1) FINISH;                                                                                               \
  }
#define END(name)                                                                                                      \
  static void s_##name(ARGS) { return again(p, s, a0, a1, a2, a3, a4, a5, a6, a7); }

#if defined(__x86_64__) && VB == 64
#define STREAM_AT(q, a) _mm512_stream_si512((__m512i *)(q), (__m512i)a);
#elif defined(__x86_64__) && VB == 32
#define STREAM_AT(q, a) _mm256_stream_si256((__m256i *)(q), (__m256i)a);
#else
#define STREAM_AT(q, a) *(VIm *)(q) = a;
#endif
#define STREAM1(a, k) STREAM_AT(q + k * VB, a)
#define STREAM(name)                                                                                                   \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    char *q = p[s->a];                                                                                                 \
    EACH(STREAM1) FINISH;                                                                                              \
  }

#include "functions.h"
#include "complex.h"
#include "narrow.h"

// AHEAD moves each lane by w places.
#define L4(w, i) ((w) + (i)) % N, ((w) + (i) + 1) % N, ((w) + (i) + 2) % N, ((w) + (i) + 3) % N
#if VB * 8 / LANE == 16
#define AHEAD(x, w) __builtin_shufflevector(x, x, L4(w, 0), L4(w, 4), L4(w, 8), L4(w, 12))
#elif VB * 8 / LANE == 8
#define AHEAD(x, w) __builtin_shufflevector(x, x, L4(w, 0), L4(w, 4))
#elif VB * 8 / LANE == 4
#define AHEAD(x, w) __builtin_shufflevector(x, x, L4(w, 0))
#else
#define AHEAD(x, w) __builtin_shufflevector(x, x, 1, 0)
#endif

// put puts lane t of x, whose lanes are alike, where that is in a block. Vectors are read and written, since a vector
// that was written number by number could only be read when all that is in the cache.
INLINE void put(char *to, int64_t t, VI x) {
  VI lanes;
  for (int i = 0; i < N; i++)
    lanes[i] = i;
  VIm *v = (VIm *)to + t / N;
  *v = pick(lanes == (I)(t % N), x, *v);
}

// Accumulators begin with what changes nothing: of sums -0, since 0 would make a 0 of it.
#define REDUCE_BY(name, e, none, all, fold)                                                                            \
  INLINE VI r_##name(VI x, VI y) { return e; }                                                                         \
  static void s_acc_##name(ARGS) {                                                                                     \
    TAKE                                                                                                               \
    VIm *acc = (VIm *)p[s->a];                                                                                         \
    const char *w = p[s->b];                                                                                           \
    VI b0 = a0, b1 = a1, b2 = a2, b3 = a3, b4 = a4, b5 = a5, b6 = a6, b7 = a7;                                         \
    if (!((const I *)w)[BLOCK - 1]) {                                                                                  \
      const VI unchanged = none;                                                                                       \
      COUNTED(b0, 0) COUNTED(b1, 1) COUNTED(b2, 2) COUNTED(b3, 3)                                                      \
      COUNTED(b4, 4) COUNTED(b5, 5) COUNTED(b6, 6) COUNTED(b7, 7)                                                      \
    }                                                                                                                  \
    *acc = all(name, *acc);                                                                                            \
    FINISH;                                                                                                            \
  }                                                                                                                    \
  static void clear_##name(char *acc) { *(VIm *)acc = none; }                                                          \
  static void join_##name(char *acc, const char *other) { *(VIm *)acc = r_##name(LOAD(acc, 0), LOAD(other, 0)); }      \
  static void fold_##name(char *acc, char *to, int64_t t) {                                                            \
    VI x = LOAD(acc, 0);                                                                                               \
    fold(name, x)                                                                                                      \
    put(to, t, x);                                                                                                     \
    clear_##name(acc);                                                                                                 \
  }
#define COUNTED(b, k) b = pick(LOAD(w, k), b, unchanged);
#define PAIRS(f) f(f(f(b0, b1), f(b2, b3)), f(f(b4, b5), f(b6, b7)))
#define ALL8(name, acc) r_##name(acc, PAIRS(r_##name))
#define STEP(f, x, w)                                                                                                  \
  if (N > w)                                                                                                           \
    x = f(x, AHEAD(x, w));
#define STEPS(f, x) STEP(f, x, 8) STEP(f, x, 4) STEP(f, x, 2) STEP(f, x, 1)
#define FOLD(name, x) STEPS(r_##name, x)
#define REDUCE(name, e, none) REDUCE_BY(name, e, none, ALL8, FOLD)
// CHOOSE is a maximum or minimum of floats, which is faster where no NaN is.
#ifdef UNORDERED
#define NUMBERS8(acc)                                                                                                  \
  !(UNORDERED(acc, b0) | UNORDERED(b1, b2) | UNORDERED(b3, b4) | UNORDERED(b5, b6) | UNORDERED(b7, b7))
#define CHOSEN8(name, acc) NUMBERS8(acc) ? number_##name(acc, PAIRS(number_##name)) : ALL8(name, acc)
#define CHOSEN_FOLD(name, x)                                                                                           \
  if (UNORDERED(x, x)) {                                                                                               \
    STEPS(r_##name, x)                                                                                                 \
  } else {                                                                                                             \
    STEPS(number_##name, x)                                                                                            \
  }
#define CHOOSE(name, e, none) REDUCE_BY(name, e, none, CHOSEN8, CHOSEN_FOLD)
#else
#define CHOSEN8 ALL8
#define CHOSEN_FOLD FOLD
#define CHOOSE REDUCE
#endif

#include "reducers.def"
#include "stages.def"
#include "sweeps_impl.h"
#include "staggered_impl.h"

#undef REDUCE
#undef CHOOSE
#undef UNARY
#undef BINARY
#undef TERNARY
#undef EXTREME
#undef CHOICE
#undef SCALED
#undef MIX
#undef INTO
#undef QUOTIENT
#undef ARRAY1
#undef ARRAY2
#undef STORE
#undef STREAM
#undef END
#undef MATH1
#undef MATH2
#undef MATHL
#undef POWER
#undef FAST1
#undef FAST2
#undef BOTH1
#undef FASTL
#undef BOTHL
#undef EVERY1
#undef PARTS1
#undef PARTS2
#define ROW(name) (void (*)(void))s_##name,
#define REDUCE(name, e, none) ROW(acc_##name)
#define CHOOSE REDUCE
#define UNARY(name, e) ROW(name)
#define BINARY(name, e) ROW(name)
#define TERNARY(name, e) ROW(name)
#define EXTREME(name, e) ROW(name)
#define CHOICE(name) ROW(where_##name) ROW(unless_##name)
#define SCALED(name, e) ROW(name) ROW(name##_k)
#define ARRAY1(name, T, e) ROW(name)
#define ARRAY2(name, T, e) ROW(name)
#define STORE(name) ROW(name)
#define MIX(name) ROW(name)
#define INTO(name) ROW(name)
#define QUOTIENT(name) ROW(name)
#define STREAM(name) ROW(name)
#define END(name) ROW(name)
#define ROUNDED_STORE(name) ROW(store_##name) ROW(stream_##name)
#define CONVERT(name, T, load, store) ROW(load_##name) ROW(store_##name) ROW(stream_##name)
#define MATH1(name, fv, fs) ROW(name)
#define POWER(name, fv, fs) ROW(name)
#define FAST1(name, fv, dv, fs) ROW(name)
#define FAST2(name, fv, dv, fs) ROW(name)
#define BOTH1(name, fv, dv, ev, fs) ROW(name)
#define BOTHL(name, fv, dv, ev, fs) ROW(name)
#define EVERY1(name, fv, dv, ev, fs) ROW(name)
#define PARTS1(name) ROW(c_##name)
#define PARTS2 PARTS1

#define SWEEP(name) ROW(name)
#ifdef LIMIT32
#define SWEEP32 SWEEP
#else
#define SWEEP32(name) 0,
#endif
static void (*const table[])(void) = {
#include "reducers.def"
#include "stages.def"
#include "memory.def"
#include "sweeps.def"
};

#undef REDUCE
#define REDUCE(name, e, none) {clear_##name, join_##name, fold_##name},
static const halo_reducer reducers[] = {
#include "reducers.def"
};

// blocks clears the upper halves of the registers when the stages are through: the compiler does that where vectors are
// local, and here they are arguments. Code without AVX would wait a hundred cycles each time.
static void blocks(char *const *p) {
  const stage *s = ((halo_loop *)p[HALO_LOOP])->first;
  VI z = {};
  ((stage_fn)s->fn)(p, s, z, z, z, z, z, z, z, z);
#if defined(__x86_64__) && VB > 16
  __builtin_ia32_vzeroupper();
#endif
}

#include "ends.h"

#undef CONVERT
#undef ROUNDED_STORE
#define ROUNDED_STORE(name) {(void (*)(void))s_store_##name, (void (*)(void))s_stream_##name},
#define CONVERT(name, T, load, store) ROUNDED_STORE(name)
static const halo_way ways[] = {
    {(void (*)(void))s_store, (void (*)(void))s_stream},
#include "memory.def"
    {0},
};

const halo_lanes CAT3(halo_lanes, LANE, LEVEL) = {table, reducers, blocks, fill, part, give, ways};
