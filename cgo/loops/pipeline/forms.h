// forms.h: how the lines of stages.def become functions, for the level and lane of lanes.h.
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

// over moves the pointers as if the stages had run on all blocks.
INLINE void over(char *const *p, halo_loop *l) {
  for (int32_t i = 0; i < l->moves; i++)
    ((char **)p)[l->moved[i]] += (l->left - 1) * l->bytes;
  for (int64_t i = 0; i < l->narrows; i++)
    ((char **)p)[l->narrow[i]] += (l->left - 1) * l->narrow_bytes[i];
  l->left = 0;
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
#define NUMBERS !ANYWHERE(UNORDERED(a0, a1) | UNORDERED(a2, a3) | UNORDERED(a4, a5) | UNORDERED(a6, a7))
#define APART(k) (UNORDERED(a##k, LOAD(q, k)))
#define ORDERED !ANYWHERE(APART(0) | APART(1) | APART(2) | APART(3) | APART(4) | APART(5) | APART(6) | APART(7))
#define EXTREME(name, e)                                                                                               \
  INLINE VI f_##name(VI x, VI y) { return e; }                                                                         \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    const char *q = p[s->a];                                                                                           \
    const VI y = samei(*(const Im *)q);                                                                                \
    const int one = s->flags & HALO_SPREAD;                                                                            \
    if (one && NUMBERS && !ANYWHERE(UNORDERED(y, y))) {                                                                \
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
