//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx2,fma")
#pragma GCC optimize("O3", "no-math-errno")
#define VB 32
#define PREFIX avx2
#define LEVEL halo_batch_avx2
#include "batch_types.h"
#endif
