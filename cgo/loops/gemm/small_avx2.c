//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx2,fma")
#pragma GCC optimize("O3")
#define WIDEST 32
#define WIDEST_PIECE v32_piece
#define PREFIX avx2
#define LEVEL halo_small_avx2
#include "small_types.h"
#endif
