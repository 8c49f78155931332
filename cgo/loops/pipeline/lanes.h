// lanes.h: the vectors of one level and lane width. The file that includes it defines LEVEL, VB (bytes of a vector) and
// LANE (bits of a lane).
#include "pipeline.h"

#define CAT3_(a, b, c) a##b##_##c
#define CAT3(a, b, c) CAT3_(a, b, c)

#if LANE == 8
typedef int8_t I;
typedef uint8_t U;
typedef float F; // there are no such lanes
#elif LANE == 32
typedef int32_t I;
typedef uint32_t U;
typedef float F;
#define MANTISSA 23
#define BIAS 127
#else
typedef int64_t I;
typedef uint64_t U;
typedef double F;
#define MANTISSA 52
#define BIAS 1023
#endif

enum { N = VB / sizeof(I), BLOCK = 8 * N };

typedef I VI __attribute__((vector_size(VB)));
typedef U VU __attribute__((vector_size(VB)));
typedef F VF __attribute__((vector_size(VB)));
typedef I Im __attribute__((aligned(1), may_alias));
typedef I VIm __attribute__((vector_size(VB), aligned(1), may_alias)); // in memory

typedef struct halo_stage stage;

#define ARGS char *const *p, const stage *s, VI a0, VI a1, VI a2, VI a3, VI a4, VI a5, VI a6, VI a7
#define NEXT return ((stage_fn)s[1].fn)(p, s + 1, a0, a1, a2, a3, a4, a5, a6, a7)
typedef void (*stage_fn)(ARGS);

#define LOAD(q, k) (*(const VIm *)((q) + (k)*VB))
#define EACH(M) M(a0, 0) M(a1, 1) M(a2, 2) M(a3, 3) M(a4, 4) M(a5, 5) M(a6, 6) M(a7, 7)

#define INLINE static inline __attribute__((always_inline))

// pick is x where the mask m is set, else y.
INLINE VI pick(VI m, VI x, VI y) { return (m & x) | (~m & y); }
INLINE VF pickf(VI m, VF x, VF y) { return (VF)pick(m, (VI)x, (VI)y); }

#define SIGN ((I)((U)1 << (LANE - 1)))
#define ALLBUTSIGN ((I)~SIGN)
#define INFINITE ((I)(2 * BIAS + 1) << MANTISSA)

INLINE VF magnitude(VF x) { return (VF)((VI)x & ALLBUTSIGN); }
INLINE VF with_sign(VF x, VF of) { return (VF)(((VI)x & ALLBUTSIGN) | ((VI)of & SIGN)); }

// splat of a constant.
INLINE VF same(F v) { return v - (VF){}; }
INLINE VI samei(I v) { return v - (VI){}; }

// rounded keeps the compiler from joining a product with what is added to it.
INLINE __attribute__((unused)) VF rounded(VF x) {
#if defined(__x86_64__)
  __asm__("" : "+v"(x));
#elif defined(__aarch64__)
  __asm__("" : "+w"(x));
#else
  __asm__("" : "+m"(x));
#endif
  return x;
}
