//go:build linux
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=off")
#define LEVEL halo_fft_base
#define LANES32 4
#define LANES64 2
#include "level.h"
