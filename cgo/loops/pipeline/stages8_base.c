//go:build linux

#if 1
#define LANE 8
#define LEVEL base
#define VB 16
#include "target.h"

#include "whole_impl.h"

#include "target_end.h"
#endif
