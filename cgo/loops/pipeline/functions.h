// functions.h: how the lines of stages.def with elementary functions become stages, for stages_impl.h.

// With 16 registers eight vectors leave no room for a function's constants: ALL1 and ALL2 are loops over vectors in
// memory, an even number of them, for stages and, as s_call_name, for code that is made while a program is compiled,
// which has a block there that becomes the result. Two vectors go side by side, since a chain of operations is longer
// than what the processor looks ahead. USUAL1 and USUAL2 are of functions that are good everywhere and of others,
// near_f, that clear places of a mask where they are not good and have the same bits elsewhere. The former are called:
// what both compute must not be shared, since a product with two uses is not joined with a sum. Vectors
// of 64 bytes have stages called (called.h).
#if defined(__x86_64__) && VB == 32
#if defined(__clang__)
#define SIDE_BY_SIDE __attribute__((noinline))
#else
#define SIDE_BY_SIDE __attribute__((noinline, optimize("schedule-insns", "sched-pressure")))
#endif
#define PUT2(u, v) *(VIm *)(to + k * VB) = I(u), *(VIm *)(to + (k + 1) * VB) = I(v);
#define TAKE2(x, from) const VF x##0 = F(LOAD(from, k)), x##1 = F(LOAD(from, k + 1));
#define LOOP1(name, ...)                                                                                               \
  static SIDE_BY_SIDE void over_##name(char *to, const char *from, int64_t vectors) {                                  \
    for (int64_t k = 0; k < vectors; k += 2) {                                                                         \
      TAKE2(x, from)                                                                                                   \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }                                                                                                                    \
  static void s_call_##name(char *v) { over_##name(v, v, 8); }
#define LOOP2(name, ...)                                                                                               \
  static SIDE_BY_SIDE void over_##name(char *to, const char *from, const char *q, int64_t vectors) {                   \
    for (int64_t k = 0; k < vectors; k += 2) {                                                                         \
      TAKE2(x, from)                                                                                                   \
      TAKE2(y, q)                                                                                                      \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }                                                                                                                    \
  static void s_call_##name(char *v, const char *w) { over_##name(v, v, w, 8); }
#define UNLESS_NEAR(u, v, far0, far1)                                                                                  \
  if (__builtin_expect(_mm256_movemask_ps((__m256)near) != 0xff, 0))                                                   \
    u = far0, v = far1;                                                                                                \
  PUT2(u, v)
#define ALL1(name, fv) LOOP1(name, const VF u = fv(x0), v = fv(x1); PUT2(u, v))
#define ALL2(name, fv) LOOP2(name, const VF u = fv(x0, y0), v = fv(x1, y1); PUT2(u, v))
#define USUAL1(name, fv, far)                                                                                          \
  LOOP1(name, VI near = samei(-1); VF u = near_##fv(x0, &near), v = near_##fv(x1, &near);                              \
        UNLESS_NEAR(u, v, far(x0), far(x1)))
#define USUAL2(name, fv)                                                                                               \
  LOOP2(name, VI near = samei(-1); VF u = near_##fv(x0, y0, &near), v = near_##fv(x1, y1, &near);                      \
        UNLESS_NEAR(u, v, fv(x0, y0), fv(x1, y1)))

// moves reports whether a pointer moves from block to block.
static int moves(const halo_loop *l, int64_t pointer) {
  for (int32_t i = 0; i < l->moves; i++)
    if (l->moved[i] == pointer)
      return 1;
  return 0;
}
static void s_store(ARGS);
// alone is how many vectors there are if all that is left to do is a stage that makes a result of operands x and y,
// which lie in one piece, and nothing is asked for meanwhile; else 0.
static int64_t alone(char *const *p, const stage *s, int64_t x, int64_t y) {
  const halo_loop *l = (const halo_loop *)p[HALO_LOOP];
  const int leaves = s[1].fn == (void (*)(void))s_store && !s[1].from && s[1].flags & HALO_LAST;
  return leaves && l->bytes == 8 * VB && !l->asks && moves(l, x) && moves(l, y) && moves(l, s[1].a) ? 8 * l->left : 0;
}
#define THROUGH(name, second, ...)                                                                                     \
  static void s_##name(ARGS) {                                                                                         \
    const int64_t vectors = alone(p, s, s->from - 1, second);                                                          \
    if (vectors) {                                                                                                     \
      over_##name(p[s[1].a], p[s->from - 1] __VA_ARGS__, vectors);                                                     \
      return over(p, (halo_loop *)p[HALO_LOOP]);                                                                       \
    }                                                                                                                  \
    TAKE                                                                                                               \
    PUT(F, t)                                                                                                          \
    over_##name((char *)t, (const char *)t __VA_ARGS__, 8);                                                            \
    GET(t) NEXT;                                                                                                       \
  }
