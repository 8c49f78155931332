//go:build linux
#pragma GCC optimize("O3")
#define LEVEL halo_move_base
#define VB 16
#if defined(__x86_64__)
#include <emmintrin.h>
#define STREAM(p, v) _mm_stream_si128((void *)(p), (__m128i)(v))
#else
#define STREAM(p, v) (*(vbytes *)(p) = (v))
#endif
#include "move_impl.h"
