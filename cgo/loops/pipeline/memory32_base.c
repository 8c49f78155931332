//go:build linux

#if 1
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "wrapv")

#define LANE 32
#define LEVEL base
#define VB 16
#include "memory_impl.h"
#endif
