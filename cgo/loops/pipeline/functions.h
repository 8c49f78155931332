// functions.h: how the lines of stages.def with elementary functions become stages, for stages_impl.h.

// EIGHT1 and EIGHT2 are what the stage of the name does, of a block in memory, which becomes the result: code that is
// made while a program is compiled calls that. Other levels have no such code.
#if defined(__x86_64__) && VB == 32
#define EIGHT1(name, e)                                                                                                \
  static void s_call_##name(VF *v) {                                                                                   \
    for (int i = 0; i < 8; i++) {                                                                                      \
      const VF x = v[i];                                                                                               \
      v[i] = e;                                                                                                        \
    }                                                                                                                  \
  }
#define EIGHT2(name, all)                                                                                              \
  static void s_call_##name(VF *v, const VF *w) { all; }
#else
#define EIGHT1(name, e)
#define EIGHT2(name, all)
#endif

// INPLACE1 applies a function of whole vectors.
#define INPLACE1(name, fv)                                                                                             \
  EIGHT1(name, fv(x))                                                                                                  \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    a0 = I(fv(F(a0))), a1 = I(fv(F(a1))), a2 = I(fv(F(a2))), a3 = I(fv(F(a3)));                                        \
    a4 = I(fv(F(a4))), a5 = I(fv(F(a5))), a6 = I(fv(F(a6))), a7 = I(fv(F(a7)));                                        \
    NEXT;                                                                                                              \
  }
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
// POWER is a function of the magnitude of x and of y, and powers where one of a block is no ordinary number.
INLINE VI unusual(VI x, VI y) {
  return (VI)((VU)x - 1 >= (U)INFINITE - 1) | (VI)((VU)y << 1 >= (U)INFINITE << 1);
}
#define POWER(name, fv, fs)                                                                                            \
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
  }                                                                                                                    \
  EIGHT2(name, block_##name((F *)v, (const char *)w))
#define MATHL(name, dv, fs) LIMITED(name, HALVES(t, dv(x)), (F)LIMIT, fs)
#ifdef LIMIT32
#define FAST1(name, fv, dv, fs) INPLACE1(name, fv)
#define FAST2(name, fv, dv, fs)                                                                                        \
  EIGHT2(name, for (int i = 0; i < 8; i++) v[i] = fv(v[i], w[i]))                                                      \
  static void s_##name(ARGS) {                                                                                         \
    TAKE                                                                                                               \
    const char *q = p[s->a];                                                                                           \
    a0 = I(fv(F(a0), F(LOAD(q, 0)))), a1 = I(fv(F(a1), F(LOAD(q, 1)))), a2 = I(fv(F(a2), F(LOAD(q, 2))));              \
    a3 = I(fv(F(a3), F(LOAD(q, 3)))), a4 = I(fv(F(a4), F(LOAD(q, 4)))), a5 = I(fv(F(a5), F(LOAD(q, 5))));              \
    a6 = I(fv(F(a6), F(LOAD(q, 6)))), a7 = I(fv(F(a7), F(LOAD(q, 7))));                                                \
    NEXT;                                                                                                              \
  }
#define FASTL(name, fv, dv, fs)                                                                                        \
  LIMITED(name, WHOLES(t, fv), LIMIT32, fs) EIGHT1(name, limited(fv(x), x, LIMIT32, fs))
#else
#define FAST1(name, fv, dv, fs) MATH1(name, dv, fs)
#define FAST2(name, fv, dv, fs) MATH2(name, dv, fs)
#define FASTL(name, fv, dv, fs) MATHL(name, dv, fs)
#endif
#define BOTH1(name, fv, dv, ev, fs) FAST1(name, fv, dv, fs)
#define BOTHL(name, fv, dv, ev, fs) FASTL(name, fv, dv, fs)
#define EVERY1 BOTH1
#else
#define MATH1(name, fv, fs) ARRAY1(name, F, fs(x))
#define MATH2(name, fv, fs) ARRAY2(name, F, fs(x, y))
#define POWER(name, fv, fs) ARRAY2(name, F, fs(x, y))
#define FAST1(name, fv, dv, fs) ARRAY1(name, F, fs(x))
#define FAST2(name, fv, dv, fs) ARRAY2(name, F, fs(x, y))
#define EVERY1(name, fv, dv, ev, fs) INPLACE1(name, ev)
#if VB > 16 || defined(__aarch64__)
#define BOTH1 EVERY1
#define BOTHL(name, fv, dv, ev, fs)                                                                                    \
  LIMITED(name, WHOLES(t, ev), LIMIT, fs) EIGHT1(name, limited(ev(x), x, LIMIT, fs))
#else
#define BOTH1(name, fv, dv, ev, fs) ARRAY1(name, F, fs(x))
#define BOTHL BOTH1
#endif
#endif
