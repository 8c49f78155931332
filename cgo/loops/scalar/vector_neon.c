//go:build linux

#if defined(__aarch64__)
#define LANE 32
#define LEVEL neon
#define VB 16
#include <string.h>

#include "../pipeline/target.h"

#include "vector_impl.h"

#include "../pipeline/target_end.h"
#endif
