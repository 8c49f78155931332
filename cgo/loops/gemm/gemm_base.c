//go:build linux
#pragma GCC optimize("O3")
#define VB 16
#define NV 2
#define MR32 4
#define MR64 4
#define PREFIX base
#define LEVEL halo_gemm_base
#include "gemm_types.h"
