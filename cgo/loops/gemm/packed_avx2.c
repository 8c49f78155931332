//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx2,fma")
#pragma GCC optimize("O3")
#define VB 32
#define ROWS 6
#define PREFIX avx2
#define LEVEL halo_packed_avx2
#include "packed_types.h"
#endif
