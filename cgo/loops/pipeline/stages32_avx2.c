//go:build linux

#if defined(__x86_64__)
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "wrapv")
#pragma GCC target("avx2,fma,f16c")
#define LANE 32
#define LEVEL avx2
#define VB 32
#include "stages_impl.h"
#endif
