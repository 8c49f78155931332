//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx2")
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=off")
#define LEVEL halo_fft_avx2
#define LANES32 8
#define LANES64 4
#include "level.h"
#endif
