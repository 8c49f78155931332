//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx2,fma")
#pragma GCC optimize("O3")
#define VB 32
#define KERNEL halo_depthwise_avx2
#include "depthwise_impl.h"
#endif