#define INPLACE1(name, fv) ALL1(name, fv) THROUGH(name, s->from - 1)
#define INPLACE_N(name, fv)                                                                                            \
  static __attribute__((noinline)) VF every_##name(VF x) { return fv(x); }                                             \
  USUAL1(name, fv, every_##name) THROUGH(name, s->from - 1)
#define INPLACE2(name, fv) ALL2(name, fv) THROUGH(name, s->a, , p[s->a])
#define LIMITED1(name, fv, most, fs)                                                                                   \
  INLINE VF near_limited_##name(VF x, VI *near) {                                                                      \
    *near &= magnitude(x) <= (F)most;                                                                                  \
    return fv(x);                                                                                                      \
  }                                                                                                                    \
  static __attribute__((noinline)) VF every_##name(VF x) { return limited(fv(x), x, most, fs); }                       \
  USUAL1(name, limited_##name, every_##name) THROUGH(name, s->from - 1)
#else
// INPLACE1 and INPLACE2 apply functions of whole vectors.
#define INPLACE1(name, fv)                                                                                             \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    a0 = I(fv(F(a0))), a1 = I(fv(F(a1))), a2 = I(fv(F(a2))), a3 = I(fv(F(a3)));                                        \
    a4 = I(fv(F(a4))), a5 = I(fv(F(a5))), a6 = I(fv(F(a6))), a7 = I(fv(F(a7)));                                        \
    NEXT;                                                                                                              \
  }
#define INPLACE2(name, fv)                                                                                             \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    const char *q = p[s->a];                                                                                           \
    a0 = I(fv(F(a0), F(LOAD(q, 0)))), a1 = I(fv(F(a1), F(LOAD(q, 1)))), a2 = I(fv(F(a2), F(LOAD(q, 2))));              \
    a3 = I(fv(F(a3), F(LOAD(q, 3)))), a4 = I(fv(F(a4), F(LOAD(q, 4)))), a5 = I(fv(F(a5), F(LOAD(q, 5))));              \
    a6 = I(fv(F(a6), F(LOAD(q, 6)))), a7 = I(fv(F(a7), F(LOAD(q, 7))));                                                \
    NEXT;                                                                                                              \
  }
#define INPLACE_N INPLACE1
#define LIMITED1(name, fv, most, fs) LIMITED(name, WHOLES(t, fv), most, fs)
#endif
typedef F VFm __attribute__((vector_size(VB), may_alias));
// large repairs what arguments beyond a limit have made of n numbers.
static __attribute__((noinline, unused)) void large(F *t, const F *x, int n, F limit, double (*f)(double)) {
  for (int i = 0; i < n; i++)
    if (!(x[i] <= limit && x[i] >= -limit))
      t[i] = (F)f(x[i]);
}
INLINE __attribute__((unused)) VF limited(VF v, VF x, F limit, double (*f)(double)) {
  if (__builtin_expect(some(magnitude(x) > limit), 0))
    large((F *)&v, (F *)&x, N, limit, f);
  return v;
}
#define OVER(a, k) over |= magnitude(F(a)) > limit;
#define WHOLES(t, fv)                                                                                                  \
  for (int i = 0; i < BLOCK; i += N)                                                                                   \
    *(VFm *)(t + i) = fv(*(VFm *)(t + i));
#define LIMITED(name, loop, most, fs)                                                                                  \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    const F limit = most;                                                                                              \
    VI over = {};                                                                                                      \
    EACH(OVER)                                                                                                         \
    const I any = some(over);                                                                                          \
    PUT(F, t)                                                                                                          \
    F was[BLOCK] __attribute__((aligned(64)));                                                                         \
    if (any)                                                                                                           \
      __builtin_memcpy(was, t, sizeof was);                                                                            \
    loop;                                                                                                              \
    if (any)                                                                                                           \
      large(t, was, BLOCK, limit, fs);                                                                                 \
    GET(t) NEXT;                                                                                                       \
  }
#if LANE == 32
#define HALVES(t, e)                                                                                                   \
  for (int i = 0; i < BLOCK; i += N / 2) {                                                                             \
    VD x = widened(*(VH *)(t + i));                                                                                    \
    *(VH *)(t + i) = __builtin_convertvector(e, VH);                                                                   \
  }
