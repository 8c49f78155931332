//go:build linux
#pragma GCC optimize("O3")
#define WIDEST 16
#define WIDEST_PIECE v16_piece
#if defined(__aarch64__)
#define WIDE
#endif
#define PREFIX base
#define LEVEL halo_small_base
#include "small_types.h"
