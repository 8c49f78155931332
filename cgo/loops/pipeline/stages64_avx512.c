//go:build linux

#if defined(__x86_64__)
#define LANE 64
#define LEVEL avx512
#define VB 64
#include "target.h"

#include "stages_impl.h"

#include "target_end.h"
#endif
