//go:build linux
#pragma GCC optimize("O3", "no-math-errno")
#define VB 16
#define PREFIX base
#define LEVEL halo_batch_base
#include "batch_types.h"
