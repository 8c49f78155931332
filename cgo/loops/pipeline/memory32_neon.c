//go:build linux

#if defined(__aarch64__)
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "wrapv")

#define LANE 32
#define LEVEL neon
#define VB 16
#include "memory_impl.h"
#endif
