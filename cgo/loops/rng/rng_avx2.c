//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx2")
#pragma GCC optimize("O3")
#include <immintrin.h>
#define LEVEL halo_rng_avx2
#define LANES 8
#define MUL(a, b) ((wide)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#include "rng_impl.h"
#endif