#define MATH1(name, fv, fs)                                                                                            \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    PUT(F, t)                                                                                                          \
    HALVES(t, fv(x))                                                                                                   \
    GET(t) NEXT;                                                                                                       \
  }
// OTHER is the half of the second operand.
typedef float VHm __attribute__((vector_size(VB / 2), may_alias, aligned(1)));
#define OTHER widened(*(const VHm *)(q + i * sizeof(F)))
#define MATH2(name, fv, fs)                                                                                            \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    PUT(F, t)                                                                                                          \
    const char *q = p[s->a];                                                                                           \
    HALVES(t, fv(x, OTHER))                                                                                            \
    GET(t) NEXT;                                                                                                       \
  }
// HALFPOWER is a function of the magnitude of x and of y, and powers where one of a block is no ordinary number.
INLINE VI unusual(VI x, VI y) {
  return (VI)((VU)x - 1 >= (U)INFINITE - 1) | (VI)((VU)y << 1 >= (U)INFINITE << 1);
}
#define HALFPOWER(name, fv)                                                                                            \
  static void block_##name(F *t, const char *q) {                                                                      \
    VI odd = {};                                                                                                       \
    for (int i = 0; i < BLOCK; i += N)                                                                                 \
      odd |= unusual(*(VIm *)(t + i), *(const VIm *)(q + i * sizeof(F)));                                              \
    F was[BLOCK] __attribute__((aligned(64)));                                                                         \
    const I any = some(odd);                                                                                           \
    if (any)                                                                                                           \
      __builtin_memcpy(was, t, sizeof was);                                                                            \
    HALVES(t, fv(magn(x), OTHER))                                                                                      \
    for (int i = 0; any && i < BLOCK; i += N)                                                                          \
      *(VFm *)(t + i) = powers(*(VFm *)(t + i), *(VFm *)(was + i), F(*(const VIm *)(q + i * sizeof(F))));              \
  }                                                                                                                    \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    PUT(F, t)                                                                                                          \
    block_##name(t, p[s->a]);                                                                                          \
    GET(t) NEXT;                                                                                                       \
  }
#define MATHL(name, dv, fs) LIMITED(name, HALVES(t, dv(x)), (F)LIMIT, fs)
#ifdef LIMIT32
#define FAST1(name, fv, dv, fs) INPLACE1(name, fv)
#define FASTN(name, fv, dv, fs) INPLACE_N(name, fv)
#define FAST2(name, fv, dv, fs) INPLACE2(name, fv)
#define FASTL(name, fv, dv, fs) LIMITED1(name, fv, LIMIT32, fs)
#else
#define FAST1(name, fv, dv, fs) MATH1(name, dv, fs)
#define FASTN FAST1
#define FAST2(name, fv, dv, fs) MATH2(name, dv, fs)
#define FASTL(name, fv, dv, fs) MATHL(name, dv, fs)
#endif
#if defined(__x86_64__) && VB == 32
#define POWER(name, fv, dv, fs) USUAL2(name, fv) THROUGH(name, s->a, , p[s->a])
#else
#define POWER(name, fv, dv, fs) HALFPOWER(name, dv)
#endif
#define BOTH1(name, fv, dv, ev, fs) FAST1(name, fv, dv, fs)
#define BOTHN(name, fv, dv, ev, fs) FASTN(name, fv, dv, fs)
#define BOTHL(name, fv, dv, ev, fs) FASTL(name, fv, dv, fs)
#define EVERY1 BOTH1
#else
#define MATH1(name, fv, fs) ARRAY1(name, F, fs(x))
#define MATH2(name, fv, fs) ARRAY2(name, F, fs(x, y))
#define POWER(name, fv, dv, fs) ARRAY2(name, F, fs(x, y))
#define FAST1(name, fv, dv, fs) ARRAY1(name, F, fs(x))
#define FASTN FAST1
#define FAST2(name, fv, dv, fs) ARRAY2(name, F, fs(x, y))
#define EVERY1(name, fv, dv, ev, fs) INPLACE1(name, ev)
#if VB > 16 || defined(__aarch64__)
#define BOTH1 EVERY1
#define BOTHL(name, fv, dv, ev, fs) LIMITED1(name, ev, LIMIT, fs)
#else
#define BOTH1(name, fv, dv, ev, fs) ARRAY1(name, F, fs(x))
#define BOTHL BOTH1
#endif
#define BOTHN BOTH1
#endif
