//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx2,fma")
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=fast")
#define LEVEL halo_swift_avx2
#define VB 32
#define LANES32 8
#define LANES64 4
#include "swift_level.h"
#endif
