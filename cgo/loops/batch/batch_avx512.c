//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")
#pragma GCC optimize("O3", "no-math-errno")
#define VB 64
#define PREFIX avx512
#define LEVEL halo_batch_avx512
#include "batch_types.h"
#endif
