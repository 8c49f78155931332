//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")
#pragma GCC optimize("O3")
#define VB 64
#define KERNEL halo_depthwise_avx512
#include "depthwise_impl.h"
#endif
