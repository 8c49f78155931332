//go:build linux
#pragma GCC optimize("O3")
#define LEVEL halo_rng_base
#define LANES 4
#if defined(__x86_64__)
#include <emmintrin.h>
#define MUL(a, b) ((wide)_mm_mul_epu32((__m128i)(a), (__m128i)(b)))
#else
#define MUL(a, b) (((a) & 0xFFFFFFFFu) * (b))
#endif
#include "rng_impl.h"
