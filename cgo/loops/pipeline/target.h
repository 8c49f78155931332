// target.h: makes what follows code for the level of VB (bytes of a vector), in gcc's words and in clang's. Headers of
// the system come before. Files end with target_end.h.
#include "pipeline.h"

#include <math.h>
#include <stddef.h>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__clang__)
#if defined(__x86_64__) && VB == 64
#define HALO_AVX512 "avx512f,avx512dq,avx512bw,avx512vl,avx512cd,fma,f16c"
#pragma clang attribute push(__attribute__((target(HALO_AVX512))), apply_to = function)
#elif defined(__x86_64__) && VB == 32
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma clang attribute push(__attribute__((unused)), apply_to = function)
#endif
#else
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "wrapv")
#if defined(__x86_64__) && VB == 64
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx512cd,fma,f16c,prefer-vector-width=512")
#elif defined(__x86_64__) && VB == 32
#pragma GCC target("avx2,fma,f16c")
#endif
#endif
