//go:build linux
#pragma GCC optimize("O3")
#define VB 16
#define KERNEL halo_depthwise_base
#include "depthwise_impl.h"
