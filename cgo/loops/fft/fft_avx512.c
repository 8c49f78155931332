//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2")
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=off")
#define LEVEL halo_fft_avx512
#define LANES32 16
#define LANES64 8
#include "level.h"
#endif
