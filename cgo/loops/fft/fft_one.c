//go:build linux
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=off")
#define LEVEL halo_fft_one
#define LANES32 1
#define LANES64 1
#include "level.h"
