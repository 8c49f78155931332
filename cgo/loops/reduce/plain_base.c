//go:build linux

#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=off")
#define VECTOR 16
#define PLAIN_TABLE halo_plain_base
#include "plain_impl.h"
