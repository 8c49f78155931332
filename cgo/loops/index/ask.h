// ask.h: how loops over index vectors ask for memory ahead.
#ifndef HALO_ASK_H
#define HALO_ASK_H

#include <stdint.h>

// Windows are asked for so many ahead, and so many lines of each.
enum { ASK_WINDOWS = 24, ASK_LINES = 8 };

// Windows that are evenly apart are asked for when so many bytes of them are still before them.
enum { ASK_BYTES = 1 << 13 };

// Elements are asked for so many ahead; those of an array that is far also so many ahead into the second cache.
enum { ASK_ELEMENTS = 32, ASK_FAR = 64 };

// The second cache has most of an array of NEAR_BYTES; the third may not have one of more than SHARED_BYTES.
enum { NEAR_BYTES = 1 << 22, SHARED_BYTES = 1 << 26 };

// Rows that are summed are asked for so many ahead into the second cache, and so many ahead from there into the first.
enum { BAG_FAR = 64, BAG_NEAR = 8 };

#define ASK(name, CACHE)                                                                                     \
  static inline void name(const char *s, int64_t bytes) {                                                    \
    for (int64_t at = 0; at < bytes && at < 64 * ASK_LINES; at += 64)                                        \
      __builtin_prefetch((const void *)((uintptr_t)s + (uintptr_t)at), 0, CACHE);                            \
  }
ASK(ask_near, 3)
ASK(ask_far, 2)

// ask asks for a window of some bytes at one of the places in s that is ahead of number i of n: into the second cache,
// for few lines can be on the way to the first. Places that are none are no pointers.
static inline void ask(const char *s, const int64_t *places, int64_t i, int64_t n, int64_t bytes) {
  if (i + ASK_WINDOWS < n) ask_far((const char *)((uintptr_t)s + (uintptr_t)places[i + ASK_WINDOWS]), bytes);
}

#endif
