//go:build linux

#if defined(__x86_64__)
#define LANE 32
#define LEVEL avx2
#define VB 32
#include <string.h>

#include "../pipeline/target.h"

#include "vector_impl.h"

#include "../pipeline/target_end.h"
#endif
