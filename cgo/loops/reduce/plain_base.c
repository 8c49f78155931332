//go:build linux

#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=off", "no-tree-loop-distribute-patterns")
#define VECTOR 16
#define PLAIN_TABLE halo_plain_base
#define POOL_TABLE halo_pool_base
#define RUNNING_TABLE halo_running_base
#include "plain_impl.h"
