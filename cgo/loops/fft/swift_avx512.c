//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=fast")
#define LEVEL halo_swift_avx512
#define VB 64
#define LANES32 16
#define LANES64 8
#include "swift_level.h"
#endif
