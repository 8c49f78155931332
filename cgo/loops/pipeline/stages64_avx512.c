//go:build linux

#if defined(__x86_64__)
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "wrapv")
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,fma,f16c,prefer-vector-width=512")
#define LANE 64
#define LEVEL avx512
#define VB 64
#include "stages_impl.h"
#endif
