//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")
#pragma GCC optimize("O3")
#define VB 64
#define WIDE
#define PREFIX avx512
#define LEVEL halo_small_avx512
#include "small_types.h"
#endif
