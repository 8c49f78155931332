//go:build linux

#if defined(__x86_64__)
#define LANE 32
#define LEVEL avx2
#define VB 32
#include "target.h"

#include "memory_impl.h"
#include "gather_impl.h"

#include "target_end.h"
#endif
