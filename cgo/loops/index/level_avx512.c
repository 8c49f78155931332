//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2")
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=off")
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2"))), apply_to = function)
#endif
#define LEVEL halo_index_avx512
#define VB 64
#define COMPRESS(k, v) _mm512_maskz_compress_epi64(k, v)
#define TAKE_GROUP 16
#define TASK_STRANDS 1
#include "level_impl.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
