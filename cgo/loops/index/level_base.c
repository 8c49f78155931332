//go:build linux
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=off")
#define LEVEL halo_index_base
#define VB 16
#define TASK_STRANDS STRANDS
#include "level_impl.h"
