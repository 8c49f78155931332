//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2")
#pragma GCC optimize("O3")
#include <immintrin.h>
#define LEVEL halo_rng_avx512
#define LANES 16
#define MUL(a, b) ((wide)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))
#include "rng_impl.h"
#endif
