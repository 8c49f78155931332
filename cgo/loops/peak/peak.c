//go:build linux

#include "peak.h"

#include <string.h>

#pragma GCC optimize("O3")

enum { CHAINS = 12 }; // enough to hide the latency of a multiply-add on two ports

static volatile float sink;

// FMA defines a loop of independent chains of multiply-adds on vectors of type V.
#define FMA(name, V, lanes, attribute)                                  \
  attribute static int64_t name(int64_t rounds) {                       \
    V x[CHAINS], a, b;                                                  \
    for (int i = 0; i < (lanes); i++)                                   \
      a[i] = 0.999f, b[i] = 0.001f;                                     \
    for (int c = 0; c < CHAINS; c++)                                    \
      x[c] = b * (float)c;                                              \
    for (int64_t r = 0; r < rounds; r++)                                \
      _Pragma("GCC unroll 12") for (int c = 0; c < CHAINS; c++)         \
        x[c] = x[c] * a + b;                                            \
    for (int c = 1; c < CHAINS; c++)                                    \
      x[0] += x[c];                                                     \
    sink = x[0][0];                                                     \
    return 2l * CHAINS * (lanes);                                       \
  }

typedef float v4 __attribute__((vector_size(16)));
FMA(fma_base, v4, 4, )

#if defined(__x86_64__)
typedef float v8 __attribute__((vector_size(32)));
typedef float v16 __attribute__((vector_size(64)));
FMA(fma_avx2, v8, 8, __attribute__((target("avx2,fma"))))
FMA(fma_avx512, v16, 16, __attribute__((target("avx512f,fma,prefer-vector-width=512"))))
static int64_t (*const fmas[])(int64_t) = {fma_base, fma_avx2, fma_avx512};
#else
static int64_t (*const fmas[])(int64_t) = {fma_base, fma_base, fma_base, fma_base};
#endif

int64_t halo_peak_fma(int32_t level, int64_t rounds) { return fmas[level](rounds); }

void halo_peak_copy(char *dst, const char *src, int64_t bytes) { memcpy(dst, src, bytes); }
