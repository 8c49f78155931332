//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,f16c")
#pragma GCC optimize("O3")
#define VB 64
#define NV 2
#define MR32 12
#define MR64 12
#define PREFIX avx512
#define LEVEL halo_gemm_avx512
#include "gemm_types.h"
#endif
