//go:build linux
#pragma GCC optimize("O3")
#define VB 16
#define PREFIX base
#define LEVEL halo_vector_base
#include "vector_types.h"
