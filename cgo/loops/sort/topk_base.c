//go:build linux
#pragma GCC optimize("O3")
#define LEVEL halo_topk_base
#include "topk_impl.h"
