//go:build linux

#if defined(__aarch64__)
#define LANE 32
#define LEVEL neon
#define VB 16
#include "target.h"

#include "memory_impl.h"
#include "gather_impl.h"

#include "target_end.h"
#endif
