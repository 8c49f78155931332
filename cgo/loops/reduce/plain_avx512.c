//go:build linux && amd64

#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=off", "no-tree-loop-distribute-patterns")
#pragma GCC target("avx512f", "avx512dq", "avx512bw", "avx512vl", "avx2", "fma", "f16c", "prefer-vector-width=512")
#define VECTOR 64
#define PLAIN_TABLE halo_plain_avx512
#define POOL_TABLE halo_pool_avx512
#define RUNNING_TABLE halo_running_avx512
#include "plain_impl.h"
