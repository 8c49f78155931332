//go:build linux
#pragma GCC optimize("O3")
#define VB 16
#define ROWS 6
#define PREFIX base
#define LEVEL halo_packed_base
#include "packed_types.h"
