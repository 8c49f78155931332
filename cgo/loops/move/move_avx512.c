//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2")
#pragma GCC optimize("O3")
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2"))), apply_to = function)
#endif
#define LEVEL halo_move_avx512
#define VB 64
#define STREAM(p, v) _mm512_stream_si512((void *)(p), (__m512i)(v))
#define ORDER ((words){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
#define PERMUTE(v, at) ((words)_mm512_permutexvar_epi32((__m512i)(at), (__m512i)(v)))
#include "move_impl.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
