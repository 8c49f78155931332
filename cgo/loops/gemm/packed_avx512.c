//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,f16c")
#pragma GCC optimize("O3")
#include <immintrin.h>
#define VB 64
#define ROWS 12
#define PREFIX avx512
#define LEVEL halo_packed_avx512
#define FROM_F16(from) _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(from)))
#define TO_F16(to, from) _mm256_storeu_si256((__m256i *)(to), _mm512_cvtps_ph(_mm512_loadu_ps(from), 0))
#include "packed_types.h"
#endif
