//go:build linux

#if 1
#define LANE 32
#define LEVEL base
#define VB 16
#include "target.h"

#include "memory_impl.h"
#include "gather_impl.h"

#include "target_end.h"
#endif
