//go:build linux
#pragma GCC optimize("O3", "no-math-errno")
#define VB 16
#define MR 4
#define NV 2
#define PREFIX base
#define LEVEL halo_linalg_base
#include "linalg_types.h"
