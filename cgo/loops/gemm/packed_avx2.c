//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx2,fma,f16c")
#pragma GCC optimize("O3")
#include <immintrin.h>
#define VB 32
#define ROWS 6
#define PREFIX avx2
#define LEVEL halo_packed_avx2
#define FROM_F16(from) _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from)))
#define TO_F16(to, from) _mm_storeu_si128((__m128i *)(to), _mm256_cvtps_ph(_mm256_loadu_ps(from), 0))
#include "packed_types.h"
#endif
