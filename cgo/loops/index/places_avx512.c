//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2")
#pragma GCC optimize("O3")
#define LEVEL halo_entries_avx512
#include "places_impl.h"
#endif
