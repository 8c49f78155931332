//go:build linux
#pragma GCC optimize("O3")
#define LEVEL halo_entries_base
#include "places_impl.h"
