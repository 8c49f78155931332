//go:build linux

#if defined(__x86_64__)
#define LANE 8
#define LEVEL avx512
#define VB 64
#include "target.h"

#include "whole_impl.h"

#include "target_end.h"
#endif
