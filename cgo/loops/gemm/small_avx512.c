//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")
#pragma GCC optimize("O3")
#define WIDEST 64
#define WIDEST_PIECE v64_piece
#define WIDE
#define PREFIX avx512
#define LEVEL halo_small_avx512
#include "small_types.h"
#endif
