//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,f16c")
#pragma GCC optimize("O3")
#include <immintrin.h>
#define VB 64
#define NV 2
#define MR32 12
#define MR64 12
#define PREFIX avx512
#define LEVEL halo_gemm_avx512
#define FROM_F16(from) _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(from)))
#include "gemm_types.h"
#endif
