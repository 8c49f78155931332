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
#define ORDER ((words){0, 1, 2, 3, 4, 5, 6, 7})
#define PERMUTE(v, at) ((words)_mm256_permutevar8x32_epi32((__m256i)(v), (__m256i)(at)))
// 16 bytes, of which each of a vector is one
#define SHUFFLE(p, at) \
  ((vbytes)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)(p))), (__m256i)(at)))
#include "move_impl.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
