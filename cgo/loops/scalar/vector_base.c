//go:build linux

#define LANE 32
#define LEVEL base
#define VB 16
#include <string.h>

#include "../pipeline/target.h"

#include "vector_impl.h"

#include "../pipeline/target_end.h"
