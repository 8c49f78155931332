//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")
#pragma GCC optimize("O3")
#define VB 64
#define PREFIX avx512
#define LEVEL halo_vector_avx512
#define FROM_S8(m) (avx512_s32_vector)_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i_u *)(m)))
#define FROM_U8(m) (avx512_s32_vector)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i_u *)(m)))
#include <immintrin.h>

#include "vector_types.h"
#endif
