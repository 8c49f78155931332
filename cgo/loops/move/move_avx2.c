//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx2")
#pragma GCC optimize("O3")
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#endif
#define LEVEL halo_move_avx2
#define VB 32
#define STREAM(p, v) _mm256_stream_si256((void *)(p), (__m256i)(v))
#include "move_impl.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
