//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx2,fma")
#pragma GCC optimize("O3", "no-math-errno")
#define VB 32
#define MR 6
#define NV 2
#define PREFIX avx2
#define LEVEL halo_linalg_avx2
#include "linalg_types.h"
#endif
