//go:build linux

#if defined(__aarch64__)
#define LANE 8
#define LEVEL neon
#define VB 16
#include "target.h"

#include "whole_impl.h"

#include "target_end.h"
#endif
