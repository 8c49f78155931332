//go:build linux
#pragma GCC optimize("O3")
#define VB 16
#if defined(__aarch64__)
#define WIDE
#endif
#define PREFIX base
#define LEVEL halo_small_base
#include "small_types.h"
