// level.h: what there is for each ISA level.
#ifndef HALO_INDEX_LEVEL_H
#define HALO_INDEX_LEVEL_H

#include "blend.h"
#include "scatter.h"

// An index_take copies the elements of a stretch, past the caches if it can and past says so.
typedef void (*index_take)(char *dst, const char *src, index_stretch, index_entry, int past);

// The places of some index vectors that are in the array are from low to high.
typedef struct {
  int64_t low, high;
} index_span;

typedef struct {
  void (*places)(const index_plan *, index_stretch, int clamp, int64_t *windowed, int64_t *operand);
  void (*widen)(index_span *, const int64_t *at, int64_t n);
  int64_t (*within)(index_places *, int64_t n, int64_t low, int64_t high);
  // The places from low to high of a stretch of n <= INDEX_BLOCK index vectors of one int32_t, and how many they
  // are, found in one pass; -1 where that takes more than such integers. Null where places and within are as fast.
  int64_t (*part)(index_stretch, index_entry, int64_t low, int64_t high, index_places *);
  void (*bag)(float *dst, const char *src, int64_t row, const int64_t *places, int64_t n, int64_t more, float init);
  int (*blend)(float *dst, const char *src, int64_t row, const void *taps, int64_t n);
  int (*lanes)(float *dst, const char *src, int64_t row, const void *taps, int64_t n);
  int64_t strands; // of a task: STRANDS or 1
  fold_line lines[FOLDS][OF_TYPES];
  index_take takes[12][5]; // by the type of a move_index and the logarithm of the width
} index_level;

extern const index_level halo_index_base;
#if defined(__x86_64__)
extern const index_level halo_index_avx2, halo_index_avx512;
#endif

// halo_index_level returns the one of run.ISA.
const index_level *halo_index_level(int64_t isa);

#endif
