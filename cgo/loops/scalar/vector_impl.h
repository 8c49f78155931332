// vector_impl.h: the instructions of vector.def for a level. Included once by each vector_*.c.
#include "../pipeline/lanes.h"

#include "../pipeline/floats.h"
#include "../pipeline/products.h"

#if VB > 16 || defined(__aarch64__)
#include "../pipeline/math32.h"
#define FAST
#endif

#include "ops.h"
#include "vector.h"

#define NUMBER(op) OP_##op,
#define CALL_NUMBER(name, f) CALL_##name,
enum { HALO_OPS(NUMBER) HALO_CALLS1(CALL_NUMBER) KINDS };

#define LANES(how) ((how)&0xffffff)
// OPERAND is where vectors of operand x come from, and how far apart they are: a number for all lanes is spread once.
#define OPERAND(x, bit)                                                                                                \
  const VI one_##x = how >> bit & 1 ? samei(*(const Im *)x) : (VI){};                                                  \
  const char *at_##x = how >> bit & 1 ? (const char *)&one_##x : x;                                                    \
  const int64_t step_##x = how >> bit & 1 ? 0 : VB;
#define NEXT_OF(v, x)                                                                                                  \
  const VI v = *(const VIm *)at_##x;                                                                                   \
  at_##x += step_##x;
#define HEAD(name)                                                                                                     \
  static void v_##name(char *d, const char *a, const char *b, const char *c, int32_t how) {                            \
    (void)b, (void)c;                                                                                                  \
    OPERAND(a, 24)
#define LOOP for (const char *end = d + (size_t)LANES(how) * sizeof(I); d < end; d += VB)

#define V1(name, e)                                                                                                    \
  HEAD(name)                                                                                                           \
  LOOP {                                                                                                               \
    NEXT_OF(x, a)                                                                                                      \
    *(VIm *)d = e;                                                                                                     \
  }                                                                                                                    \
  }
#define V2(name, e)                                                                                                    \
  HEAD(name)                                                                                                           \
  OPERAND(b, 25)                                                                                                       \
  LOOP {                                                                                                               \
    NEXT_OF(x, a)                                                                                                      \
    NEXT_OF(y, b)                                                                                                      \
    *(VIm *)d = e;                                                                                                     \
  }                                                                                                                    \
  }
#define V3(name, e)                                                                                                    \
  HEAD(name)                                                                                                           \
  OPERAND(b, 25)                                                                                                       \
  OPERAND(c, 26)                                                                                                       \
  LOOP {                                                                                                               \
    NEXT_OF(x, a)                                                                                                      \
    NEXT_OF(y, b)                                                                                                      \
    NEXT_OF(z, c)                                                                                                      \
    *(VIm *)d = e;                                                                                                     \
  }                                                                                                                    \
  }

#define BY_LANES(e)                                                                                                    \
  for (int i = 0; i < N; i++)                                                                                          \
    x[i] = (I)e;                                                                                                       \
  return x;
INLINE VI div_s(VI x, VI y) { BY_LANES((y[i] == 0 ? -1 : y[i] == -1 ? (I)(0 - (U)x[i]) : x[i] / y[i])) }
INLINE VI rem_s(VI x, VI y) { BY_LANES((y[i] == 0 ? x[i] : y[i] == -1 ? 0 : x[i] % y[i])) }
INLINE VI div_u(VI x, VI y) { BY_LANES((y[i] ? (U)x[i] / (U)y[i] : ~(U)0)) }
INLINE VI rem_u(VI x, VI y) { BY_LANES((y[i] ? (U)x[i] % (U)y[i] : (U)x[i])) }

// by_lanes applies a function of libm to each lane.
typedef double function(double);
static __attribute__((unused)) VF by_lanes(VF x, function *f) {
  for (int i = 0; i < N; i++)
    x[i] = (F)f((double)x[i]);
  return x;
}
static __attribute__((unused)) double logistic(double x) {
  const double e = exp(-fabs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}
#ifdef FAST
#define FUNCTION(name, fv, f) V1(name, I(fv(F(x))))
// near is v, or of lanes beyond the limit what libm has for x.
static VF near(VF v, VF x, function *f) {
  for (int i = 0; i < N; i++)
    if (!(__builtin_fabsf(x[i]) <= LIMIT32))
      v[i] = (F)f((double)x[i]);
  return v;
}
static int is_near(VF x) {
  const VI far = ~(magnitude(x) <= LIMIT32);
  I any = 0;
  for (int i = 0; i < N; i++)
    any |= far[i];
  return !any;
}
#define LIMITED(name, fv, f) V1(name, I(is_near(F(x)) ? fv(F(x)) : near(fv(F(x)), F(x), f)))
#else
#define FUNCTION(name, fv, f) V1(name, I(by_lanes(F(x), f)))
#define LIMITED FUNCTION
#endif
#define RSQRT(name) V1(name, I(1 / square_root(F(x))))
#define FOLD(name, e, none)                                                                                            \
  static uint32_t fold_##name(const char *a, int32_t n) {                                                              \
    VI x = samei((I)(none));                                                                                           \
    for (; n >= N; n -= N, a += VB) {                                                                                  \
      const VI y = *(const VIm *)a;                                                                                    \
      x = e;                                                                                                           \
    }                                                                                                                  \
    VI y = samei((I)(none));                                                                                           \
    memcpy(&y, a, (size_t)n * sizeof(I));                                                                              \
    x = e;                                                                                                             \
    for (int w = N / 2; w > 0; w /= 2) {                                                                               \
      y = samei((I)(none));                                                                                            \
      memcpy(&y, (I *)&x + w, (size_t)w * sizeof(I));                                                                  \
      x = e;                                                                                                           \
    }                                                                                                                  \
    return (uint32_t)x[0];                                                                                             \
  }
#include "vector.def"

#undef V1
#undef V2
#undef V3
#undef FUNCTION
#undef LIMITED
#undef RSQRT
#undef FOLD
#define V1(name, e) [OP_##name] = v_##name,
#define V2 V1
#define V3 V1
#define FUNCTION(name, fv, f) [CALL_##name] = v_##name,
#define LIMITED FUNCTION
#define RSQRT(name) [CALL_##name] = v_##name,
#define FOLD(name, e, none)
static const halo_vector each[KINDS] = {
#include "vector.def"
};
#undef V1
#undef FUNCTION
#undef RSQRT
#undef FOLD
#define V1(name, e)
#define FUNCTION(name, fv, f)
#define RSQRT(name)
#define FOLD(name, e, none) [OP_##name] = fold_##name,
static const halo_vector_fold folds[KINDS] = {
#include "vector.def"
};

#ifdef FUSED
#define TIMES_PLUS(x, y, z) fused(x, y, z)
#else
#define TIMES_PLUS(x, y, z) ((x) * (y) + (z))
#endif
// dot adds to two sums in turn, as machine code does. It reads whole vectors of y.
static void dot(char *d, const char *x, const char *y, int32_t n, int32_t k) {
  for (int32_t j = 0; j < n; j += N, d += VB, y += VB) {
    VF sums[2] = {same(0), same(0)};
    for (int64_t i = 0; i < k; i++)
      sums[i & 1] = TIMES_PLUS(F(samei(((const Im *)x)[i])), F(*(const VIm *)(y + i * n * 4)), sums[i & 1]);
    *(VIm *)d = I(sums[0] + sums[1]);
  }
}

#define NAMED_(level) halo_vectors_##level
#define NAMED(level) NAMED_(level)
const halo_vectors NAMED(LEVEL) = {each, folds, dot, KINDS};
