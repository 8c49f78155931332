//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx2")
#pragma GCC optimize("O3")
#define LEVEL halo_entries_avx2
#include "places_impl.h"
#endif
