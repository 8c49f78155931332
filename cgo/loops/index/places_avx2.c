//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx2")
#pragma GCC optimize("O3")
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#endif
#define LEVEL halo_entries_avx2
#include "places_impl.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
