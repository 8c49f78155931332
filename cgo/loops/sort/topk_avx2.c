//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx2")
#pragma GCC optimize("O3")
#define LEVEL halo_topk_avx2
#include "topk_impl.h"
#endif
