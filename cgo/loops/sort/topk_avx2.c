//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx2")
#pragma GCC optimize("O3")
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#endif
#define LEVEL halo_topk_avx2
#include "topk_impl.h"
#define NETWORK halo_network_avx2
#include "network_impl.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
