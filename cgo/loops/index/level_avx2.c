//go:build linux
#if defined(__x86_64__)
#pragma GCC target("avx2")
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=off")
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#endif
#define LEVEL halo_index_avx2
#define VB 32
#define TAKE_GROUP 8
#define TASK_STRANDS STRANDS
#include "level_impl.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
