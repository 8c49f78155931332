//go:build linux && amd64

#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=off", "no-tree-loop-distribute-patterns")
#pragma GCC target("avx2", "fma", "f16c")
#define VECTOR 32
#define PLAIN_TABLE halo_plain_avx2
#define POOL_TABLE halo_pool_avx2
#define RUNNING_TABLE halo_running_avx2
#include "plain_impl.h"
