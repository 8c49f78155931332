//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx2,fma,f16c")
#pragma GCC optimize("O3")
#include <immintrin.h>
#define VB 32
#define NV 2
#define MR32 6
#define MR64 6
#define PREFIX avx2
#define LEVEL halo_gemm_avx2
#define FROM_F16(from) _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from)))
#include "gemm_types.h"
#endif
