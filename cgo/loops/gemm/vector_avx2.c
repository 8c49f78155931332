//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx2,fma")
#pragma GCC optimize("O3")
#define VB 32
#define PREFIX avx2
#define LEVEL halo_vector_avx2
#define FROM_S8(m) (avx2_s32_vector)_mm256_cvtepi8_epi32(_mm_loadu_si64(m))
#define FROM_U8(m) (avx2_s32_vector)_mm256_cvtepu8_epi32(_mm_loadu_si64(m))
#include <immintrin.h>

#include "vector_types.h"
#endif
