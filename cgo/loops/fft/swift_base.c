//go:build linux
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=fast")
#define LEVEL halo_swift_base
#define VB 16
#define LANES32 4
#define LANES64 2
#include "swift_level.h"
