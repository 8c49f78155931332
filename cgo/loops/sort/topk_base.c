//go:build linux
#pragma GCC optimize("O3")
#define LEVEL halo_topk_base
#include "topk_impl.h"
#define NETWORK halo_network_base
#include "network_impl.h"
